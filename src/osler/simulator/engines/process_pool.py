"""Several processes on this machine, each with some consultations: for when asking is itself the bottleneck."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from contextlib import suppress

from osler.runs.plan import Settings
from osler.simulator.clients import ClientSettings
from osler.simulator.engines.frames import LONGEST, job_frame, pack, read_frame
from osler.simulator.engines.local import until_stopped
from osler.simulator.engines.setup import worker_setup
from osler.simulator.engines.taking import take, take_answer
from osler.simulator.work_queue import WorkQueue
from osler.simulator.worker import abandoned_transcript

_MOST_DEATHS = 3
"""A consultation that got no further in that many workers before they died is given up: it may be what kills them."""


class ProcessPool:
    """Workers in processes of their own. They write nothing: all comes back to the queue."""

    def __init__(self, settings: Settings, clients: ClientSettings, workers: int, concurrency: int) -> None:
        """Plan the workers; they start with the run."""
        self._settings = settings
        self._setup = worker_setup(settings, clients, workers)
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

    def __init__(self, queue: WorkQueue, setup: dict[str, object], each: int, again: list[int]) -> None:
        """Plan it.

        Args:
            queue: Of the run.
            setup: What the worker is made from.
            each: Consultations it holds at a time.
            again: Consultations that a worker before it left undone.
        """
        self._desk, self._setup, self._each, self._waiting = queue, setup, each, list(again)
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
                self._desk.interrupted(number, "the run was stopped")
            raise
        finally:
            stopping.cancel()
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()

    async def _handed_out(self) -> list[int]:
        assert self._process.stdout is not None
        self._send(setup=self._setup, each=self._each)
        for _ in range(self._each):
            if not self._hand_out():
                break
        while self._under_way and (frame := await read_frame(self._process.stdout)) is not None:
            if "answer" in frame:
                self._take_answer(frame)
                continue
            ended = take(self._desk, frame)
            self._under_way.discard(ended)
            self._hand_out()
        return [*self._under_way, *self._waiting]

    def _hand_out(self) -> bool:
        """Give it one more consultation, if there is one."""
        number = self._waiting.pop() if self._waiting and not self._desk.stop.asked.is_set() else None
        job = self._desk.job(number) if number is not None else self._desk.next()
        if job is None:
            return False
        self._under_way.add(job.number)
        self._send(job=job_frame(job))
        return True

    def _take_answer(self, frame: dict[str, object]) -> None:
        """Write an answer; the worker hears of it when it is written, and goes on with it only then."""
        written = take_answer(self._desk, frame)
        if written not in self._answers:
            self._answers[written] = []
            written.add_done_callback(self._acknowledge)
        self._answers[written].append(int(str(frame["place"])))

    def _acknowledge(self, written: asyncio.Future[None]) -> None:
        places = self._answers.pop(written)
        if not written.cancelled() and written.exception() is None:
            with suppress(ConnectionResetError, BrokenPipeError):
                self._send(written=places)

    async def _tell_it_to_stop(self) -> None:
        reason = await self._desk.stop.wait()
        self._send(stop=reason.kind, message=reason.message)

    def _send(self, **frame: object) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(pack(**frame))
