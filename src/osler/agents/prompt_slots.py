"""Fill the doctor's and patient's prompt templates, including what the patient knows about the question."""

from __future__ import annotations

from typing import NamedTuple

from osler.agents.messages import Briefing, Case, Selection
from osler.agents.rules.stated import EarlierFact, touches
from osler.language import Language, Speaker
from osler.locale import label
from osler.prompts import phrases
from osler.records.schema import Category, Entry, Sex, Status
from osler.records.visits import PastExchange

SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_DONE = frozenset({Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST})


def case_slots(case: Case) -> dict[str, object]:
    """Age, sex and complaint, which open every prompt about a case."""
    unknown = phrases("briefing", case.language)["sex_unknown"]
    sex = label(case.sex, case.language) if case.sex is not Sex.UNKNOWN else unknown
    return {"age": case.age, "sex": sex, "complaint": case.complaint}


def briefing_slots(briefing: Briefing) -> dict[str, object]:
    """Slots for the doctor: the case, the recall, the last exchange word for word."""
    case, line = briefing.case, phrases("briefing", briefing.case.language)
    speaker = line["patient_answers"]
    if case.speaker is not Speaker.PATIENT:
        speaker = line["relative_answers"].format(relative=label(case.speaker, case.language))
    if case.visited:
        dates = SEMICOLON[case.language].join(map(str, case.visited))
        speaker += line["been_here"].format(today=case.today, dates=dates)
    return {
        **case_slots(case),
        "speaker": speaker,
        "recall": briefing.recall.text or line["no_recall"],
        "lessons": f"\n\n{briefing.lessons.text}" if briefing.lessons.text else "",
        "exchange": _last_exchange(briefing),
    }


def _last_exchange(briefing: Briefing) -> str:
    line = phrases("briefing", briefing.case.language)
    if not briefing.question:
        return line["nothing_asked"] if briefing.turn == 1 else line["said_nothing"]
    lines = [line["question"].format(question=briefing.question), line["reply"].format(reply=briefing.reply)]
    return "\n".join([*lines, line["results"].format(results=briefing.results)] if briefing.results else lines)


def patient_slots(selection: Selection) -> dict[str, str]:
    """Slots for the patient's model: who it is, the exchange before, the question, and what is known about it."""
    case, before, line = selection.case, selection.before, phrases("patient_lines", selection.case.language)
    sex = label(case.sex, case.language)
    who = line["patient_unknown" if case.sex is Sex.UNKNOWN else "patient"].format(age=case.age, sex=sex)
    about, earlier = "", ""
    if case.speaker is not Speaker.PATIENT:
        who = line["relative"].format(relative=label(case.speaker, case.language), patient=who)
        about = line[f"about_{case.sex}"]
    if before:
        asked = line["asked_before"].format(question=before.question)
        earlier = f"\n\n{asked}\n{line['answered_before'].format(reply=before.reply)}"
    return {
        "who": who,
        "manner": line[case.persona],
        "complaint": case.complaint,
        "before": earlier,
        "question": selection.question,
        "knowledge": _knowledge(selection),
        "about": about,
    }


def _knowledge(selection: Selection) -> str:
    line, joint = phrases("patient_lines", selection.case.language), SEMICOLON[selection.case.language]
    known = [
        line["asked_note" if asked else "note"].format(name=name, asked=joint.join(asked), told=told)
        for name, told, asked in notes(selection)
    ]
    blocks = ["\n".join((line["known"], *known))] if known else []
    blocks += ["\n".join(earlier)] if (earlier := stated_earlier(selection)) else []
    return "\n\n".join(blocks) or line["nothing"]


def stated_earlier(selection: Selection) -> list[str]:
    """Lines of what was told at earlier visits and the question has something of, for the patient to confirm or deny.

    A question that only asks for it brings nothing to confirm: then the patient is not shown what it must not tell.
    """
    case, touched = selection.case, _touched(selection)
    line = phrases("patient_lines", case.language)
    found = [
        f"- [{one.date}] {past_text(one, case.language, case.speaker)}"
        if isinstance(one, PastExchange)
        else line["note"].format(name=one.name, told=_told(one, selection))
        for one in touched
    ]
    return [line["known_earlier"].format(today=case.today), *found, line["only_if_stated"]] if found else []


def _touched(selection: Selection) -> tuple[EarlierFact, ...]:
    told: list[EarlierFact] = [entry for entry in selection.entries if entry.name in selection.earlier]
    told += selection.past
    question, language = selection.question, selection.case.language
    return tuple(one for one in told if touches(question, one, language))


def past_text(one: PastExchange, language: Language, you: Speaker | None = None) -> str:
    """Return an exchange of an earlier visit in one line; `you` names who reads it."""
    line = phrases("visits", language)
    who = line["relative"].format(relative=label(one.speaker, language))
    if one.speaker in (you, Speaker.PATIENT):
        who = line["you" if one.speaker is you else "patient"]
    if not one.question:
        return line["treatment"].format(told=one.results)
    parts = [line["asked"].format(question=one.question), line["answered"].format(who=who, reply=one.reply)]
    parts += [line["reported"].format(results=one.results.replace("\n", SEMICOLON[language]))] if one.results else []
    return (" " if language is Language.EN else "").join(parts)


class Note(NamedTuple):
    """What the patient knows about one thing that was asked for."""

    name: str
    """The entry's name, or the name of the thing that was asked for if no entry is about it."""
    told: str
    asked: tuple[str, ...] = ()
    """Things that were asked for and that this entry covers, if they have other names."""


def notes(selection: Selection) -> tuple[Note, ...]:
    """Return what is known about what was asked for, each line once; empty if nothing in particular was asked for."""
    said = phrases("notes", selection.case.language)

    def asked(entry: Entry) -> tuple[str, ...]:
        return tuple(one.name for one in selection.things if entry.name in one.entries and one.name != entry.name)

    told, past, touched = [], [], _touched(selection)
    answered = {one.name for one in selection.things if not set(one.entries) <= set(selection.earlier)}
    for entry in selection.entries:
        if entry in touched:
            continue
        if entry.name in selection.earlier:
            # In the words of the question: the name of the entry would say too much ("Penicillin allergy"). Of a thing
            # of which another entry tells something now, it is the rest.
            past.append(SEMICOLON[selection.case.language].join(name for name in asked(entry) if name not in answered))
        else:
            told.append(Note(entry.name, _told(entry, selection), asked(entry)))
    if numbers := {one.number for one in selection.past if one not in touched}:
        names = [one.name for one in selection.things if numbers.intersection(one.past) and not one.entries]
        past += names or [""]
    unnamed = said["earlier_rest" if told else "earlier_name"]
    known_before = (Note(name or unnamed, said["told_earlier"]) for name in past)
    missing = (Note(one.name, said[f"unrecorded_{one.unrecorded}"]) for one in selection.things if one.unrecorded)
    return tuple(dict.fromkeys((*told, *known_before, *missing)))


def _told(entry: Entry, selection: Selection) -> str:
    said, told = phrases("notes", selection.case.language), entry.report
    if entry.name in selection.reported:
        return said["handed_over"]
    if told and entry.status is Status.NORMAL:
        told = said["normal_report"].format(report=told)
    elif not told and entry.status is Status.PRESENT and entry.category in _DONE:
        told = said["no_report"]
    elif not told:
        told = said[entry.status]
    return said["when"].format(told=told, when=entry.when) if entry.when else told
