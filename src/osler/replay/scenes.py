"""A consultation as scenes to be played: per turn what is said, when, and what stands behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from osler.language import Language
from osler.memory.base import Change, Recall
from osler.memory.recall_text import recall_rows
from osler.replay.wording import Words, shown, words
from osler.runs.events import Answered, Asked, Concluded, Event, Failed, Intervened, Recalled, Remembered, Retrieved
from osler.runs.maker_words import mark
from osler.runs.transcript import Header, Transcript, heard

_SHORTEST, _PER_LETTER, _READING, _LONGEST = 0.5, 0.018, 2.5, 4.0
"""Seconds: of any line, per Latin letter, of reading at most, and of waiting at most, whatever a model took."""
_RECALLED = 12


class Speaker(StrEnum):
    """Whose line it is."""

    DOCTOR = "doctor"
    PATIENT = "patient"
    ENDING = "ending"


@dataclass(frozen=True)
class Line:
    """Something that is said."""

    speaker: Speaker
    label: str
    text: str
    at: float
    """When it was said, in seconds."""
    pause: float = 0.0
    """How long to wait before it, at the speed of 1."""


@dataclass(frozen=True)
class Section:
    """A part of the side panel, shown from one of the scene's lines on."""

    title: str
    rows: tuple[str, ...]
    from_line: int = 0


@dataclass(frozen=True)
class Scene:
    """One turn."""

    turn: int
    lines: tuple[Line, ...]
    panel: tuple[Section, ...]


def scenes(transcript: Transcript) -> tuple[Scene, ...]:
    """All turns, the last one with the ending."""
    header = transcript.header
    by_turn: dict[int, list[Event]] = defaultdict(list)
    kept = {event.of: event for event in transcript.of(Remembered)}
    for event in transcript.events:
        by_turn[event.turn].append(event)
    made = [_scene(turn, events, kept.get(turn), header) for turn, events in sorted(by_turn.items())]
    return tuple(_paced(made))


def _scene(turn: int, events: list[Event], kept: Remembered | None, header: Header) -> Scene:
    labels = words(header.language)
    lines = [line for event in events for line in _lines(event, labels, header)]
    asked = next((place for place, line in enumerate(lines, start=1) if line.speaker is Speaker.DOCTOR), len(lines))
    panel = [section for event in events for section in _sections(event, labels, header.language, asked, len(lines))]
    done = (row for event in events if isinstance(event, Intervened) for row in _intervention(event, labels))
    panel.append(Section(labels.interventions, tuple(done)))
    if kept is not None:
        panel.append(Section(labels.remembered, _changes(kept.change, labels), len(lines)))
    order = (
        *(labels.asked_for, labels.retrieved, labels.disclosed),
        *(labels.remembered, labels.interventions, labels.recalled),
    )
    panel.sort(key=lambda section: order.index(section.title))  # what is long comes last: there it can be cut off
    return Scene(turn, tuple(lines), tuple(section for section in panel if section.rows))


def _lines(event: Event, labels: Words, header: Header) -> Iterator[Line]:
    match event:
        case Recalled(turn=1):
            yield Line(Speaker.PATIENT, labels.patient, shown(event.query), event.at)
        case Asked():
            by = mark(event.maker, header.backbone, header.language)
            yield Line(Speaker.DOCTOR, labels.doctor + by, shown(heard(event, header.language)), event.at)
        case Answered():
            by = mark(event.maker, header.patient_backbone, header.language)
            yield Line(Speaker.PATIENT, labels.patient + by, shown(event.reply), event.at)
        case Concluded():
            told = (
                (labels.diagnosis, event.diagnosis),
                (labels.treatment, event.treatment),
                (labels.differential, labels.joint.join(event.differential)),
                (labels.reasoning, event.reasoning),
            )
            for label, text in told:
                if text:
                    yield Line(Speaker.ENDING, label, shown(text), event.at)
        case Failed():
            yield Line(Speaker.ENDING, labels.failed, shown(event.message), event.at)
        case Retrieved():
            for text in event.results.splitlines():
                yield Line(Speaker.PATIENT, labels.report, shown(text), event.at)
        case _:
            pass


def _sections(event: Event, labels: Words, language: Language, asked: int, told: int) -> Iterator[Section]:
    match event:
        case Recalled():
            yield Section(labels.recalled, _recalled(event.recall, labels, language))
        case Retrieved():
            if event.asked_for:
                yield Section(labels.asked_for, (shown(", ".join(event.asked_for)),), asked)
            found = tuple(f"{shown(one.name)}  {one.score:.2f}" for one in event.entries)
            found += tuple(f"{shown(one.name)}: {one.unrecorded}" for one in event.things if one.unrecorded)
            yield Section(labels.retrieved, found or (labels.nothing,), asked)
        case Answered():
            yield Section(labels.disclosed, tuple(shown(name) for name in event.disclosed), told)
        case _:
            pass


def _intervention(event: Intervened, labels: Words) -> Iterator[str]:
    yield f"{labels.seats[event.role]}: {labels.kinds[event.kind]}"
    for text in (event.draft, *event.reasons):
        if text:
            yield f"  {shown(text)}"


def _recalled(recall: Recall, labels: Words, language: Language) -> tuple[str, ...]:
    rows = recall_rows(recall, language)
    lines = [f"{row.score:z.2f}  {shown(row.text)} ({labels.of_turn.format(row.turn)})" for row in rows[:_RECALLED]]
    left = len(rows) - len(lines)
    return (*lines, *([labels.more.format(left)] if left else []))


def _changes(change: Change, labels: Words) -> tuple[str, ...]:
    marks = {
        "inserted": "+",
        "superseded": f"× {labels.superseded}:",
        "merged": f"& {labels.merged}:",
        "forgotten": f"- {labels.forgotten}:",
        "refused": f"! {labels.refused}:",
    }
    rows = [f"{mark} {shown(line)}" for name, mark in marks.items() for line in getattr(change, name)]
    group = [labels.group.format(change.group)] if change.group is not None else []
    return (*rows, *group)


def _paced(made: list[Scene]) -> Iterator[Scene]:
    """Every line waits as long as it took, but never longer than one likes to wait, nor shorter than one reads."""
    before = 0.0
    for scene in made:
        lines = []
        for line in scene.lines:
            letters = sum(1 if char.isascii() else 3 for char in line.text)
            reading = min(_READING, _SHORTEST + _PER_LETTER * letters)
            lines.append(replace(line, pause=min(_LONGEST, max(reading, line.at - before))))
            before = line.at
        yield replace(scene, lines=tuple(lines))
