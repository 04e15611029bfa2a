"""Show the progress of a run: a bar on a terminal and in a notebook, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from osler.simulator.work_queue import RunProgress

_BAR = 30
"""Characters of a progress bar."""
_EVERY = 0.5
"""Seconds between two pictures: drawing must not slow the run."""
_LINES_EVERY = 1.0
"""Seconds between two plain lines, so that ten thousand consultations do not write ten thousand."""
_SLOW = 0.2
"""Consultations a second below which a rate is told by the minute."""
_SIGN_OF_LIFE = 30.0
"""Seconds after which a line is written although nothing has ended: a slow model is not a dead
one."""


@asynccontextmanager
async def show_progress(progress: RunProgress, *, quiet: bool) -> AsyncIterator[None]:
    """Show progress on standard error, or below a notebook's cell, while something goes on."""
    if quiet:
        yield
        return
    with _drawing(progress) as (draw, every):

        async def draw_again() -> None:
            while True:
                await asyncio.sleep(every)
                draw()

        task = asyncio.create_task(draw_again())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            draw()


@contextmanager
def _drawing(progress: RunProgress) -> Iterator[tuple[Callable[[], None], float]]:
    """Choose how progress is drawn here, and how often."""
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    cell = _notebook_cell()
    if cell is not None:
        yield lambda: cell.update({"text/plain": _bar(progress)}, raw=True), _EVERY
    elif console.is_terminal:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            yield lambda: live.update(Text(_bar(progress)), refresh=True), _EVERY
    else:
        yield _plain_lines(progress, console), _LINES_EVERY


def _plain_lines(progress: RunProgress, console: Console) -> Callable[[], None]:
    """Prints a line when something has ended, or nothing has for long."""
    last = -1
    written = 0.0

    def draw() -> None:
        nonlocal last, written
        if progress.done != last or (
            progress.under_way and progress.seconds - written >= _SIGN_OF_LIFE
        ):
            last = progress.done
            written = progress.seconds
            console.print(plain_line(progress))

    return draw


def _notebook_cell() -> Any:
    """Return what can be updated below the cell of this notebook, or None elsewhere."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    if hasattr(get_ipython(), "kernel"):
        return display({"text/plain": ""}, raw=True, display_id=True)
    return None


def _bar(progress: RunProgress) -> str:
    if progress.total:
        full = round(_BAR * (progress.there + progress.done) / progress.total)
    else:
        full = _BAR
    return f"{'█' * full}{'░' * (_BAR - full)} {plain_line(progress)}"


def plain_line(progress: RunProgress) -> str:
    """Say how far it is, what is under way, and the newest consultation."""
    parts = [f"{progress.there + progress.done}/{progress.total} {_rates(progress)}"]
    if progress.under_way:
        furthest = max(journal.turn if journal else 0 for journal in progress.under_way.values())
        parts.append(
            f"{len(progress.under_way)} under way"
            + (f", up to turn {furthest}" if furthest else "")
        )
    if progress.newest is not None:
        cell, figures = progress.newest
        parts.append(f"{cell.case} {cell.column}: {figures.ending} after {figures.turns} turn(s)")
    return "; ".join(parts)


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
