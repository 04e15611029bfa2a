"""What a patient knows of what was asked, thing by thing: for the prompt of a model, and for a person in its place."""

from __future__ import annotations

from typing import NamedTuple

from osler.agents.participant import Selection
from osler.events import Thing, Unrecorded
from osler.records.language import Language
from osler.records.schema import Category, Entry, Status

_TOLD = {
    Language.EN: {
        Status.PRESENT: "{report}",
        Status.ABSENT: "no, you do not have this. {report}",
        Status.NORMAL: "it was done and was normal. {report}",
        Status.NOT_DONE: "this has never been done. {report}",
    },
    Language.ZH: {
        Status.PRESENT: "{report}",
        Status.ABSENT: "没有。{report}",
        Status.NORMAL: "做过，是正常的。{report}",
        Status.NOT_DONE: "没有做过。{report}",
    },
}
_BARE = {Language.EN: "yes, this is so.", Language.ZH: "有。"}
_NO_REPORT = {
    Language.EN: "it was done, but you do not have the report.",
    Language.ZH: "做过，但报告不在你手上。",
}
_ON_PAPER = {
    Language.EN: "the doctor has just been handed the report of this; you need not tell what it says.",
    Language.ZH: "报告刚刚已经交给医生了，你不用说结果。",
}
_UNRECORDED = {
    Language.EN: {
        Unrecorded.DENIED: "you have not had or noticed this.",
        Unrecorded.NOT_DONE: "this was never done.",
        Unrecorded.UNKNOWN: "you do not know.",
    },
    Language.ZH: {
        Unrecorded.DENIED: "你没有这种情况，也没留意到过。",
        Unrecorded.NOT_DONE: "从来没有做过。",
        Unrecorded.UNKNOWN: "你不知道。",
    },
}
_DONE = frozenset({Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST})


class Note(NamedTuple):
    """One line of what is known."""

    name: str
    """The entry's, or that of the thing where no entry tells of it."""
    told: str


class About(NamedTuple):
    """One thing that was asked for."""

    thing: str
    """Empty where the question was not taken apart."""
    notes: tuple[Note, ...]


def notes(selection: Selection) -> tuple[About, ...]:
    """All that was asked for with what is known of it; nothing where nobody knows what was asked for."""
    entries = {entry.name: entry for entry in selection.entries}
    if selection.things:
        return tuple(About(thing.name, _of(thing, entries, selection)) for thing in selection.things)
    listed = tuple(_note(entry, selection) for entry in selection.entries)
    return (About("", listed),) if listed else ()


def listed(selection: Selection) -> tuple[Note, ...]:
    """The same in one list, each line once: what a person in the patient's chair is shown."""
    return tuple(dict.fromkeys(note for about in notes(selection) for note in about.notes))


def _of(thing: Thing, entries: dict[str, Entry], selection: Selection) -> tuple[Note, ...]:
    known = tuple(_note(entries[name], selection) for name in thing.entries if name in entries)
    why = thing.unrecorded or Unrecorded.UNKNOWN
    return known or (Note(thing.name, _UNRECORDED[selection.case.language][why]),)


def _note(entry: Entry, selection: Selection) -> Note:
    language = selection.case.language
    if entry.name in selection.reported:
        return Note(entry.name, _ON_PAPER[language])
    report = entry.report
    if entry.status is Status.PRESENT and not report:
        report = (_NO_REPORT if entry.category in _DONE else _BARE)[language]
    told = _TOLD[language][entry.status].format(report=report).strip()
    if entry.when:
        told += f" (that was {entry.when})" if language is Language.EN else f"（{entry.when}）"
    return Note(entry.name, told)
