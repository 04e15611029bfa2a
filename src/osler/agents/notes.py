"""What a patient knows of what was asked: for the prompt of a model, and for a person in its place."""

from __future__ import annotations

from typing import NamedTuple

from osler.agents.messages import Selection
from osler.language import Language
from osler.records.schema import Category, Entry, Status
from osler.runs.events import Unrecorded

_STATES = {
    Language.EN: {
        Status.ABSENT: "no.",
        Status.NORMAL: "done, and normal.",
        Status.NOT_DONE: "not done.",
    },
    Language.ZH: {Status.ABSENT: "没有。", Status.NORMAL: "做过，是正常的。", Status.NOT_DONE: "没有做过。"},
}
"""What is told of an entry that has no report: a report says it in its own words."""
_NORMAL = {Language.EN: "{report} (normal)", Language.ZH: "{report}（正常）"}
_BARE = {Language.EN: "yes.", Language.ZH: "有。"}
_NO_REPORT = {
    Language.EN: "done, but the report is not at hand.",
    Language.ZH: "做过，但报告不在手上。",
}
_ON_PAPER = {
    Language.EN: "the doctor has just been handed the report, and need not be told what it says.",
    Language.ZH: "报告刚刚已经交给医生了，不用再说结果。",
}
_UNRECORDED = {
    Language.EN: {
        Unrecorded.DENIED: "no.",
        Unrecorded.NOT_DONE: "not done or looked at.",
        Unrecorded.UNKNOWN: "not known.",
    },
    Language.ZH: {
        Unrecorded.DENIED: "没有。",
        Unrecorded.NOT_DONE: "没有做过，也没有看过。",
        Unrecorded.UNKNOWN: "不知道。",
    },
}
_DONE = frozenset({Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST})


class Note(NamedTuple):
    """One line of what is known."""

    name: str
    """The entry's, or that of the thing that was asked for where no entry tells of it."""
    told: str
    asked: tuple[str, ...] = ()
    """The things that were asked for and that this entry tells of, where they have other names."""


def notes(selection: Selection) -> tuple[Note, ...]:
    """What is known of what was asked for, each line once; nothing where nobody knows what was asked for."""
    entries = tuple(_note(entry, selection)._replace(asked=_asked(entry, selection)) for entry in selection.entries)
    said = _UNRECORDED[selection.case.language]
    missing = (Note(one.name, said[one.unrecorded]) for one in selection.things if one.unrecorded is not None)
    return tuple(dict.fromkeys((*entries, *missing)))


def _asked(entry: Entry, selection: Selection) -> tuple[str, ...]:
    return tuple(one.name for one in selection.things if entry.name in one.entries and one.name != entry.name)


def _note(entry: Entry, selection: Selection) -> Note:
    language = selection.case.language
    if entry.name in selection.reported:
        return Note(entry.name, _ON_PAPER[language])
    told = entry.report
    if told and entry.status is Status.NORMAL:
        told = _NORMAL[language].format(report=told)
    elif not told and entry.status is Status.PRESENT:
        told = (_NO_REPORT if entry.category in _DONE else _BARE)[language]
    elif not told:
        told = _STATES[language][entry.status]
    if entry.when:
        told += f" (that was {entry.when})" if language is Language.EN else f"（{entry.when}）"
    return Note(entry.name, told)
