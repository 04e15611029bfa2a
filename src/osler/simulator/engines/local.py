"""A worker in this process."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

from osler.runs.events import Journal
from osler.simulator.engines.messages import Message, WorkerServer, WorkerSetup
from osler.simulator.worker import Job


def spare_the_collector() -> None:
    """Keep the garbage collector from scanning what is loaded already, which never becomes garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


class LocalConnection:
    """A worker in this process, whose consultations can be watched."""

    def __init__(self, server: WorkerServer, reports: asyncio.Queue[Message]) -> None:
        self.send = server.take
        self.receive = reports.get
        self.close = server.close

    @classmethod
    async def start(cls, watch: Callable[[Job, Journal], None], setup: WorkerSetup) -> LocalConnection:
        """Start a worker."""
        spare_the_collector()
        reports: asyncio.Queue[Message] = asyncio.Queue()
        return cls(WorkerServer(setup, reports.put_nowait, watch), reports)
