"""Consultations on a Ray cluster. Ray places the workers, starts those that die anew and gives them their work again.

A cluster of this machine alone needs nothing else. On any other, the same version of Osler has to be installed on every
machine, and whatever a backbone reads from a disk (weights, a table of prices) has to be there, too.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from typing import Any

from osler import __version__
from osler.api_keys import settings_for_workers
from osler.errors import RunStopped, UserError
from osler.models.completion import Completion
from osler.runs.plan import Settings
from osler.runs.transcript import Transcript
from osler.simulator.clients import ClientSettings
from osler.simulator.engines.local import until_stopped, wind_down
from osler.simulator.engines.ray_cluster import cluster, imported, last_line
from osler.simulator.messages import AnswerMessage, EndMessage, StopMessage, WorkerSetup
from osler.simulator.work_queue import WorkQueue
from osler.simulator.worker import Job, abandoned_transcript

_TRIES = 3
"""A consultation in which that many workers died is not tried again: it may be what kills them."""


class Board:
    """What models answered in consultations that have not ended, on its way from the workers to the queue.

    A consultation whose worker died is tried again with these answers, and pays for none of them twice.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self._by_number: dict[int, list[tuple[str, str]]] = defaultdict(list)
        self._news: list[AnswerMessage] = []
        self._written = 0
        self._changed = asyncio.Condition()

    async def put(self, message: AnswerMessage) -> None:
        """Keep an answer that was just paid for; returns once the queue has written it."""
        self._by_number[message.number].append((message.key, message.answer.model_dump_json()))
        async with self._changed:
            self._news.append(message)
            place = self._written + len(self._news)
            self._changed.notify_all()
            await self._changed.wait_for(lambda: self._written >= place)

    async def kept(self, number: int) -> tuple[tuple[str, str], ...]:
        """The answers of a consultation since it was handed out."""
        return tuple(self._by_number.get(number, ()))

    async def since(self, place: int, *, wait: bool) -> list[AnswerMessage]:
        """All answers from that place on, as soon as there is one, or at once. Those before it are written."""
        async with self._changed:
            del self._news[: place - self._written]
            self._written = place
            self._changed.notify_all()
            if wait:
                await self._changed.wait_for(lambda: bool(self._news))
            return list(self._news)

    async def forget(self, number: int) -> None:
        """Drop a consultation that has ended."""
        self._by_number.pop(number, None)


class RayWorker:
    """Holds consultations in a process of the cluster. It writes nothing: all comes back to the queue."""

    def __init__(self, setup: WorkerSetup, variables: dict[str, str]) -> None:
        """Prepare; after a restart, from the same setup again."""
        os.environ.update(variables)
        self._worker = setup.worker()
        self._under_way: set[asyncio.Task[None]] = set()

    async def stop(self, kind: str, message: str) -> None:
        """Send no more requests, and end what is held here once the answers to those in flight are written."""
        await wind_down(self._worker.requests, self._under_way, RunStopped(kind, message))

    async def version(self) -> str:
        """The Osler that is installed here; told as soon as there is room for this worker."""
        return __version__

    async def run(self, job: Job, board: Any) -> EndMessage:
        """Run a consultation, from the first question or from where a worker that died had come to."""
        job = replace(job, kept=job.kept + await board.kept.remote(job.number))
        outcome: Transcript | StopMessage = StopMessage()

        async def keep(key: str, answer: Completion) -> None:
            await board.put.remote(AnswerMessage(job.number, key, answer))

        async def work() -> None:
            nonlocal outcome
            try:
                outcome = await self._worker.run(job, keep)
            except RunStopped as stop:
                outcome = StopMessage(stop.kind, stop.message)

        task = asyncio.create_task(work())
        self._under_way.add(task)
        try:
            await asyncio.wait({task})
        finally:
            self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
        return EndMessage(job.number, outcome)


def _heard(version: asyncio.Future[Any]) -> None:
    """Take note of a worker that could not start, so that the loop writes nothing of it when nobody waits any more."""
    if not version.cancelled():
        version.exception()


class RayPool:
    """Workers on a Ray cluster, for as long as a run takes."""

    def __init__(
        self, settings: Settings, clients: ClientSettings, workers: int | None, concurrency: int, address: str | None
    ) -> None:
        """Plan the workers; they start with the run.

        Args:
            settings: Of the run.
            clients: How models are asked.
            workers: How many; None: one for every CPU of the cluster, but no more than there is work for at a time.
            concurrency: Consultations at a time, by all workers together.
            address: The cluster; None: one is started on this machine, and ends with the run.

        Raises:
            UserError: Ray is not installed.
        """
        self._ray = imported(address)
        self._settings, self._clients = settings, clients
        self._workers, self._concurrency, self._address = workers, concurrency, address
        self._under_way: set[int] = set()
        self._taken = 0
        self._taking = asyncio.Lock()

    async def run(self, queue: WorkQueue) -> None:
        """Hold what the queue hands out until there is nothing left, or the run is to end.

        Raises:
            UserError: The cluster cannot be reached, is gone, or cannot run Osler.
        """
        async with cluster(self._ray, self._address, self._workers):
            workers, each = self._hire()
            over: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            seats = []
            for worker in workers:
                version = asyncio.wrap_future(worker.version.remote().future())
                version.add_done_callback(_heard)
                seats += [asyncio.ensure_future(self._seat(queue, worker, version, over)) for _ in range(each)]
            listening = asyncio.ensure_future(self._listen(queue))
            stopping = asyncio.ensure_future(self._stop(queue, workers))
            try:
                await until_stopped(queue, [*seats, asyncio.ensure_future(_done_or_deaf(seats, listening))])
            finally:
                for task in (listening, stopping):
                    task.cancel()
                await asyncio.gather(listening, stopping, return_exceptions=True)
                for worker in workers:
                    self._ray.kill(worker)
                if queue.stop.error is None:
                    await self._take_answers(queue, wait=False)
                    for number in sorted(self._under_way):
                        queue.interrupted(number, "the run was stopped")

    def _hire(self) -> tuple[list[Any], int]:
        """The workers, and how many consultations each of them holds at a time."""
        cpus = int(self._ray.cluster_resources().get("CPU", 1))
        number = self._workers or max(1, min(cpus, self._concurrency))
        each = -(-self._concurrency // number)
        self._board = self._ray.remote(num_cpus=0)(Board).remote()
        hired = self._ray.remote(
            max_restarts=-1, max_task_retries=_TRIES - 1, max_concurrency=each + 2, scheduling_strategy="SPREAD"
        )(RayWorker)
        setup = WorkerSetup.for_one_of(number, self._settings, self._clients)
        # Not as Ray's runtime environment: Ray writes that to its logs.
        variables = settings_for_workers() if self._address else {}
        return [hired.remote(setup, variables) for _ in range(number)], each

    async def _seat(
        self, queue: WorkQueue, worker: Any, version: asyncio.Future[Any], over: asyncio.Future[Any]
    ) -> None:
        """One consultation after the other; a worker that a busy cluster finds no room for is not waited for."""
        await asyncio.wait({version, over}, return_when=asyncio.FIRST_COMPLETED)
        if not version.done():
            return
        self._check(version)
        while (job := queue.next()) is not None:
            await self._run(queue, worker, job)
        if not over.done():
            over.set_result(None)

    def _check(self, version: asyncio.Future[Any]) -> None:
        """Refuse a cluster that cannot run this Osler, or would run another."""
        remedy = f"install osler {__version__} and Ray {self._ray.__version__} on every machine of the cluster"
        if error := version.exception():
            raise UserError(f"the Ray workers cannot start ({last_line(error)})", remedy)
        if version.result() != __version__:
            raise UserError(f"a machine of the Ray cluster has osler {version.result()}", remedy)

    async def _run(self, queue: WorkQueue, worker: Any, job: Job) -> None:
        """One consultation. Ray tries it again when its worker dies; what comes back is its end."""
        self._under_way.add(job.number)
        try:
            end: EndMessage = await worker.run.remote(job, self._board)
        except self._ray.exceptions.RayError as error:
            line = f"Ray gave it up after {_TRIES} tries: {last_line(error)}"
            end = EndMessage(job.number, abandoned_transcript(job, self._settings, "worker died", line))
        self._under_way.discard(job.number)
        queue.take_end(end)
        self._board.forget.remote(job.number)

    async def _listen(self, queue: WorkQueue) -> None:
        """Write answers as they come; workers wait until theirs is written."""
        while True:
            await self._take_answers(queue, wait=True)

    async def _take_answers(self, queue: WorkQueue, *, wait: bool) -> None:
        async with self._taking:
            try:
                messages = await self._board.since.remote(self._taken, wait=wait)
            except self._ray.exceptions.RayError as error:
                raise UserError(
                    f"the Ray cluster is gone ({last_line(error)})", "re-run the command to resume"
                ) from None
            for message in messages:
                self._taken += 1
                queue.take_answer(message)
            queue.flush()

    async def _stop(self, queue: WorkQueue, workers: list[Any]) -> None:
        """Pass it on when the run is to end."""
        reason = await queue.stop.wait()
        for worker in workers:
            with suppress(self._ray.exceptions.RayError):
                worker.stop.remote(reason.kind, reason.message)


async def _done_or_deaf(seats: list[asyncio.Task[None]], listening: asyncio.Task[None]) -> None:
    """Be done when all seats are; fail as soon as answers cannot be heard or written any more."""
    over = asyncio.ensure_future(asyncio.wait(seats))
    try:
        done, _ = await asyncio.wait({over, listening}, return_when=asyncio.FIRST_COMPLETED)
        if listening in done:
            listening.result()
    finally:
        over.cancel()
