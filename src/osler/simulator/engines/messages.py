"""The messages between a run and its workers, and the worker that acts on them."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass

from osler.errors import RunStopped
from osler.models.completion import Completion
from osler.runs.events import Journal
from osler.runs.transcript import Transcript
from osler.settings.run_settings import RunSettings
from osler.simulator.clients import Clients, ClientSettings, ConsultationClients
from osler.simulator.worker import Job, simulate_one

_SETTLE = 0.5
"""Seconds that consultations have to end once none of their requests is in flight."""
_LOOK = 0.05
"""Seconds between two looks at what is in flight."""


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker is made from."""

    settings: RunSettings
    clients: ClientSettings
    module_path: tuple[str, ...] = ()
    """Where the run's own process finds modules, so that a worker finds your classes, too."""

    def extend_module_path(self) -> None:
        """Look there as well in this process.

        Last, so that no module there takes the place of an installed one.
        """
        sys.path.extend(folder for folder in self.module_path if folder not in sys.path)


@dataclass(frozen=True)
class AnswerMessage:
    """A worker got an answer, and waits until it is written."""

    number: int
    """Number of the consultation."""
    key: str
    answer: Completion
    ticket: int
    """By which the worker knows the answer."""


@dataclass(frozen=True)
class WrittenMessage:
    """An answer is written; its consultation may go on."""

    ticket: int


@dataclass(frozen=True)
class StopMessage:
    """The run is to stop: send no more requests."""

    kind: str = "stopped"
    message: str = "the run was stopped"


@dataclass(frozen=True)
class EndMessage:
    """A consultation is over for its worker: it ended, or the run was stopped."""

    number: int
    outcome: Transcript | StopMessage


@dataclass(frozen=True)
class UsedMessage:
    """A worker was charged for an answer, be it of use or not."""

    answer: Completion


Message = (
    WorkerSetup | Job | UsedMessage | AnswerMessage | WrittenMessage | StopMessage | EndMessage
)


class WorkerServer:
    """Runs the consultations that messages ask for, and reports by messages.

    It writes nothing itself.
    """

    def __init__(
        self, setup: WorkerSetup, watch: Callable[[Job, Journal], None] | None = None
    ) -> None:
        """Prepare; `watch` is given the journal of each consultation that starts."""
        self._settings = setup.settings
        self._clients = Clients(setup.clients)
        self._watch = watch
        self._reports: asyncio.Queue[Message] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._tickets = itertools.count()
        self._unwritten: dict[int, asyncio.Future[None]] = {}
        """Answers that the run has not written yet, by their ticket."""

    async def receive(self) -> list[Message]:
        """Return what there is to report, as soon as there is something."""
        first = await self._reports.get()
        return [first, *(self._reports.get_nowait() for _ in range(self._reports.qsize()))]

    def send(self, message: Message) -> None:
        """Do what a message says."""
        match message:
            case Job():
                task = asyncio.create_task(self._run(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case WrittenMessage():
                if not (waiting := self._unwritten.pop(message.ticket)).done():
                    waiting.set_result(None)
            case StopMessage():
                self._clients.requests.stop(RunStopped(message.kind, message.message))
                self._winding_down = asyncio.ensure_future(self._wind_down())

    async def _run(self, job: Job) -> None:
        async def keep(key: str, answer: Completion) -> None:
            ticket = next(self._tickets)
            self._unwritten[ticket] = waiting = asyncio.get_running_loop().create_future()
            self._reports.put_nowait(AnswerMessage(job.number, key, answer, ticket))
            await waiting

        journal = Journal()
        settings = self._settings.for_column(job.cell.column)
        if self._watch is not None:
            self._watch(job, journal)
        outcome: Transcript | StopMessage
        try:
            clients = ConsultationClients(
                self._clients,
                job.cell.trial,
                job.kept,
                keep,
                settings.limits,
                self,
                turn=lambda: journal.turn,
                temperature=settings.temperature,
            )
            outcome = await simulate_one(
                job.record, job.cell, settings, clients, journal, job.experience
            )
        except RunStopped as stop:
            outcome = StopMessage(stop.kind, stop.message)
        except asyncio.CancelledError:
            outcome = StopMessage()
        except Exception as error:
            outcome = StopMessage("error", str(error) or type(error).__name__)
        self._reports.put_nowait(EndMessage(job.number, outcome))

    def check(self) -> None:
        """Do nothing: the run tells its workers to stop when one of its limits is reached."""

    def used(self, answer: Completion) -> None:
        """Report an answer that was paid for."""
        self._reports.put_nowait(UsedMessage(answer))

    async def _wind_down(self) -> None:
        """Wait for the answers to requests in flight, then end what waits for anything else."""
        loop = asyncio.get_running_loop()
        quiet_since = loop.time()
        while self._tasks:
            if self._clients.requests.count:
                quiet_since = loop.time()
            elif loop.time() - quiet_since >= _SETTLE:
                return self._cancel()
            await asyncio.wait(self._tasks, timeout=_LOOK)

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """End everything at once, and close the backbones."""
        self._cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._clients.close()
