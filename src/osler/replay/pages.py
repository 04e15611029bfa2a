"""A consultation as scenes, one per turn, and as pages of text.

A scene has what is said, and what happened behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from osler.errors import printable
from osler.language import Language
from osler.locale import label, load_texts
from osler.memory.base import Change, Recall, Turn
from osler.memory.core.recall_text import recall_rows
from osler.runs.events import Called, Concluded, Intervened, Learned, Retrieved
from osler.runs.lessons import Lesson
from osler.runs.makers import making_lines, mark
from osler.runs.transcript import Header, Transcript
from osler.runs.turns import TurnView

_RECALLED = 12
"""Rows of a recall on a page."""
_LONGEST_LINE = 4000
"""Characters of one line on a page."""
_STYLES = {"doctor": "cyan", "patient": "green", "report": "magenta", "ending": "bold"}


LineKind = Literal["doctor", "patient", "report", "ending"]
"""Whose line it is; a report is one that was given to the doctor."""


@dataclass(frozen=True)
class Line:
    """Something that is said."""

    kind: LineKind
    label: str
    text: str


@dataclass(frozen=True)
class Section:
    """One kind of what happened behind a turn."""

    title: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """One turn."""

    turn: int
    lines: tuple[Line, ...]
    panel: tuple[Section, ...]


def shown(text: str) -> str:
    """A text of a model or a record as one line for a terminal.

    It has no control characters, and its length is limited.
    """
    line = printable(text[: 2 * _LONGEST_LINE])
    if max(len(line), len(text) // 2) > _LONGEST_LINE:
        return f"{line[:_LONGEST_LINE]}… ({len(text):,} characters)"
    return line


def scenes(transcript: Transcript) -> tuple[Scene, ...]:
    """All turns, the last one with the ending."""
    header = transcript.header
    all_scenes = []
    for turn in transcript.turn_views:
        lines = tuple(_lines(turn, header))
        panel = tuple(section for section in _panel(turn, header.language) if section.rows)
        if lines or panel:
            all_scenes.append(Scene(turn.number, lines, panel))
    return tuple(all_scenes)


def _lines(turn: TurnView, header: Header) -> Iterator[Line]:
    """What is said in a turn."""
    labels = load_texts(header.language, "replay")
    if turn.number == 1 and turn.recalls:
        yield Line("patient", labels["patient"], shown(turn.recalls[0].query))
    if turn.visited is not None:
        yield from _visit_lines(turn.visited.told, header.language)
    if turn.asked is not None:
        by = mark(turn.asked.maker, header.backbone, header.language)
        question = turn.shown_question(header.language)
        yield Line("doctor", labels["doctor"] + by, shown(question))
    if turn.retrieved is not None:
        for report in turn.retrieved.results.splitlines():
            yield Line("report", labels["report"], shown(report))
    if turn.answered is not None:
        by = mark(turn.answered.maker, header.patient_backbone, header.language)
        yield Line("patient", labels["patient"] + by, shown(turn.answered.reply))
    if turn.concluded is not None:
        yield from _conclusion_lines(turn.concluded, labels)
    if turn.failed is not None:
        yield Line("ending", labels["failed"], shown(turn.failed.message))


def _visit_lines(exchange: Turn, language: Language) -> Iterator[Line]:
    """What was said in an exchange of an earlier visit."""
    labels = load_texts(language, "replay")
    day = f"{exchange.at:%Y-%m-%d} " if exchange.at else ""
    speaker = label(exchange.speaker, language) if exchange.speaker else labels["patient"]
    yield Line("doctor", day + labels["doctor"], shown(exchange.question))
    yield Line("patient", speaker, shown(exchange.reply))
    for report in exchange.results.splitlines():
        yield Line("report", labels["report"], shown(report))


def _conclusion_lines(concluded: Concluded, labels: Mapping[str, str]) -> Iterator[Line]:
    texts = {
        "diagnosis": concluded.diagnosis,
        "treatment": concluded.treatment,
        "differential": labels["joint"].join(concluded.differential),
        "reasoning": concluded.reasoning,
    }
    for name, text in texts.items():
        if text:
            yield Line("ending", labels[name], shown(text))


def _panel(turn: TurnView, language: Language) -> Iterator[Section]:
    """What happened behind a turn; long sections come last."""
    labels = load_texts(language, "replay")
    if turn.retrieved is not None:
        if turn.asked_for:
            yield Section(labels["asked_for"], (shown(", ".join(turn.asked_for)),))
        yield Section(labels["retrieved"], _retrieved(turn.retrieved) or (labels["nothing"],))
    yield Section(labels["disclosed"], tuple(map(shown, turn.disclosed)))
    if turn.change is not None:
        yield Section(labels["remembered"], change_rows(turn.change, language))
    interventions: list[str] = []
    for event in turn.interventions:
        interventions += _intervention(event, language)
    yield Section(labels["interventions"], tuple(interventions))
    calls = [_call(numbered.call) for numbered in turn.calls]
    yield Section(labels["calls"], tuple(calls))
    for recalled in turn.recalls:
        yield Section(labels["recalled"], recalled_rows(recalled.recall, language))
    for lessons in turn.lessons:
        rows = [_lesson(fitting.lesson, fitting.fit) for fitting in lessons.recall.lessons]
        yield Section(labels["lessons"], tuple(rows))
    if turn.learned is not None:
        yield Section(labels["learned"], _learned(turn.learned))


def _retrieved(event: Retrieved) -> tuple[str, ...]:
    """The entries that were retrieved with their scores, then what the record says nothing of."""
    rows = [f"{shown(entry.name)}  {entry.score:.2f}" for entry in event.entries]
    for thing in event.things:
        if thing.implied:
            names = shown(", ".join(thing.implied_by))
            rows.append(f"{shown(thing.name)}: {thing.implied} (implied by {names})")
    for thing in event.things:
        if thing.unrecorded:
            rows.append(f"{shown(thing.name)}: {thing.standing} ({thing.unrecorded})")
    return tuple(rows)


def _learned(event: Learned) -> tuple[str, ...]:
    rows = [shown(line) for line in event.told.splitlines()]
    rows += [_lesson(lesson) for lesson in event.lessons]
    if event.failure:
        rows.append(shown(event.failure))
    return tuple(rows)


def _lesson(lesson: Lesson, fit: float | None = None) -> str:
    before = "" if fit is None else f"{fit:.2f}  "
    return f"{before}{shown(lesson.when)}: {shown(lesson.text)} ({lesson.case})"


def _call(event: Called) -> str:
    used = f"{event.tokens_in} + {event.tokens_out} tokens"
    if event.failure:
        used = event.failure.line
    unread = f", {event.unread:,} characters unread" if event.unread else ""
    return f"{shown(event.model)}: {shown(used)}, {event.seconds:.1f} s{unread}"


def _intervention(event: Intervened, language: Language) -> Iterator[str]:
    role = load_texts(language, "replay")[f"role_{event.role}"]
    yield f"{role}: {load_texts(language, 'interventions')[event.kind]}"
    for text in (event.draft, *event.reasons):
        if text:
            yield f"  {shown(text)}"


def recalled_rows(recall: Recall, language: Language) -> tuple[str, ...]:
    """Rows of what was recalled, best first."""
    labels = load_texts(language, "replay")
    rows = recall_rows(recall, language)
    lines = []
    for row in rows[:_RECALLED]:
        turn = labels["of_turn"].format(row.turn)
        lines.append(f"{row.score:z.2f}  {shown(row.text)} ({turn})")
    left = len(rows) - len(lines)
    if left:
        lines.append(labels["more"].format(left))
    return tuple(lines)


def change_rows(change: Change, language: Language) -> tuple[str, ...]:
    """Rows of what remembering a turn changed in the memory."""
    labels = load_texts(language, "replay")
    rows = [f"+ {shown(line)}" for line in change.inserted]
    rows += [f"× {labels['superseded']}: {shown(line)}" for line in change.superseded]
    rows += [f"& {labels['merged']}: {shown(line)}" for line in change.merged]
    rows += [f"- {labels['forgotten']}: {shown(line)}" for line in change.forgotten]
    rows += [f"! {labels['refused']}: {shown(line)}" for line in change.refused]
    if change.group is not None:
        rows.append(labels["group"].format(change.group))
    return tuple(rows)


def transcript_page(
    transcript: Transcript,
    *,
    details: bool,
    faults: Mapping[int, Sequence[str]] | None = None,
    from_turn: int = 1,
) -> Group:
    """The conversation, numbered by turn.

    Args:
        transcript: The consultation.
        details: Whether to show what happened behind every turn: retrieval, recall, memory,
            interventions.
        faults: What is wrong with replies, by turn.
        from_turn: The first turn that is shown; 1 shows earlier visits, too.
    """
    parts: list[RenderableType] = [title(transcript), Text()]
    for scene in scenes(transcript):
        if scene.turn < from_turn > 1:
            continue
        for line in scene.lines:
            is_question = line.kind == "doctor" and scene.turn > 0
            number = f"{scene.turn:>2} " if is_question else "   "
            parts.append(Text(number, style=_STYLES[line.kind]).append_text(line_text(line)))
        for fault in (faults or {}).get(scene.turn, ()):
            text = Text(shown(fault), style="yellow")
            parts.append(Padding(text, (0, 0, 0, 6)))
        if details:
            parts += [section_text(section, indent=6) for section in scene.panel]
    parts.append(Text(f"\n{ending(transcript)}"))
    return Group(*parts)


def memory_page(transcript: Transcript) -> Group:
    """Per turn the question, what was recalled for it, and what the memory made of the reply."""
    labels = load_texts(transcript.header.language, "replay")
    about_memory = {labels["recalled"], labels["remembered"]}
    parts: list[RenderableType] = [title(transcript)]
    for scene in scenes(transcript):
        for line in scene.lines:
            if line.kind == "doctor":
                parts.append(Text(f"\n{scene.turn:>2} ").append_text(line_text(line)))
        for section in scene.panel:
            if section.title in about_memory:
                parts.append(section_text(section, indent=3))
    return Group(*parts)


def title(transcript: Transcript) -> Text:
    """Say which consultation it is."""
    header = transcript.header
    text = Text(shown(header.case), style="bold")
    text.append(f"  {shown(header.made_with)}", style="not bold")
    return text


def ending(transcript: Transcript) -> str:
    """Say how it ended, and who made what of it."""
    ended = (
        f"{transcript.ending.value} after {transcript.turns} turn(s), {transcript.repeats} repeated"
    )
    return "\n".join([ended, *making_lines(transcript)])


def line_text(line: Line) -> Text:
    """Something that is said."""
    text = Text(f"{line.label}: ", style=_STYLES[line.kind])
    text.append(line.text, style="not bold default")
    return text


def section_text(section: Section, indent: int = 0) -> Text:
    """A section, its rows below its title."""
    margin = " " * indent
    rows = "".join(f"\n{margin}  {row}" for row in section.rows)
    text = Text(f"{margin}{section.title}", style="bold magenta")
    text.append(rows, style="not bold default")
    return text
