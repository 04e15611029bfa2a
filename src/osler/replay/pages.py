"""A consultation, or the memory in it, as a page for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from osler.locale import load_texts
from osler.replay.scenes import Line, LineKind, Section, scenes, shown
from osler.runs.makers import making_lines
from osler.runs.transcript import Transcript

_STYLES = {LineKind.DOCTOR: "cyan", LineKind.PATIENT: "green", LineKind.REPORT: "magenta", LineKind.ENDING: "bold"}


def transcript_page(
    transcript: Transcript, *, details: bool, faults: Mapping[int, Sequence[str]] | None = None, from_turn: int = 1
) -> Group:
    """The conversation, numbered by turn.

    Args:
        transcript: The consultation.
        details: Whether to show what happened behind every turn: retrieval, recall, memory, interventions.
        faults: What is wrong with replies, by turn.
        from_turn: The first turn that is shown.
    """
    parts: list[RenderableType] = [title(transcript), Text()]
    for scene in scenes(transcript):
        if scene.turn < from_turn:
            continue
        for line in scene.lines:
            number = f"{scene.turn:>2} " if line.kind is LineKind.DOCTOR else "   "
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
        questions = [line for line in scene.lines if line.kind is LineKind.DOCTOR]
        parts += [Text(f"\n{scene.turn:>2} ").append_text(line_text(line)) for line in questions]
        parts += [section_text(section, indent=3) for section in scene.panel if section.title in about_memory]
    return Group(*parts)


def title(transcript: Transcript) -> Text:
    """Which consultation it is."""
    header = transcript.header
    return Text(shown(header.case), style="bold").append(f"  {shown(header.made_with)}", style="not bold")


def ending(transcript: Transcript) -> str:
    """How it ended, and who made what of it."""
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
