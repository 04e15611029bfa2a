"""What a patient knows of what was asked: for the prompt of a model, and for a person in its place."""

from __future__ import annotations

from typing import NamedTuple

from osler.agents.participant import Selection
from osler.prompts import phrases
from osler.records.schema import Category, Entry, Status

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
    said = phrases("notes", selection.case.language)
    missing = (Note(one.name, said[f"unrecorded_{one.unrecorded}"]) for one in selection.things if one.unrecorded)
    return tuple(dict.fromkeys((*entries, *missing)))


def _asked(entry: Entry, selection: Selection) -> tuple[str, ...]:
    return tuple(one.name for one in selection.things if entry.name in one.entries and one.name != entry.name)


def _note(entry: Entry, selection: Selection) -> Note:
    said = phrases("notes", selection.case.language)
    if entry.name in selection.reported:
        return Note(entry.name, said["handed_over"])
    told = entry.report
    if told and entry.status is Status.NORMAL:
        told = said["normal_report"].format(report=told)
    elif not told and entry.status is Status.PRESENT and entry.category in _DONE:
        told = said["no_report"]
    elif not told:
        told = said[entry.status]
    if entry.when:
        told = said["when"].format(told=told, when=entry.when)
    return Note(entry.name, told)
