"""A worker process: reads consultations from its input, holds them, and tells what came of them. Not for people."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from osler.errors import RunStopped
from osler.models.completion import Completion
from osler.simulator.engines.frames import LONGEST, job_of, pack, read_frame
from osler.simulator.engines.local import wind_down
from osler.simulator.engines.setup import spare_the_collector, worker_from
from osler.simulator.worker import Job, Worker

Tell = Callable[..., None]


class Server:
    """Holds consultations for a queue at the other end of two pipes."""

    def __init__(self, worker: Worker, tell: Tell) -> None:
        """Work with this worker, and tell the queue by that."""
        self._worker, self._tell = worker, tell
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count()
        self._unwritten: dict[int, asyncio.Future[None]] = {}
        """Answers that the queue has not written yet, by their number."""

    def take(self, frame: dict[str, Any]) -> None:
        """Do what a frame from the queue says."""
        if "job" in frame:
            self._start(self._hold(job_of(frame["job"])))
        elif "written" in frame:
            for number in frame["written"]:
                if not (waiting := self._unwritten.pop(number)).done():
                    waiting.set_result(None)
        elif "stop" in frame:
            reason = RunStopped(frame["stop"], frame["message"])
            self._winding_down = asyncio.ensure_future(wind_down(self._worker.requests, self._tasks, reason))

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _hold(self, job: Job) -> None:
        async def keep(key: str, answer: Completion) -> None:
            place = next(self._numbers)
            self._unwritten[place] = waiting = asyncio.get_running_loop().create_future()
            self._tell(number=job.number, place=place, key=key, answer=answer.model_dump_json())
            await waiting

        try:
            transcript = await self._worker.hold(job, keep)
        except RunStopped as stop:
            self._tell(number=job.number, stopped=stop.kind, message=stop.message)
        except asyncio.CancelledError:
            self._tell(number=job.number, stopped="stopped", message="the run was stopped")
        else:
            self._tell(number=job.number, transcript=transcript.model_dump_json(exclude_none=True))


async def serve() -> None:
    """Work until the input ends, which it also does when the process at its other end is killed."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LONGEST)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not end up between frames

    def tell(**frame: Any) -> None:
        out.write(pack(**frame))
        out.flush()

    first = await read_frame(reader)
    if first is not None:
        worker, _ = worker_from(first["setup"])
        spare_the_collector()
        server = Server(worker, tell)
        while (frame := await read_frame(reader)) is not None:
            server.take(frame)
    os._exit(0)  # whoever wanted the results is gone; nothing here is worth waiting for


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the queue, which says what is to be done
    asyncio.run(serve())
