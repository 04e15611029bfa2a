"""Several processes on this machine, each with some consultations: for when asking is itself the bottleneck."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from contextlib import suppress

from osler.runs.plan import Settings
from osler.simulator.clients import ClientSettings
from osler.simulator.engines.local import until_stopped
from osler.simulator.messages import (
    LONGEST,
    AnswerMessage,
    EndMessage,
    Message,
    StopMessage,
    WorkerSetup,
    WrittenMessage,
    pack,
    read_message,
)
from osler.simulator.work_queue import WorkQueue
from osler.simulator.worker import abandoned_transcript

_MOST_DEATHS = 3
"""A consultation that got no further in that many workers before they died is given up: it may be what kills them."""


class ProcessPool:
    """Workers in processes of their own. They write nothing: all comes back to the queue."""

    def __init__(self, settings: Settings, clients: ClientSettings, workers: int, concurrency: int) -> None:
        """Plan the workers; they start with the run."""
        self._settings = settings
        self._setup = WorkerSetup.for_one_of(workers, settings, clients)
        self._workers, self._each = workers, max(1, -(-concurrency // workers))
        self._deaths: Counter[int] = Counter()
        self._answers: Counter[int] = Counter()

    async def run(self, queue: WorkQueue) -> None:
        """Hold what the queue hands out until there is nothing left, or the run is to end."""
        await until_stopped(queue, [asyncio.ensure_future(self._keep_one(queue)) for _ in range(self._workers)])

    async def _keep_one(self, queue: WorkQueue) -> None:
        """Keep one worker going; one that dies is replaced, and what it was doing is taken up again."""
        left: list[int] = []
        while True:
            left = await _OneWorker(queue, self._setup, self._each, left).work()
            if not left:
                return
            for number in list(left):
                queue.interrupted(number, "its worker process died")
                if self._is_deadly(number, queue):
                    left.remove(number)
                    line = f"{_MOST_DEATHS} worker processes died while they held it"
                    queue.ended(number, abandoned_transcript(queue.job(number), self._settings, "worker died", line))
            if queue.stop.asked.is_set():
                return

    def _is_deadly(self, number: int, queue: WorkQueue) -> bool:
        """Count a death, from the start again if the consultation got further than at the death before."""
        answers = len(queue.job(number).kept)
        if answers > self._answers[number]:
            self._deaths[number] = 0
        self._answers[number] = answers
        self._deaths[number] += 1
        return self._deaths[number] >= _MOST_DEATHS


class _OneWorker:
    """One process from start to end."""

    def __init__(self, queue: WorkQueue, setup: WorkerSetup, each: int, again: list[int]) -> None:
        """Plan it.

        Args:
            queue: Of the run.
            setup: What the worker is made from.
            each: Consultations it holds at a time.
            again: Consultations that a worker before it left undone.
        """
        self._queue, self._setup, self._each, self._waiting = queue, setup, each, list(again)
        self._under_way: set[int] = set()
        self._answers: dict[asyncio.Future[None], list[int]] = {}
        """Answers by the write that they wait for."""

    async def work(self) -> list[int]:
        """Start it, hand out work until there is none; the numbers of what it left undone by dying."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # a queue.py in the folder we work in must not take the library's place
            "-m",
            "osler.simulator.engines.worker_process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST,
            process_group=0,  # a Ctrl-C at the terminal is for the queue, also while a worker is still starting
        )
        stopping = asyncio.ensure_future(self._tell_it_to_stop())
        try:
            return await self._handed_out()
        except (ConnectionResetError, BrokenPipeError):
            return [*self._under_way, *self._waiting]
        except asyncio.CancelledError:
            for number in self._under_way:
                self._queue.interrupted(number, "the run was stopped")
            raise
        finally:
            stopping.cancel()
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()

    async def _handed_out(self) -> list[int]:
        assert self._process.stdout is not None
        self._send(self._setup)
        for _ in range(self._each):
            if not self._hand_out():
                break
        while self._under_way and (message := await read_message(self._process.stdout)) is not None:
            if isinstance(message, AnswerMessage):
                self._take_answer(message)
            elif isinstance(message, EndMessage):
                self._queue.take_end(message)
                self._under_way.discard(message.number)
                self._hand_out()
        return [*self._under_way, *self._waiting]

    def _hand_out(self) -> bool:
        """Give it one more consultation, if there is one."""
        number = self._waiting.pop() if self._waiting and not self._queue.stop.asked.is_set() else None
        job = self._queue.job(number) if number is not None else self._queue.next()
        if job is None:
            return False
        self._under_way.add(job.number)
        self._send(job)
        return True

    def _take_answer(self, message: AnswerMessage) -> None:
        """Write an answer; the worker is told when it is written, and only then goes on with it."""
        written = self._queue.take_answer(message)
        if written not in self._answers:
            self._answers[written] = []
            written.add_done_callback(self._acknowledge)
        self._answers[written].append(message.place)

    def _acknowledge(self, written: asyncio.Future[None]) -> None:
        places = self._answers.pop(written)
        if not written.cancelled() and written.exception() is None:
            with suppress(ConnectionResetError, BrokenPipeError):
                self._send(WrittenMessage(places))

    async def _tell_it_to_stop(self) -> None:
        reason = await self._queue.stop.wait()
        self._send(StopMessage(reason.kind, reason.message))

    def _send(self, message: Message) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(pack(message))
