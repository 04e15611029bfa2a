"""The words around a case that fill a prompt's slots, in each language."""

from __future__ import annotations

from osler.agents.participant import Briefing, Case, Selection
from osler.records.labels import label
from osler.records.language import Language
from osler.records.schema import Category, Entry, Persona, Sex, Speaker, Status

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
_STATUS = {
    Language.EN: {
        Status.PRESENT: "{name}: {report}",
        Status.ABSENT: "{name}: no, you do not have this. {report}",
        Status.NORMAL: "{name}: it was done and was normal. {report}",
        Status.NOT_DONE: "{name}: this has never been done.",
    },
    Language.ZH: {
        Status.PRESENT: "{name}：{report}",
        Status.ABSENT: "{name}：没有。{report}",
        Status.NORMAL: "{name}：做过，是正常的。{report}",
        Status.NOT_DONE: "{name}：没有做过。",
    },
}
_DONE = {Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST}


def patient_slots(selection: Selection) -> dict[str, str]:
    """Who speaks, how, and all that is known for this answer."""
    case = selection.case
    english = case.language is Language.EN
    if selection.entries:
        intro = (
            "What you know about this, from your own body and from the papers you were given:"
            if english
            else "关于这件事，你自己的感受和拿到的单子上写的是："
        )
        knowledge = "\n".join((intro, *(f"- {_line(entry, case.language)}" for entry in selection.entries)))
    else:
        knowledge = (
            "You know nothing about this: you have not noticed it, or it was never examined. Say so in your own words."
            if english
            else "关于这件事你什么都不知道：没有留意过，或者没有检查过。请用自己的话这样说。"
        )
    return {
        "who": _who(case),
        "manner": _MANNER[case.language][case.persona],
        "question": selection.question,
        "knowledge": knowledge,
        "about": _about(case),
    }


def briefing_slots(briefing: Briefing) -> dict[str, object]:
    """What the doctor sees: the case, the recall, the last exchange word for word."""
    case = briefing.case
    nothing = "(nothing)" if case.language is Language.EN else "（没有）"
    unknown = "sex not known" if case.language is Language.EN else "性别不详"
    return {
        "age": case.age,
        "sex": label(case.sex, case.language) if case.sex is not Sex.UNKNOWN else unknown,
        "complaint": case.complaint,
        "speaker": _speaker(case),
        "recall": briefing.recall or nothing,
        "exchange": _exchange(briefing),
    }


def _exchange(briefing: Briefing) -> str:
    """What was said last, and what the doctor was handed with it."""
    english = briefing.case.language is Language.EN
    if not briefing.question:
        if briefing.turn == 1:
            return "Nothing has been asked yet." if english else "你还没有问过问题。"
        return (
            "In your last turn you said nothing, so nobody answered."
            if english
            else "上一轮你什么也没说，所以没有人回答。"
        )
    asked, told, report = (
        ("Your last question: ", "The reply: ", "Reports that you were handed: ")
        if english
        else ("你上一次问：", "对方回答：", "交到你手上的报告：")
    )
    lines = [asked + briefing.question, told + briefing.reply]
    return "\n".join([*lines, report + briefing.results] if briefing.results else lines)


def _line(entry: Entry, language: Language) -> str:
    report = entry.report
    if entry.status is Status.PRESENT and not report and entry.category in _DONE:
        report = (
            "it was done, but you do not have the report." if language is Language.EN else "做过，但报告不在你手上。"
        )
    text = _STATUS[language][entry.status].format(name=entry.name, report=report).strip()
    if entry.when:
        when = f"(that was {entry.when})" if language is Language.EN else f"（{entry.when}）"
        text = f"{text} {when}"
    return text


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


def _speaker(case: Case) -> str:
    if case.speaker is Speaker.PATIENT:
        return "The patient answers." if case.language is Language.EN else "由患者本人回答。"
    kin = label(case.speaker, case.language)
    return f"The patient's {kin} answers." if case.language is Language.EN else f"由患者的{kin}代为回答。"
