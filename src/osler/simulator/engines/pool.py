"""Keep workers busy: hand out consultations, and take back what they report.

Every engine runs on it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from osler.errors import RunStopped
from osler.runs.transcript import Transcript
from osler.simulator.engines.messages import (
    AnswerMessage,
    EndMessage,
    Message,
    StopMessage,
    UsedMessage,
    WorkerSetup,
    WrittenMessage,
)
from osler.simulator.work_queue import WorkQueue
from osler.simulator.worker import abandoned_transcript

_MOST_DEATHS = 3
"""A consultation that got no further in that many workers before they died is given up: it may be
what kills them."""


class WorkerConnection(Protocol):
    """A worker that has started, wherever it is."""

    def send(self, message: Message) -> None:
        """Send it a message; a worker that is gone does not get it."""

    async def receive(self) -> list[Message]:
        """Its next messages, at least one; none when it is gone."""

    async def close(self) -> None:
        """End it, whatever it is doing."""


class WorkerPool:
    """Keeps some workers going until the queue has nothing left, or the run is to end."""

    def __init__(
        self,
        queue: WorkQueue,
        setup: WorkerSetup,
        connect: Callable[[WorkerSetup], Awaitable[WorkerConnection]],
        workers: int,
        concurrency: int,
    ) -> None:
        """Plan the workers that `connect` starts.

        `setup` and `concurrency` are for all of them together.
        """
        self._queue = queue
        self._connect = connect
        self._setup = replace(setup, clients=setup.clients.shared_by(workers))
        self._workers = workers
        self._each = -(-concurrency // workers)
        self._nothing_left = asyncio.Event()
        self._deaths: Counter[tuple[int, int]] = Counter()

    async def run(self) -> None:
        """Run what the queue hands out.

        Raises the first error of a worker's start, or of writing.
        """
        stop = self._queue.stop
        keepers = [asyncio.ensure_future(self._keep_one()) for _ in range(self._workers)]
        running = asyncio.ensure_future(asyncio.wait(keepers, return_when=asyncio.FIRST_EXCEPTION))
        now = asyncio.ensure_future(stop.now.wait())
        try:
            await asyncio.wait({running, now}, return_when=asyncio.FIRST_COMPLETED)
            for keeper in keepers:
                if keeper.done():
                    keeper.result()
        finally:
            for task in (*keepers, running, now):
                task.cancel()
            await asyncio.gather(*keepers, running, now, return_exceptions=True)
        if stop.error is not None:
            raise stop.error

    async def _keep_one(self) -> None:
        """Keep one worker going.

        One that dies is replaced, and what it was doing is taken up again.
        """
        left: list[int] = []
        while (connection := await self._started(needed=bool(left))) is not None:
            left = await _OneWorker(self._queue, connection, left, self._each).work()
            for number in list(left):
                self._queue.interrupted(number, "its worker died")
                if not self._queue.stop.asked.is_set() and self._is_deadly(number):
                    left.remove(number)
                    line = f"{_MOST_DEATHS} workers died while they held it"
                    job = self._queue.job(number)
                    self._queue.ended(number, abandoned_transcript(job, self._setup.settings, line))
            if self._queue.stop.asked.is_set() or not (left or self._queue.is_waiting):
                self._nothing_left.set()
                return

    async def _started(self, *, needed: bool) -> WorkerConnection | None:
        """Return a new worker; None if the run ends before a busy cluster has room for it."""
        starting = asyncio.ensure_future(self._connect(self._setup))
        ends = [asyncio.ensure_future(self._queue.stop.asked.wait())]
        if not needed:
            ends.append(asyncio.ensure_future(self._nothing_left.wait()))
        try:
            await asyncio.wait({starting, *ends}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                return starting.result()
            return None
        finally:
            for task in (starting, *ends):
                task.cancel()
            await asyncio.gather(starting, *ends, return_exceptions=True)

    def _is_deadly(self, number: int) -> bool:
        """Count a death at this point of the consultation, which is known by the answers it has."""
        point = (number, len(self._queue.job(number).kept))
        self._deaths[point] += 1
        return self._deaths[point] >= _MOST_DEATHS


class _OneWorker:
    """The work of one worker, from its start to its end."""

    def __init__(
        self, queue: WorkQueue, connection: WorkerConnection, again: list[int], each: int
    ) -> None:
        self._queue = queue
        self._connection = connection
        self._waiting = again
        self._each = each
        self._under_way: set[int] = set()

    async def work(self) -> list[int]:
        """Keep consultations under way until there are none left.

        Returns what the worker left undone by dying.
        """
        stopping = asyncio.ensure_future(self._tell_it_to_stop())
        try:
            self._hand_out()
            while await self._is_busy() and (messages := await self._connection.receive()):
                for message in messages:
                    self._take(message)
            return [*self._under_way, *self._waiting]
        except asyncio.CancelledError:
            for number in self._under_way:
                self._queue.interrupted(number, "the run was stopped")
            raise
        finally:
            stopping.cancel()
            await self._connection.close()

    async def _is_busy(self) -> bool:
        """Check whether it has something to do.

        Wait for it while limits hold consultations back.
        """
        while not self._under_way and self._queue.is_held_back:
            await self._queue.changed.wait()
            self._hand_out()
        return bool(self._under_way)

    def _take(self, message: Message) -> None:
        match message:
            case UsedMessage():
                self._queue.limiter.used(message.answer)
                self._queue.stop_at_limit()
            case AnswerMessage():  # the worker goes on with it once it is written
                written = self._queue.answered(message.number, message.key, message.answer)
                written.add_done_callback(partial(self._acknowledge, message.ticket))
            case EndMessage(number, StopMessage() as stop):
                self._under_way.discard(number)
                self._queue.interrupted(number, stop.message)
                self._queue.stop.ask(RunStopped(stop.kind, stop.message))
            case EndMessage(number, Transcript() as transcript):
                self._under_way.discard(number)
                self._queue.ended(number, transcript)
                self._hand_out()

    def _hand_out(self) -> None:
        """Give it as many consultations as it has room for, if there are any."""
        while len(self._under_way) < self._each:
            if self._waiting and not self._queue.stop.asked.is_set():
                again = self._waiting.pop()
            else:
                again = None
            job = self._queue.next() if again is None else self._queue.job(again)
            if job is None:
                return
            self._under_way.add(job.number)
            self._connection.send(job)

    def _acknowledge(self, ticket: int, written: asyncio.Future[None]) -> None:
        if not written.cancelled() and written.exception() is None:
            self._connection.send(WrittenMessage(ticket))

    async def _tell_it_to_stop(self) -> None:
        reason = await self._queue.stop.wait()
        self._connection.send(StopMessage(reason.kind, reason.message))
