"""Forking a consultation: its first turns as they were, then another doctor, strategy or memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from osler.errors import RunStopped, UserError
from osler.eval.scoring import score
from osler.memory import check_memories
from osler.records.schema import PatientRecord
from osler.replay.rerun import continue_from
from osler.runs.events import Journal
from osler.runs.plan import HUMAN, ONE_STEP, Cell, Column, Limits, Settings, models_of
from osler.runs.store import Fork, RunWriter, answer_row, forks_path
from osler.runs.transcript import Transcript
from osler.simulator.batch import about
from osler.simulator.build import check_strategies, seat
from osler.simulator.clients import Clients, ClientSettings, ConsultationClients
from osler.simulator.consultation import Seats
from osler.simulator.limits import RunLimiter
from osler.simulator.worker import hold

if TYPE_CHECKING:
    from osler.models.completion import Completion


@dataclass(frozen=True)
class Parent:
    """The consultation that is forked, and what it was held with."""

    run: Path
    transcript: Transcript
    record: PatientRecord
    settings: Settings


def fork(parent: Parent, turn: int, column: Column, timeout: float) -> tuple[Path, int]:
    """Hold a fork and keep it as an ordinary consultation, scored like any other.

    Args:
        parent: The consultation that is forked.
        turn: The last turn that the fork shares with it.
        column: The doctor, strategy and memory that go on.
        timeout: Seconds to wait for a model's answer.

    Returns:
        The run of the fork, and its number there.

    Raises:
        UserError: It cannot be held, or cannot be kept. Nothing is kept of a fork that was not held to its end.
    """
    _check(parent, turn, column)
    clients = Clients(ClientSettings(timeout=timeout, temperature=parent.settings.temperature))
    for spec in models_of([column], parent.settings):
        clients.open(spec)  # a wrong name stops here, before a file is made
    path, header = forks_path(parent.run), parent.transcript.header
    with RunWriter.create_or_resume(path, about(parent.settings)) as store:
        cell = Cell(header.case, column, store.next_trial(header.case, column))
        transcript, answers = asyncio.run(_held(parent, cell, turn, clients))
        store.begin({"fork_of": parent.run.stem, "turn": turn})
        number = store.add_fork(parent.record, cell, Fork(parent.run.stem, header.cell, turn))
        store.keep(answer_row(number, key, answer) for key, answer in answers)
        store.finish(number, transcript, score(transcript, parent.record))
    return path, number


async def _held(
    parent: Parent, cell: Cell, turn: int, clients: Clients
) -> tuple[Transcript, list[tuple[str, Completion]]]:
    """The consultation, and what models were paid for in it, by the keys of the requests."""
    settings, record, journal = parent.settings, parent.record, Journal()
    answers: list[tuple[str, Completion]] = []

    async def keep(key: str, answer: Completion) -> None:
        answers.append((key, answer))

    own = ConsultationClients(clients, cell.trial, (), keep, settings.limits, RunLimiter(Limits()))

    def seating() -> Seats:
        seats = seat(record, cell.column, cell.trial, settings, journal, own)
        return continue_from(parent.transcript, turn, seats, record, journal)

    try:
        return await hold(seating, record, cell, settings, journal, settings.limits), answers
    except RunStopped as stop:
        raise UserError(f"the fork could not be held: {stop.message}", "nothing was kept; fork again") from None
    finally:
        await clients.close()


def _check(parent: Parent, turn: int, column: Column) -> None:
    turns = max((event.turn for event in parent.transcript.replies), default=0)  # silent turns have no reply
    if not 1 <= turn <= turns:
        raise UserError(
            f"{parent.transcript.header.case!r} has {turns} turn(s), it cannot be forked after {turn}",
            f"give --fork-at a number from 1 to {turns}" if turns else "choose one in which something was asked",
        )
    if column.backbone == HUMAN:
        raise UserError("a person held this consultation", "say with --backbone who goes on")
    if parent.settings.patient_backbone == HUMAN:
        raise UserError("the patient of this run is a person", "fork a consultation of a run whose patient is not")
    if column.memory == ONE_STEP:
        raise UserError(f"{ONE_STEP} asks nothing, so nothing can go on with it", "give another --memory")
    check_memories([column.memory])
    check_strategies([column.strategy])
