"""How a run shows itself while it goes: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from osler.runs.events import Called
from osler.runs.short_names import backbone_names
from osler.simulator.work_queue import RunProgress

_MOST_SHOWN = 12
_BAR = 30
"""Characters of a notebook's progress bar."""
_EVERY = 0.5
"""Seconds between two pictures: drawing must not slow the run."""
_LINES_EVERY = 1.0
"""Seconds between two plain lines, so that ten thousand consultations do not write ten thousand."""
_SLOW = 0.2
"""Consultations a second below which a rate is told by the minute."""
_SIGN_OF_LIFE = 30.0
"""Seconds after which a line is written although nothing has ended: a slow model is no dead one."""


class Display:
    """Watches a run's progress from beside it."""

    def __init__(self, progress: RunProgress, *, quiet: bool) -> None:
        """Look at a progress; say nothing when quiet."""
        self._progress, self._quiet = progress, quiet
        self._console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
        self._live: Live | _NotebookView | None = None
        if not quiet:
            self._live = _notebook_view() or (
                Live(console=self._console, auto_refresh=False, transient=True) if self._console.is_terminal else None
            )

    def __enter__(self) -> Self:
        """Start the live view, where there is a terminal."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Clear it away."""
        if self._live is not None:
            self._live.stop()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Show progress while something goes on."""
        task = None if self._quiet else asyncio.create_task(self._show())
        try:
            yield
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                if self._live is None:
                    self._line()
                elif isinstance(self._live, _NotebookView):
                    self._live.update(self._progress)

    async def _show(self) -> None:
        while True:
            if self._live is not None:
                if isinstance(self._live, Live):
                    self._live.update(live_view(self._progress), refresh=True)
                else:
                    self._live.update(self._progress)
                await asyncio.sleep(_EVERY)
            else:
                await asyncio.sleep(_LINES_EVERY)
                self._line()

    _last, _written = -1, 0.0

    def _line(self) -> None:
        quiet_for = self._progress.seconds - self._written
        if self._progress.done != self._last or (quiet_for >= _SIGN_OF_LIFE and self._progress.under_way):
            self._last, self._written = self._progress.done, self._progress.seconds
            self._console.print(plain_line(self._progress))


class _NotebookView:
    """A progress bar below a notebook's cell, redrawn in place."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def start(self) -> None:
        """Nothing to do: the cell shows it from the first update."""

    def stop(self) -> None:
        """It stays below the cell, so that the cell tells how it went."""

    def update(self, progress: RunProgress) -> None:
        """Draw it again."""
        share = (progress.there + progress.done) / progress.total if progress.total else 1.0
        bar = "█" * round(share * _BAR) + "░" * (_BAR - round(share * _BAR))
        self._handle.update({"text/plain": f"{bar} {plain_line(progress)}"}, raw=True)


def _notebook_view() -> _NotebookView | None:
    """A view in the notebook that we run in; None elsewhere."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    if not hasattr(get_ipython(), "kernel"):
        return None
    return _NotebookView(display({"text/plain": ""}, raw=True, display_id=True))


def plain_line(progress: RunProgress) -> str:
    """How far it is, what is under way, and the newest consultation."""
    parts = [f"{progress.there + progress.done}/{progress.total} {_rates(progress)}"]
    if progress.under_way:
        journals = [journal for _, journal in progress.under_way.values() if journal is not None]
        furthest = max((journal.turn for journal in journals), default=0)
        parts.append(f"{len(progress.under_way)} under way" + (f", up to turn {furthest}" if furthest else ""))
    if progress.newest is not None:
        cell, figures = progress.newest
        parts.append(f"{cell.case} {cell.column}: {figures.ending} after {figures.turns} turn(s)")
    return "; ".join(parts)


def live_view(progress: RunProgress) -> Group:
    """Totals, rates, failures by kind, and what every consultation under way is doing."""
    totals = f"{progress.there + progress.done}/{progress.total} done  {_rates(progress)}"
    table = Table.grid(padding=(0, 2))
    for cell, journal in list(progress.under_way.values())[:_MOST_SHOWN]:
        doing: tuple[str, ...] = ("elsewhere",)
        if journal is not None:
            calls = sum(isinstance(event, Called) for event in journal.events)
            latest = journal.events[-1].type if journal.events else "starting"
            doing = (f"turn {journal.turn}", latest, f"{calls} call(s)")
        table.add_row(Text(cell.case), Text(str(cell.column)), *doing)
    hidden = len(progress.under_way) - _MOST_SHOWN
    rows: list[Text | Table] = [Text(totals, style="bold"), *_by_backbone(progress), table]
    if hidden > 0:
        rows.append(Text(f"… and {hidden} more", style="dim"))
    return Group(*rows)


def _rates(progress: RunProgress) -> str:
    rate = progress.done / progress.seconds if progress.seconds else 0.0
    left = progress.total - progress.there - progress.done
    failed = ", ".join(f"{count} {kind}" for kind, count in progress.failures.most_common())
    parts = (
        f"{rate:.1f}/s" if rate >= _SLOW else f"{60 * rate:.1f}/min",
        f"failed: {failed}" if failed else "",
        f"{progress.tokens:,} tokens" if progress.calls else "",
        f"{progress.cost:.2f} USD" if progress.calls and progress.cost is not None else "",
        f"{left / rate:.0f} s left" if rate and left else "",
    )
    return "  ".join(part for part in parts if part)


def _by_backbone(progress: RunProgress) -> list[Text]:
    if len(progress.by_backbone) < 2:
        return []
    names = backbone_names(progress.by_backbone)
    told = "  ".join(f"{names[spec]} {count / progress.seconds:.1f}/s" for spec, count in progress.by_backbone.items())
    return [Text(told, style="dim")]
