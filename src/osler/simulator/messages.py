"""Messages between a run and its workers in other processes: pickled, with their length before them."""

from __future__ import annotations

import asyncio
import pickle
import struct
from dataclasses import dataclass, replace

from osler.models.completion import Completion
from osler.models.rate_limit import Rates
from osler.runs.plan import Settings
from osler.runs.transcript import Transcript
from osler.simulator.clients import Clients, ClientSettings
from osler.simulator.worker import Job, Worker

LONGEST = 64 * 1024 * 1024
"""In bytes: a record, or a transcript with all its prompts, is far shorter."""
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker is made from."""

    settings: Settings
    clients: ClientSettings

    @classmethod
    def for_one_of(cls, workers: int, settings: Settings, clients: ClientSettings) -> WorkerSetup:
        """The setup of one of several workers, each with its part of what an endpoint allows."""
        return cls(settings, replace(clients, rates=(clients.rates or Rates()).shared_by(workers)))

    def worker(self) -> Worker:
        """The worker."""
        return Worker(self.settings, Clients(self.clients))


@dataclass(frozen=True)
class AnswerMessage:
    """A worker was given an answer, and waits until it is written."""

    number: int
    """Of the consultation."""
    key: str
    answer: Completion
    place: int = 0
    """By which the worker knows the answer."""


@dataclass(frozen=True)
class WrittenMessage:
    """Answers are written; their consultations may go on."""

    places: list[int]


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


def pack(message: Message) -> bytes:
    """A message as bytes."""
    body = pickle.dumps(message)
    return _LENGTH.pack(len(body)) + body


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """The next message; None when the other side is gone, also in the middle of a message."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if length > LONGEST:
            return None
        message: Message = pickle.loads(await reader.readexactly(length))  # noqa: S301 -- of a process that we started
    except (asyncio.IncompleteReadError, ConnectionError, pickle.UnpicklingError, EOFError):
        return None
    return message
