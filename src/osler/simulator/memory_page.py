"""A doctor's memory of one patient, as it grew, as a page to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group
from rich.text import Text

from osler.errors import printable
from osler.language import Language
from osler.memory.recall_text import recall_rows
from osler.runs.events import Asked, Recalled, Remembered
from osler.runs.transcript import Transcript, heard
from osler.simulator.pages import made_with

_SHOWN = 5
_MARKS = (
    ("inserted", "+", "green"),
    ("superseded", "×", "yellow"),
    ("merged", "&", "cyan"),
    ("forgotten", "-", "red"),
    ("refused", "!", "magenta"),
)


def memory_page(transcript: Transcript) -> Group:
    """Per turn what was brought to mind for the question, what came in with the answer, and what changed by it."""
    header = transcript.header
    title = Text(header.case, style="bold").append(f"  {made_with(header)}")
    key = Text("> recalled  + inserted  × superseded  & merged  - forgotten  ! refused", style="dim")
    recalled = {event.turn: event for event in transcript.of(Recalled)}
    remembered = {event.of: event for event in transcript.of(Remembered)}
    lines = []
    for asked in transcript.of(Asked):
        lines += [Text(), *_recalled(recalled[asked.turn], header.language)]
        kept = remembered.get(asked.turn)
        group = f"  group {kept.change.group}" if kept and kept.change.group is not None else ""
        question = Text(f"{asked.turn:>2} {printable(heard(asked, header.language))}", style="bold")
        lines.append(question.append(group, style="dim not bold"))
        lines += _changes(kept) if kept else []
    return Group(title, key, *lines)


def _changes(event: Remembered) -> Iterator[Text]:
    for name, mark, style in _MARKS:
        for line in getattr(event.change, name):
            yield Text(f"   {mark} {printable(line)}", style=style)


def _recalled(event: Recalled, language: Language) -> Iterator[Text]:
    rows = recall_rows(event.recall, language)
    for row in rows[:_SHOWN]:
        yield Text(f"   > {printable(row.text)} (turn {row.turn}, {row.score:z.2f})", style="dim")
    if len(rows) > _SHOWN:
        yield Text(f"   > … and {len(rows) - _SHOWN} more", style="dim")
