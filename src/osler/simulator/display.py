"""How a run shows itself while it goes."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from osler.events import Called
from osler.simulator.batch import Progress
from osler.simulator.transcript import total

_MOST_SHOWN = 12


def plain_line(progress: Progress) -> str:
    """One line for the newest consultation, where there is no terminal."""
    newest = progress.done[-1]
    header = newest.header
    done = progress.skipped + len(progress.done)
    who = f"{header.case} {header.backbone} {header.memory}"
    return f"{done}/{progress.total} {who}: {newest.ending} after {newest.turns} turn(s)"


def live_view(progress: Progress, seconds: float) -> Group:
    """Totals, and what every consultation under way is doing."""
    done = len(progress.done)
    failed = sum(not transcript.ending.is_answer for transcript in progress.done)
    rate = done / seconds if seconds else 0.0
    left = progress.total - progress.skipped - done
    tokens = total(transcript.tokens() for transcript in progress.done)
    totals = (
        f"{progress.skipped + done}/{progress.total} done",
        f"{failed} failed",
        f"{tokens:,} tokens" if tokens is not None else "tokens unknown",
        f"{rate:.1f}/s",
        f"{left / rate:.0f} s left" if rate else "",
    )
    table = Table.grid(padding=(0, 2))
    for cell, journal in list(progress.under_way.items())[:_MOST_SHOWN]:
        latest = journal.events[-1].type if journal.events else "starting"
        calls = sum(isinstance(event, Called) for event in journal.events)
        table.add_row(
            Text(cell.case),
            Text(f"{cell.backbone} · {cell.memory}"),
            f"turn {journal.turn}",
            latest,
            f"{calls} call(s)",
        )
    return Group(Text("  ".join(filter(None, totals)), style="bold"), table)
