"""All consultations in this process: as many at a time as asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from osler.errors import RunStopped
from osler.events import Journal
from osler.simulator.desk import Desk
from osler.simulator.worker import Worker

GRACE = 5.0
"""Seconds that consultations have to end after the run was asked to."""


async def run_local(desk: Desk, worker: Worker, concurrency: int, grace: float = GRACE) -> None:
    """Hold what the desk hands out until there is nothing left, or the run is to end."""
    await until_stopped(desk, [_seat(desk, worker) for _ in range(concurrency)], grace)


async def _seat(desk: Desk, worker: Worker) -> None:
    """One consultation after the other."""
    while (unit := desk.next()) is not None:
        journal = Journal()
        desk.watch(unit.number, journal)
        try:
            transcript = await worker.hold(unit, partial(desk.answered, unit.number), journal)
        except RunStopped as stop:
            desk.interrupted(unit.number, stop.message)
            desk.stop.ask(stop)
            return
        except asyncio.CancelledError:
            desk.interrupted(unit.number, "the run was stopped")
            raise
        desk.ended(unit.number, transcript)
        await asyncio.sleep(0)  # without a model nothing else would wait, and a Ctrl-C would not be heard


async def until_stopped(desk: Desk, work: Iterable[object], grace: float) -> None:
    """Let work go on until it is done; when the run is to end, give it a little time, then end it.

    Raises:
        Exception: The first that any of the work raised; the rest is ended then, too.
    """
    tasks = {asyncio.ensure_future(one) for one in work}  # type: ignore[call-overload]
    asked = asyncio.ensure_future(desk.stop.asked.wait())
    now = asyncio.ensure_future(desk.stop.now.wait())
    try:
        pending = tasks
        while pending and not asked.done():
            done, pending = await asyncio.wait({*pending, asked}, return_when=asyncio.FIRST_COMPLETED)
            pending.discard(asked)
            _raise_first(done - {asked})
        if pending:
            loop = asyncio.get_running_loop()
            deadline = loop.time() + grace
            while pending and not now.done() and loop.time() < deadline:
                left = deadline - loop.time()
                done, rest = await asyncio.wait({*pending, now}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                pending = rest - {now}
                _raise_first(done - {now})
    finally:
        for task in (*tasks, asked, now):
            task.cancel()
        await asyncio.gather(*tasks, asked, now, return_exceptions=True)


def _raise_first(done: Iterable[asyncio.Future[object]]) -> None:
    for task in done:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
