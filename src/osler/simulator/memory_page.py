"""A doctor's memory of one patient, as it grew, as a page to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group
from rich.text import Text

from osler.events import Asked, Event, Recalled, Remembered
from osler.simulator.transcript import Transcript

_MARKS = (
    ("inserted", "+", "green"),
    ("superseded", "×", "yellow"),
    ("merged", "&", "cyan"),
    ("forgotten", "-", "red"),
    ("refused", "!", "magenta"),
)


def memory_page(transcript: Transcript) -> Group:
    """Per turn what came in, what changed, and what was brought to mind for the next step."""
    header = transcript.header
    title = Text(header.case, style="bold").append(f"  memory {header.memory} · doctor {header.backbone}")
    key = Text("+ inserted  × superseded  & merged  - forgotten  ! refused  > recalled", style="dim")
    return Group(title, key, *(line for event in transcript.events for line in _lines(event)))


def _lines(event: Event) -> Iterator[Text]:
    match event:
        case Asked():
            yield Text(f"\n{event.turn:>2} {event.question}", style="bold")
        case Remembered():
            for name, mark, style in _MARKS:
                for line in getattr(event.change, name):
                    yield Text(f"   {mark} {line}", style=style)
        case Recalled() if event.recall.items:
            best = sorted(event.recall.items, key=lambda item: -item.score)[:5]
            for item in best:
                first, *_ = item.text.splitlines()
                yield Text(f"   > {first} (turn {item.turn}, {item.score:.2f})", style="dim")
            if len(event.recall.items) > len(best):
                yield Text(f"   > … and {len(event.recall.items) - len(best)} more", style="dim")
        case _:
            pass
