"""Another course from the middle of a consultation: its first turns as they were, then another doctor or memory."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from osler.errors import RunStopped, UserError
from osler.eval.scoring import score
from osler.memory import check_memories
from osler.records.schema import PatientRecord
from osler.replay.rerun import going_on
from osler.runs.events import Journal
from osler.runs.plan import HUMAN, ONE_STEP, Cell, Column, Limits, Settings, models_of
from osler.runs.store import Fork, RunFile, RunWriter, answer_row, forks_path
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


@dataclass(frozen=True)
class Change:
    """Where the fork leaves its parent, and with what."""

    turn: int
    column: Column


def fork(parent: Parent, change: Change, timeout: float) -> tuple[Path, int]:
    """Hold a fork and keep it as an ordinary consultation, scored like any; its run and number.

    Raises:
        UserError: It cannot be held, or cannot be kept. Nothing is kept of a fork that was not held to its end.
    """
    _check(parent, change)
    path = forks_path(parent.run)
    _check_settings(path, parent.settings)
    clients = Clients(ClientSettings(timeout=timeout, temperature=parent.settings.temperature))
    for spec in models_of([change.column], parent.settings):
        clients.open(spec)  # a wrong name stops here, before a file is made
    header = parent.transcript.header
    with RunWriter.create(path, about(parent.settings)) as store:
        cell = Cell(header.case, change.column, store.next_trial(header.case, change.column))
        transcript, answers = asyncio.run(_held(parent, cell, change.turn, clients))
        came_from = Fork(parent.run.stem, header.cell, change.turn)
        store.begin({"fork_of": parent.run.stem, "turn": change.turn})
        number = store.add_fork(parent.record, cell, came_from)
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
        return going_on(seats, record, parent.transcript, journal, turn)

    try:
        return await hold(seating, record, cell, settings, journal, settings.limits), answers
    except RunStopped as stop:
        raise UserError(f"the fork could not be held: {stop.message}", "nothing was kept; fork again") from None
    finally:
        await clients.close()


def _check(parent: Parent, change: Change) -> None:
    turns = max((event.turn for event in parent.transcript.replies), default=0)  # silent turns have no reply
    if not 1 <= change.turn <= turns:
        raise UserError(
            f"the consultation of {parent.transcript.header.case!r} has {turns} turn(s), it cannot be forked after"
            f" {change.turn}",
            f"give --fork-at a number from 1 to {turns}" if turns else "choose one in which something was asked",
        )
    if change.column.backbone == HUMAN:
        raise UserError("a person held this consultation", "say with --backbone who goes on")
    if parent.settings.patient_backbone == HUMAN:
        raise UserError("the patient of this run is a person", "fork a consultation of a run whose patient is not")
    if change.column.memory == ONE_STEP:
        raise UserError(f"{ONE_STEP} asks nothing, so nothing can go on with it", "give another --memory")
    check_memories([change.column.memory])
    check_strategies([change.column.strategy])


def _check_settings(path: Path, settings: Settings) -> None:
    """Forks of another version, or of a run of the same name that is gone, must not be mixed with these."""
    if path.is_file() and path.stat().st_size:
        with RunFile.open(path) as known:
            if known.about() != json.loads(json.dumps(about(settings))):
                raise UserError(
                    f"{path} holds forks that were made with other settings or another version",
                    "move it away, and fork again",
                )
