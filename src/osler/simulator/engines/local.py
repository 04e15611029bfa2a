"""Runs all consultations in this process."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable
from functools import partial
from typing import Any

from osler.errors import RunStopped
from osler.models.in_flight import InFlight
from osler.runs.events import Journal
from osler.simulator.work_queue import WorkQueue
from osler.simulator.worker import Worker

SETTLE = 0.5
"""Seconds that consultations have to end once none of their requests is in flight."""
_LOOK = 0.05
"""Seconds between two looks at what is in flight."""


def spare_the_collector() -> None:
    """Keep the garbage collector from scanning what is loaded already, which never becomes garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


async def run_local(queue: WorkQueue, worker: Worker, concurrency: int) -> None:
    """Run what the queue hands out until there is nothing left, or the run is to end."""
    spare_the_collector()
    seats = [asyncio.ensure_future(_seat(queue, worker)) for _ in range(concurrency)]

    async def wind_down_when_asked() -> None:
        await wind_down(worker.requests, seats, await queue.stop.wait())

    winding_down = asyncio.ensure_future(wind_down_when_asked())
    try:
        await until_stopped(queue, seats)
    finally:
        winding_down.cancel()
        await asyncio.gather(winding_down, return_exceptions=True)


async def _seat(queue: WorkQueue, worker: Worker) -> None:
    """One consultation after the other."""
    while (job := queue.next()) is not None:
        journal = Journal()
        queue.watch(job, journal)
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
    tasks = list(work)
    running = asyncio.ensure_future(asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION))
    now = asyncio.ensure_future(queue.stop.now.wait())
    try:
        await asyncio.wait({running, now}, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done() and not task.cancelled():
                task.result()
    finally:
        for one in (*tasks, running, now):
            one.cancel()
        await asyncio.gather(*tasks, running, now, return_exceptions=True)
    if queue.stop.error is not None:
        raise queue.stop.error
