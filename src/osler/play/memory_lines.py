"""What the memory has kept so far, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from osler.errors import printable
from osler.runs.events import Event, Recalled, Remembered

_SHOWN = 8
_MARKS = {"inserted": "+", "superseded": "x", "merged": "&", "forgotten": "-"}


def memory_lines(events: Sequence[Event], texts: Mapping[str, str]) -> Iterator[str]:
    """Per turn what came in and what changed by it, then what is before the doctor now."""
    remembered = [event for event in events if isinstance(event, Remembered)]
    if not remembered:
        yield texts["memory_empty"]
    for event in remembered:
        group = texts["group"].format(group=event.change.group) if event.change.group is not None else ""
        yield f"  {texts['turn'].format(turn=event.of)}{group}"
        for name, mark in _MARKS.items():
            for line in getattr(event.change, name):
                yield f"    {mark} {printable(line)}"
    recalled = [event for event in events if isinstance(event, Recalled)]
    items = sorted(recalled[-1].recall.items, key=lambda item: -item.score)[:_SHOWN] if recalled else []
    if items:
        yield f"  {texts['recalled']}"
    for item in items:
        yield f"    > {printable(item.text)} ({texts['turn'].format(turn=item.turn)}, {item.score:z.2f})"
