"""All consultations in this process: as many at a time as asked for."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable
from functools import partial
from typing import Any

from osler.errors import RunStopped
from osler.models.rate_limit import InFlight
from osler.runs.events import Journal
from osler.simulator.work_queue import WorkQueue
from osler.simulator.worker import Worker

SETTLE = 0.5
"""Seconds that consultations have to end once none of their requests is in flight."""
_LOOK = 0.05
"""Seconds between two looks at what is in flight."""


def spare_the_collector() -> None:
    """Leave what is loaded out of the search for garbage: it stays, and looking through it takes time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


async def run_local(queue: WorkQueue, worker: Worker, concurrency: int) -> None:
    """Hold what the queue hands out until there is nothing left, or the run is to end."""
    seats = [asyncio.ensure_future(_seat(queue, worker)) for _ in range(concurrency)]
    winding_down = asyncio.ensure_future(_wind_down_when_asked(queue, worker.requests, seats))
    try:
        await until_stopped(queue, seats)
    finally:
        winding_down.cancel()
        await asyncio.gather(winding_down, return_exceptions=True)


async def _seat(queue: WorkQueue, worker: Worker) -> None:
    """One consultation after the other."""
    while (job := queue.next()) is not None:
        journal = Journal()
        queue.watch(job.number, journal)
        try:
            transcript = await worker.run(job, partial(queue.answered, job.number), journal)
        except RunStopped as stop:
            queue.interrupted(job.number, stop.message)
            queue.stop.ask(stop)
            return
        except asyncio.CancelledError:
            queue.interrupted(job.number, "the run was stopped")
            raise
        queue.ended(job.number, transcript)
        await asyncio.sleep(0)  # without a model nothing else would wait, and a Ctrl-C would not be heard


async def _wind_down_when_asked(queue: WorkQueue, requests: InFlight, seats: list[asyncio.Task[None]]) -> None:
    await wind_down(requests, seats, await queue.stop.wait())


async def wind_down(requests: InFlight, tasks: Iterable[asyncio.Task[None]], reason: RunStopped) -> None:
    """Send no more requests, wait for the answers to those in flight, then end what still waits for anything else."""
    requests.stop(reason)
    loop = asyncio.get_running_loop()
    quiet_since = loop.time()
    while pending := [task for task in tasks if not task.done()]:
        if requests.count:
            quiet_since = loop.time()
        elif loop.time() - quiet_since >= SETTLE:
            for task in pending:
                task.cancel()
            return
        await asyncio.wait(pending, timeout=_LOOK)


async def until_stopped(queue: WorkQueue, work: Iterable[asyncio.Future[Any]]) -> None:
    """Wait until all work is done, or the run is to end at once.

    Raises:
        Exception: The first that any of the work raised; the rest is ended then, too.
        StorageError: The run cannot be written.
    """
    tasks = set(work)
    now: asyncio.Future[Any] = asyncio.ensure_future(queue.stop.now.wait())
    pending = set(tasks)
    try:
        while pending and not now.done():
            done, rest = await asyncio.wait({*pending, now}, return_when=asyncio.FIRST_COMPLETED)
            pending = rest - {now}
            _raise_first(done - {now})
    finally:
        for task in (*tasks, now):
            task.cancel()
        await asyncio.gather(*tasks, now, return_exceptions=True)
    if queue.stop.error is not None:
        raise queue.stop.error


def _raise_first(done: Iterable[asyncio.Future[Any]]) -> None:
    for task in done:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
