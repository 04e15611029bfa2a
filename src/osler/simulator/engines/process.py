"""A worker process: reads consultations from its input, holds them, and tells what came of them. Not for people."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import Any

from osler.agents.backbones.completion import Completion
from osler.errors import RunStopped
from osler.simulator.engines.frames import LONGEST, pack, unit_of
from osler.simulator.engines.setup import spare_the_collector, worker_from
from osler.simulator.worker import Unit, Worker


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

    first = json.loads(await reader.readline())
    worker, _ = worker_from(first["setup"])
    spare_the_collector()
    tasks: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = asyncio.create_task(_hold(worker, unit_of(json.loads(line)["unit"]), tell))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    os._exit(0)  # whoever wanted the results is gone; nothing here is worth waiting for


async def _hold(worker: Worker, unit: Unit, tell: Any) -> None:
    def keep(key: str, answer: Completion) -> None:
        tell(number=unit.number, key=key, answer=answer.model_dump_json())

    try:
        transcript = await worker.hold(unit, keep)
    except RunStopped as stop:
        tell(number=unit.number, stopped=stop.kind, message=stop.message)
        return
    tell(number=unit.number, transcript=transcript.model_dump_json(exclude_none=True))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the desk, which says what is to be done
    asyncio.run(serve())
