"""Fill the prompt templates of doctor and patient.

The patient's include what it knows about the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from osler.agents.messages import Briefing, Case, Selection
from osler.agents.rules.stated import EarlierFact, touches
from osler.language import Language, Speaker
from osler.language.words import join_sentences
from osler.locale import label
from osler.prompts import phrases
from osler.records.schema import Category, Entry, Sex, Status
from osler.records.visits import PastExchange
from osler.runs.events import Maker, Telling

SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_LONGEST_CONVERSATION = 6000
"""Characters of the conversation that a patient is shown, the last of it."""
_DONE = frozenset({Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST})


def case_slots(case: Case) -> dict[str, object]:
    """Age, sex and complaint, which open every prompt about a case."""
    unknown = phrases("briefing", case.language)["sex_unknown"]
    sex = label(case.sex, case.language) if case.sex is not Sex.UNKNOWN else unknown
    return {"age": case.age, "sex": sex, "complaint": case.complaint}


def briefing_slots(briefing: Briefing) -> dict[str, object]:
    """Slots for the doctor: the case, the recall, the last exchange word for word."""
    case = briefing.case
    line = phrases("briefing", case.language)
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
    lines = [
        line["question"].format(question=briefing.question),
        line["reply"].format(reply=briefing.reply),
    ]
    if briefing.results:
        lines.append(line["results"].format(results=briefing.results))
    return "\n".join(lines)


def patient_slots(selection: Selection) -> dict[str, str]:
    """Slots for the patient's model: who it is, the talk so far, the question, what is known."""
    case = selection.case
    return {
        **speaker_slots(case),
        "manner": _manner(case),
        "person": person_text(selection),
        "conversation": conversation_text(selection),
        "question": selection.question,
        "knowledge": _knowledge(selection),
    }


def speaker_slots(case: Case) -> dict[str, str]:
    """Slots of every patient's prompt: who speaks, about whom, and the words they came with."""
    line = phrases("patient_lines", case.language)
    sex = label(case.sex, case.language)
    patient_line = line["patient_unknown" if case.sex is Sex.UNKNOWN else "patient"]
    who = patient_line.format(age=case.age, sex=sex)
    about = ""
    if case.speaker is not Speaker.PATIENT:
        who = line["relative"].format(relative=label(case.speaker, case.language), patient=who)
        about = line[f"about_{case.sex}"]
    return {"who": who, "complaint": case.complaint, "about": about}


def _manner(case: Case) -> str:
    """Return how the patient talks: as the run sets it, or else as the record has it."""
    sentences: list[str] = []
    if case.factors is None:
        sentences.append(phrases("patient_lines", case.language)[case.persona])
    else:
        line = phrases("personas", case.language)
        sentences += filter(None, (line[f"{name}_{value}"] for name, value in case.factors))
    if case.patient_bias:
        sentences.append(phrases("biases", case.language)[f"patient_{case.patient_bias}"])
    return join_sentences(sentences, case.language)


def person_text(selection: Selection) -> str:
    """Return what the patient knows of their own life; empty if the record has no sheet."""
    if selection.person is None:
        return ""
    line = phrases("person", selection.case.language)
    note = phrases("patient_lines", selection.case.language)["note"]
    rows = [
        note.format(name=line[name], told=text) for name, text in selection.person.lines.items()
    ]
    is_patient = selection.case.speaker is Speaker.PATIENT
    heading = line["about_you" if is_patient else "about_patient"]
    return "\n".join(["", "", heading, *rows])


def conversation_text(selection: Selection) -> str:
    """Return what has been said so far, as much of its end as there is room for."""
    line = phrases("patient_lines", selection.case.language)
    exchanges: list[str] = []
    room = _LONGEST_CONVERSATION
    for exchange in reversed(selection.conversation):
        question = line["asked_before"].format(question=exchange.question)
        reply = line["answered_before"].format(reply=exchange.reply)
        room -= len(question) + len(reply)
        if room < 0:
            break
        exchanges.append(f"{question}\n{reply}")
    if not exchanges:
        return ""
    return "\n".join(["", "", line["conversation"], *reversed(exchanges)])


def _knowledge(selection: Selection) -> str:
    """Return what the patient knows about the question, and what it may confirm or deny."""
    language = selection.case.language
    line = phrases("patient_lines", language)
    note_lines = []
    for name, text, things in notes(selection):
        template = line["asked_note" if things else "note"]
        note_lines.append(
            template.format(name=name, asked=SEMICOLON[language].join(things), told=text)
        )
    blocks = []
    if note_lines:
        blocks.append("\n".join((line["known"], *note_lines)))
    earlier = stated_earlier(selection)
    if earlier:
        blocks.append("\n".join(earlier))
    if blocks:
        return "\n\n".join(blocks)
    # A model that reads the question says whether anything was asked; rules cannot.
    return line["nothing" if selection.maker is Maker.RULES else "nothing_asked"]


def stated_earlier(selection: Selection) -> list[str]:
    """Return the lines of what the patient may confirm or deny from earlier visits.

    That is what the question has something of. A question that only asks for it brings nothing to
    confirm: then the patient is not shown what it must not tell.
    """
    case = selection.case
    line = phrases("patient_lines", case.language)
    fact_lines = []
    for fact in _touched(selection):
        if isinstance(fact, PastExchange):
            fact_lines.append(f"- [{fact.date}] {past_text(fact, case.language, case.speaker)}")
        else:
            fact_lines.append(line["note"].format(name=fact.name, told=entry_text(fact, selection)))
    if not fact_lines:
        return []
    heading = line["known_earlier"].format(today=case.today)
    return [heading, *fact_lines, line["only_if_stated"]]


def _touched(selection: Selection) -> tuple[EarlierFact, ...]:
    """Return the facts of earlier visits that the question has something of."""
    question, language = selection.question, selection.case.language
    facts: list[EarlierFact] = []
    facts += [entry for entry in selection.entries if entry.name in selection.earlier]
    facts += selection.past
    since = _asked_since(selection)
    return tuple(fact for fact in facts if _key(fact) in since or touches(question, fact, language))


def _asked_since(selection: Selection) -> set[str | int]:
    """Return the keys of the facts of which the doctor asks what has changed since."""
    keys: set[str | int] = set()
    for thing in selection.things:
        if thing.since:
            keys.update(thing.entries)
            keys.update(thing.past)
    return keys


def _key(fact: EarlierFact) -> str | int:
    return fact.number if isinstance(fact, PastExchange) else fact.name


def past_text(exchange: PastExchange, language: Language, you: Speaker | None = None) -> str:
    """Return an exchange of an earlier visit in one line; `you` names who reads it."""
    line = phrases("visits", language)
    who = line["relative"].format(relative=label(exchange.speaker, language))
    if exchange.speaker is you:
        who = line["you"]
    elif exchange.speaker is Speaker.PATIENT:
        who = line["patient"]
    if not exchange.question:  # how the visit ended
        return line["treatment"].format(told=exchange.results)
    parts = [
        line["asked"].format(question=exchange.question),
        line["answered"].format(who=who, reply=exchange.reply),
    ]
    if exchange.results:
        results = exchange.results.replace("\n", SEMICOLON[language])
        parts.append(line["reported"].format(results=results))
    return join_sentences(parts, language)


class Note(NamedTuple):
    """What the patient knows about one thing that was asked for."""

    name: str
    """The entry's name, or the name of the thing that was asked for if no entry is about it."""
    told: str
    asked: tuple[str, ...] = ()
    """Things that were asked for and that this entry covers, if they have other names."""


def notes(selection: Selection) -> tuple[Note, ...]:
    """Return what is known about what was asked for, each line once.

    Empty if nothing in particular was asked for.
    """
    phrase = phrases("notes", selection.case.language)
    touched = _touched(selection)
    told_now: list[Note] = []
    told_before: list[str] = []
    for entry in selection.entries:
        if entry in touched:
            continue
        names = tuple(
            thing.name
            for thing in selection.things
            if entry.name in thing.entries and thing.name != entry.name
        )
        telling = selection.tellings.get(entry.name, Telling.PLAIN)
        if entry.name in selection.earlier:
            told_before.append(_name_in_question(names, selection))
        elif telling.is_hidden:
            # In the words of the question: the entry's name would say too much.
            name = SEMICOLON[selection.case.language].join(names) or phrase["earlier_name"]
            told_now.append(Note(name, phrase[f"telling_{telling}"]))
        else:
            text = entry_text(entry, selection)
            if telling is not Telling.PLAIN:
                text = phrase[f"telling_{telling}"].format(told=text)
            told_now.append(Note(entry.name, text, names))
    told_before += _names_of_past(selection, touched)
    unnamed = phrase["earlier_rest" if told_now else "earlier_name"]
    known_before = [Note(name or unnamed, phrase["told_earlier"]) for name in told_before]
    return tuple(
        dict.fromkeys(
            (*told_now, *_told_again(selection), *known_before, *_beside_entries(selection))
        )
    )


def _told_again(selection: Selection) -> list[Note]:
    """Return the exchanges of earlier visits that the patient tells once more."""
    language, speaker = selection.case.language, selection.case.speaker
    return [
        Note(str(exchange.date), past_text(exchange, language, speaker))
        for exchange in selection.past_again
    ]


def _beside_entries(selection: Selection) -> list[Note]:
    """Return the things that no entry tells: what entries imply, and what nothing tells."""
    phrase = phrases("notes", selection.case.language)
    rows = []
    for thing in selection.things:
        if thing.implied:
            rows.append(Note(thing.name, phrase[f"implied_{thing.implied}"]))
        elif thing.unrecorded:
            rows.append(Note(thing.name, phrase[f"unrecorded_{thing.unrecorded}"]))
        elif thing.person and not thing.entries:
            rows.append(Note(thing.name, phrase["person"]))
    return rows


def _name_in_question(names: Sequence[str], selection: Selection) -> str:
    """Return what to call an entry that was told at an earlier visit.

    In the words of the question: the name of the entry would say too much ("Penicillin allergy").
    Of a thing of which another entry tells something now, it is the rest, which has no name.
    """
    told_earlier = set(selection.earlier)
    answered = {
        thing.name for thing in selection.things if not told_earlier.issuperset(thing.entries)
    }
    unanswered = [name for name in names if name not in answered]
    return SEMICOLON[selection.case.language].join(unanswered)


def _names_of_past(selection: Selection, touched: Sequence[EarlierFact]) -> list[str]:
    """Return the things that only exchanges of earlier visits are about; one is "" if unnamed."""
    numbers = {exchange.number for exchange in selection.past if exchange not in touched}
    if not numbers:
        return []
    names = [
        thing.name
        for thing in selection.things
        if numbers.intersection(thing.past) and not thing.entries
    ]
    return names or [""]


def entry_text(entry: Entry, selection: Selection) -> str:
    """Return what an entry says, with its time."""
    phrase = phrases("notes", selection.case.language)
    if entry.name in selection.reported:
        return phrase["handed_over"]
    text = entry.report
    if text and entry.status is Status.NORMAL:
        text = phrase["normal_report"].format(report=text)
    elif not text and entry.status is Status.PRESENT and entry.category in _DONE:
        text = phrase["no_report"]
    elif not text:
        text = phrase[entry.status]
    return phrase["when"].format(told=text, when=entry.when) if entry.when else text
