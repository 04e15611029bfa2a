"""A worker process: reads jobs from its input, runs them, and reports results. Started by the process pool."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import Callable

from osler.errors import RunStopped
from osler.models.completion import Completion
from osler.simulator.engines.local import spare_the_collector, wind_down
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
from osler.simulator.worker import Job, Worker


class WorkerServer:
    """Runs consultations for a queue at the other end of two pipes."""

    def __init__(self, worker: Worker, send: Callable[[Message], None]) -> None:
        """Work with this worker, and report by `send`."""
        self._worker, self._send = worker, send
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count()
        self._unwritten: dict[int, asyncio.Future[None]] = {}
        """Answers that the queue has not written yet, by their place."""

    def take(self, message: Message) -> None:
        """Do what a message says."""
        match message:
            case Job():
                task = asyncio.create_task(self._run(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case WrittenMessage():
                for place in message.places:
                    if not (waiting := self._unwritten.pop(place)).done():
                        waiting.set_result(None)
            case StopMessage():
                reason = RunStopped(message.kind, message.message)
                self._winding_down = asyncio.ensure_future(wind_down(self._worker.requests, self._tasks, reason))
            case _:
                raise AssertionError(f"not a message for a worker: {type(message).__name__}")

    async def _run(self, job: Job) -> None:
        async def keep(key: str, answer: Completion) -> None:
            place = next(self._numbers)
            self._unwritten[place] = waiting = asyncio.get_running_loop().create_future()
            self._send(AnswerMessage(job.number, key, answer, place))
            await waiting

        try:
            self._send(EndMessage(job.number, await self._worker.run(job, keep)))
        except RunStopped as stop:
            self._send(EndMessage(job.number, StopMessage(stop.kind, stop.message)))
        except asyncio.CancelledError:
            self._send(EndMessage(job.number, StopMessage()))


async def serve() -> None:
    """Work until the input ends, which it also does when the process at its other end is killed."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LONGEST)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not end up between messages

    def send(message: Message) -> None:
        out.write(pack(message))
        out.flush()

    if isinstance(setup := await read_message(reader), WorkerSetup):
        server = WorkerServer(setup.worker(), send)
        spare_the_collector()
        while (message := await read_message(reader)) is not None:
            server.take(message)
    os._exit(0)  # whoever wanted the results is gone; nothing here is worth waiting for


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    asyncio.run(serve())
