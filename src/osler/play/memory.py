"""What the memory has kept so far, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from osler.errors import printable
from osler.language import Language
from osler.memory.recall_text import recall_rows
from osler.play.words import Words
from osler.runs.events import Event, Recalled, Remembered

_SHOWN = 8
_MARKS = {"inserted": "+", "superseded": "x", "merged": "&", "forgotten": "-"}


def memory_lines(events: Sequence[Event], words: Words, language: Language) -> Iterator[str]:
    """Per turn what came in and what changed by it, then what is before the doctor now."""
    remembered = [event for event in events if isinstance(event, Remembered)]
    if not remembered:
        yield words.memory_empty
    for event in remembered:
        group = words.group.format(group=event.change.group) if event.change.group is not None else ""
        yield f"  {words.turn.format(turn=event.of)}{group}"
        for name, mark in _MARKS.items():
            for line in getattr(event.change, name):
                yield f"    {mark} {printable(line)}"
    recalled = [event for event in events if isinstance(event, Recalled)]
    rows = recall_rows(recalled[-1].recall, language)[:_SHOWN] if recalled else ()
    if rows:
        yield f"  {words.recalled}"
    for row in rows:
        yield f"    > {printable(row.text)} ({words.turn.format(turn=row.turn)}, {row.score:z.2f})"
