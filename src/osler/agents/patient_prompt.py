"""The words that fill a patient's prompt: who speaks, how, what was said so far, and what is known."""

from __future__ import annotations

from osler.agents.messages import Case, Selection
from osler.agents.notes import Note, notes
from osler.language import Language, Speaker
from osler.locale import label
from osler.records.schema import Persona, Sex

_MANNER = {
    Language.EN: {
        Persona.PLAIN: "You answer calmly and to the point.",
        Persona.ANXIOUS: "You are worried, and it shows a little.",
        Persona.TERSE: "You are a person of few words.",
        Persona.TALKATIVE: "You like to talk, in a chatty tone.",
        Persona.FORGETFUL: "You are a little forgetful and hesitate before you answer.",
    },
    Language.ZH: {
        Persona.PLAIN: "你说话平静、直接。",
        Persona.ANXIOUS: "你有些担心，语气里听得出来。",
        Persona.TERSE: "你话很少。",
        Persona.TALKATIVE: "你爱聊天，语气随和。",
        Persona.FORGETFUL: "你有点健忘，回答前会犹豫一下。",
    },
}
_BEFORE = {
    Language.EN: '\n\nJust before this the doctor asked: "{question}"\nYou answered: "{reply}"',
    Language.ZH: "\n\n在这之前医生问：“{question}”\n你回答：“{reply}”",
}
_KNOWN = {
    Language.EN: "What is known about this:",
    Language.ZH: "关于这个问题，知道的情况：",
}
_NOTHING = {
    Language.EN: "Nothing is recorded about this. Say no, that it was not done, or that you do not know, whichever"
    " fits the question.",
    Language.ZH: "关于这个问题没有任何记录。请看问的是什么，回答没有、没做过或者不知道。",
}


def patient_slots(selection: Selection) -> dict[str, str]:
    """All slots of the prompt."""
    case, language, before = selection.case, selection.case.language, selection.before
    return {
        "who": _who(case),
        "manner": _MANNER[language][case.persona],
        "complaint": case.complaint,
        "before": _BEFORE[language].format(question=before.question, reply=before.reply) if before else "",
        "question": selection.question,
        "knowledge": _knowledge(selection),
        "about": _about(case),
    }


def _knowledge(selection: Selection) -> str:
    language, known = selection.case.language, notes(selection)
    if not known:
        return _NOTHING[language]
    return "\n".join((_KNOWN[language], *(_line(note, language) for note in known)))


def _line(note: Note, language: Language) -> str:
    if language is Language.EN:
        asked = f" (asked: {'; '.join(note.asked)})" if note.asked else ""
        return f"- {note.name}{asked}: {note.told}"
    asked = f"（问的是：{'；'.join(note.asked)}）" if note.asked else ""
    return f"- {note.name}{asked}：{note.told}"


def _who(case: Case) -> str:
    kin = label(case.speaker, case.language)
    if case.language is Language.EN:
        someone = (
            f"a patient, {case.age} old" if case.sex is Sex.UNKNOWN else f"a patient ({case.sex.value}, {case.age} old)"
        )
        return someone if case.speaker is Speaker.PATIENT else f"the {kin} of {someone}, and speak for the patient"
    someone = (
        f"一位{case.age}的{label(case.sex, case.language)}性患者"
        if case.sex is not Sex.UNKNOWN
        else f"一位{case.age}的患者"
    )
    return someone if case.speaker is Speaker.PATIENT else f"{someone}的{kin}，替患者说话"


def _about(case: Case) -> str:
    if case.speaker is Speaker.PATIENT:
        return ""
    he = {Sex.FEMALE: "she", Sex.MALE: "he"}.get(case.sex, "they")
    return (
        f' where it is about you, and with "{he}" for the patient'
        if case.language is Language.EN
        else f"（说到患者时用“{'她' if case.sex is Sex.FEMALE else '他'}”）"
    )
