"""The parts of a replay as they are printed, and all of it as one page."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from osler.locale import load_texts
from osler.replay.labels import shown
from osler.replay.scenes import Line, Section, Speaker, scenes
from osler.runs.maker_labels import making_lines
from osler.runs.transcript import Transcript
from osler.runs.transcript_page import made_with

_STYLES = {Speaker.DOCTOR: "cyan", Speaker.PATIENT: "green", Speaker.ENDING: "bold"}


def plain_page(transcript: Transcript, from_turn: int) -> Group:
    """The conversation with what stands behind every turn, from top to bottom."""
    labels = load_texts(transcript.header.language, "replay")
    parts: list[RenderableType] = [title(transcript)]
    for scene in scenes(transcript):
        if scene.turn >= from_turn:
            parts.append(Text(f"\n{labels['turn'].format(scene.turn)}", style="bold"))
            parts += [line_text(line) for line in scene.lines]
            parts += [section_text(section, indent=4) for section in scene.panel]
    return Group(*parts, Text(f"\n{ending(transcript)}"))


def title(transcript: Transcript) -> Text:
    """Which consultation it is."""
    header = transcript.header
    return Text(shown(header.case), style="bold").append(f"  {shown(made_with(header))}", style="not bold")


def ending(transcript: Transcript) -> str:
    """How it ended, and who made what of it."""
    ended = f"{transcript.ending.value} after {transcript.turns} turn(s), {transcript.repeats} repeated"
    return "\n".join([ended, *making_lines(transcript)])


def line_text(line: Line) -> Text:
    """Something that is said."""
    return Text(f"{line.label}: ", style=_STYLES[line.speaker]).append(line.text, style="not bold default")


def section_text(section: Section, indent: int = 0) -> Text:
    """A part of what stands behind it."""
    margin = " " * indent
    rows = "".join(f"\n{margin}  {row}" for row in section.rows)
    return Text(f"{margin}{section.title}", style="bold magenta").append(rows, style="not bold default")
