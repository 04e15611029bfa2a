"""A consultation as scenes, one per turn: what is said, when, and what happened behind it; and as pages of text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from osler.errors import printable
from osler.language import Language
from osler.locale import label, load_texts
from osler.memory.base import Change, Recall
from osler.memory.recall_text import recall_rows
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    Event,
    Failed,
    Intervened,
    Learned,
    LessonsRecalled,
    Recalled,
    Remembered,
    Retrieved,
    Visited,
)
from osler.runs.lessons import Lesson
from osler.runs.makers import making_lines, mark
from osler.runs.transcript import Header, Transcript, heard

_SHORTEST, _PER_LETTER, _READING, _LONGEST = 0.5, 0.018, 2.5, 4.0
"""Playback timing in seconds: minimum per line, per Latin letter, maximum reading time, maximum wait."""
_RECALLED = 12
_LONGEST_LINE = 4000
_STYLES = {"doctor": "cyan", "patient": "green", "report": "magenta", "ending": "bold"}


LineKind = Literal["doctor", "patient", "report", "ending"]
"""Whose line it is; a report is one that was given to the doctor."""


@dataclass(frozen=True)
class Line:
    """Something that is said."""

    kind: LineKind
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


def shown(text: str) -> str:
    """A text of a model or a record as one line for a terminal, without control characters and of limited length."""
    line = printable(text[: 2 * _LONGEST_LINE])
    if max(len(line), len(text) // 2) > _LONGEST_LINE:
        return f"{line[:_LONGEST_LINE]}… ({len(text):,} characters)"
    return line


def scenes(transcript: Transcript) -> tuple[Scene, ...]:
    """All turns, the last one with the ending."""
    header = transcript.header
    by_turn: dict[int, list[Event]] = defaultdict(list)
    remembered = {event.of: event for event in transcript.of(Remembered)}
    for event in transcript.events:
        by_turn[event.turn].append(event)
    made = []
    for turn, events in sorted(by_turn.items()):
        lines = tuple(line for event in events for line in _lines(event, header))
        panel = tuple(one for one in _panel(events, remembered.get(turn), lines, header.language) if one.rows)
        if lines or panel:
            made.append(Scene(turn, lines, panel))
    return tuple(_paced(made))


def _lines(event: Event, header: Header) -> Iterator[Line]:
    labels = load_texts(header.language, "replay")
    match event:
        case Recalled(turn=1):
            yield Line("patient", labels["patient"], shown(event.query), event.at)
        case Visited(told=past):
            day = f"{past.at:%Y-%m-%d} " if past.at else ""
            who = label(past.speaker, header.language) if past.speaker else labels["patient"]
            yield Line("doctor", day + labels["doctor"], shown(past.question), event.at)
            yield Line("patient", who, shown(past.reply), event.at)
            for text in past.results.splitlines():
                yield Line("report", labels["report"], shown(text), event.at)
        case Asked():
            by = mark(event.maker, header.backbone, header.language)
            yield Line("doctor", labels["doctor"] + by, shown(heard(event, header.language)), event.at)
        case Answered():
            by = mark(event.maker, header.patient_backbone, header.language)
            yield Line("patient", labels["patient"] + by, shown(event.reply), event.at)
        case Concluded():
            told = {name: getattr(event, name) for name in ("diagnosis", "treatment", "differential", "reasoning")}
            told["differential"] = labels["joint"].join(event.differential)
            for name, text in told.items():
                if text:
                    yield Line("ending", labels[name], shown(text), event.at)
        case Failed():
            yield Line("ending", labels["failed"], shown(event.message), event.at)
        case Retrieved():
            for text in event.results.splitlines():
                yield Line("report", labels["report"], shown(text), event.at)
        case _:
            pass


def _panel(
    events: Sequence[Event], remembered: Remembered | None, lines: Sequence[Line], language: Language
) -> Iterator[Section]:
    """Return what happened behind a turn; long sections come last, where they can be cut off."""
    labels = load_texts(language, "replay")
    asked = next((place for place, line in enumerate(lines, 1) if line.kind == "doctor"), len(lines))
    for event in events:
        if isinstance(event, Retrieved):
            if event.asked_for:
                yield Section(labels["asked_for"], (shown(", ".join(event.asked_for)),), asked)
            found = tuple(f"{shown(one.name)}  {one.score:.2f}" for one in event.entries)
            found += tuple(f"{shown(one.name)}: {one.unrecorded}" for one in event.things if one.unrecorded)
            yield Section(labels["retrieved"], found or (labels["nothing"],), asked)
        elif isinstance(event, Answered):
            yield Section(labels["disclosed"], tuple(map(shown, event.disclosed)), len(lines))
    if remembered is not None:
        yield Section(labels["remembered"], change_rows(remembered.change, language), len(lines))
    done = (row for event in events if isinstance(event, Intervened) for row in _intervention(event, language))
    yield Section(labels["interventions"], tuple(done))
    yield Section(labels["calls"], tuple(_call(event) for event in events if isinstance(event, Called)))
    for event in events:
        if isinstance(event, LessonsRecalled):
            yield Section(labels["lessons"], tuple(_lesson(one.lesson, one.fit) for one in event.recall.lessons))
        elif isinstance(event, Learned):
            rows = (*map(shown, event.told.splitlines()), *(_lesson(one) for one in event.lessons))
            yield Section(labels["learned"], (*rows, *([shown(event.failure)] if event.failure else [])))
        elif isinstance(event, Recalled):
            yield Section(labels["recalled"], recalled_rows(event.recall, language))


def _lesson(lesson: Lesson, fit: float | None = None) -> str:
    before = "" if fit is None else f"{fit:.2f}  "
    return f"{before}{shown(lesson.when)}: {shown(lesson.text)} ({lesson.case})"


def _call(event: Called) -> str:
    used = event.failure or f"{event.tokens_in} + {event.tokens_out} tokens"
    unread = f", {event.unread:,} characters unread" if event.unread else ""
    return f"{shown(event.model)}: {shown(used)}, {event.seconds:.1f} s{unread}"


def _intervention(event: Intervened, language: Language) -> Iterator[str]:
    role = load_texts(language, "replay")[f"role_{event.role}"]
    yield f"{role}: {load_texts(language, 'interventions')[event.kind]}"
    yield from (f"  {shown(text)}" for text in (event.draft, *event.reasons) if text)


def recalled_rows(recall: Recall, language: Language) -> tuple[str, ...]:
    """Rows of what was recalled, best first."""
    labels, rows = load_texts(language, "replay"), recall_rows(recall, language)
    lines = [f"{row.score:z.2f}  {shown(row.text)} ({labels['of_turn'].format(row.turn)})" for row in rows[:_RECALLED]]
    left = len(rows) - len(lines)
    return (*lines, *([labels["more"].format(left)] if left else []))


def change_rows(change: Change, language: Language) -> tuple[str, ...]:
    """Rows of what remembering a turn changed in the memory."""
    labels = load_texts(language, "replay")
    signs: Mapping[str, str] = {"superseded": "×", "merged": "&", "forgotten": "-", "refused": "!"}
    rows = [f"+ {shown(line)}" for line in change.inserted]
    rows += [f"{sign} {labels[name]}: {shown(line)}" for name, sign in signs.items() for line in getattr(change, name)]
    return (*rows, *([labels["group"].format(change.group)] if change.group is not None else []))


def _paced(made: list[Scene]) -> Iterator[Scene]:
    """Give every line a pause: as long as it took, within limits for reading and for waiting."""
    before = 0.0
    for scene in made:
        lines = []
        for line in scene.lines:
            letters = sum(1 if char.isascii() else 3 for char in line.text)
            reading = min(_READING, _SHORTEST + _PER_LETTER * letters)
            lines.append(replace(line, pause=min(_LONGEST, max(reading, line.at - before))))
            before = line.at
        yield replace(scene, lines=tuple(lines))


def transcript_page(
    transcript: Transcript, *, details: bool, faults: Mapping[int, Sequence[str]] | None = None, from_turn: int = 1
) -> Group:
    """The conversation, numbered by turn.

    Args:
        transcript: The consultation.
        details: Whether to show what happened behind every turn: retrieval, recall, memory, interventions.
        faults: What is wrong with replies, by turn.
        from_turn: The first turn that is shown; 1 shows earlier visits, too.
    """
    parts: list[RenderableType] = [title(transcript), Text()]
    for scene in scenes(transcript):
        if scene.turn < from_turn > 1:
            continue
        for line in scene.lines:
            number = f"{scene.turn:>2} " if line.kind == "doctor" and scene.turn > 0 else "   "
            parts.append(Text(number, style=_STYLES[line.kind]).append_text(line_text(line)))
        wrong = (faults or {}).get(scene.turn, ())
        parts += [Padding(Text(shown(fault), style="yellow"), (0, 0, 0, 6)) for fault in wrong]
        parts += [section_text(section, indent=6) for section in scene.panel] if details else []
    return Group(*parts, Text(f"\n{ending(transcript)}"))


def memory_page(transcript: Transcript) -> Group:
    """Per turn the question, what was recalled for it, and what its answer changed in the memory."""
    labels = load_texts(transcript.header.language, "replay")
    about_memory = {labels["recalled"], labels["remembered"]}
    parts: list[RenderableType] = [title(transcript)]
    for scene in scenes(transcript):
        questions = [line for line in scene.lines if line.kind == "doctor"]
        parts += [Text(f"\n{scene.turn:>2} ").append_text(line_text(line)) for line in questions]
        parts += [section_text(section, indent=3) for section in scene.panel if section.title in about_memory]
    return Group(*parts)


def title(transcript: Transcript) -> Text:
    """Say which consultation it is."""
    header = transcript.header
    return Text(shown(header.case), style="bold").append(f"  {shown(header.made_with)}", style="not bold")


def ending(transcript: Transcript) -> str:
    """Say how it ended, and who made what of it."""
    ended = f"{transcript.ending.value} after {transcript.turns} turn(s), {transcript.repeats} repeated"
    return "\n".join([ended, *making_lines(transcript)])


def line_text(line: Line) -> Text:
    """Something that is said."""
    return Text(f"{line.label}: ", style=_STYLES[line.kind]).append(line.text, style="not bold default")


def section_text(section: Section, indent: int = 0) -> Text:
    """A section of the side panel."""
    margin = " " * indent
    rows = "".join(f"\n{margin}  {row}" for row in section.rows)
    return Text(f"{margin}{section.title}", style="bold magenta").append(rows, style="not bold default")
