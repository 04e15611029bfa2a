"""What a run and its workers in other processes tell each other, and the worker's end of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from osler.errors import RunStopped, StorageError
from osler.models.completion import Completion
from osler.runs.plan import Settings
from osler.runs.transcript import Transcript
from osler.simulator.clients import Clients, ClientSettings
from osler.simulator.engines.local import wind_down
from osler.simulator.worker import Job, Worker


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker is made from."""

    settings: Settings
    clients: ClientSettings


@dataclass(frozen=True)
class AnswerMessage:
    """A worker got an answer, and waits until it is written."""

    number: int
    """Of the consultation."""
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


Message = WorkerSetup | Job | AnswerMessage | WrittenMessage | StopMessage | EndMessage


class WorkerServer:
    """Runs the consultations that messages ask for, and reports by messages. It writes nothing itself."""

    def __init__(self, setup: WorkerSetup, send: Callable[[Message], None]) -> None:
        """Make the worker, and report by `send`."""
        self._worker, self._send = Worker(setup.settings, Clients(setup.clients)), send
        self._tasks: set[asyncio.Task[None]] = set()
        self._tickets = itertools.count()
        self._unwritten: dict[int, asyncio.Future[None]] = {}
        """Answers that the run has not written yet, by their ticket."""

    def take(self, message: Message) -> None:
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
                reason = RunStopped(message.kind, message.message)
                self._winding_down = asyncio.ensure_future(wind_down(self._worker.requests, self._tasks, reason))
            case _:
                raise AssertionError(f"not a message for a worker: {type(message).__name__}")

    async def _run(self, job: Job) -> None:
        async def keep(key: str, answer: Completion) -> None:
            ticket = next(self._tickets)
            self._unwritten[ticket] = waiting = asyncio.get_running_loop().create_future()
            self._send(AnswerMessage(job.number, key, answer, ticket))
            await waiting

        outcome: Transcript | StopMessage
        try:
            outcome = await self._worker.run(job, keep)
        except RunStopped as stop:
            outcome = StopMessage(stop.kind, stop.message)
        except StorageError as error:
            outcome = StopMessage("not written", error.message)
        except asyncio.CancelledError:
            outcome = StopMessage()
        self._send(EndMessage(job.number, outcome))
