"""Many consultations: records × backbones × memories × trials, some at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from osler import __version__
from osler.events import ConsultationError, Failed, Journal, Role
from osler.prompts import prompts_hash
from osler.records.schema import PatientRecord
from osler.seeds import derive
from osler.simulator.build import Settings, case_of, seat
from osler.simulator.clients import Clients
from osler.simulator.consultation import consult
from osler.simulator.runs import Cell, Run
from osler.simulator.transcript import Header, Transcript

Watch = Callable[["Progress"], None]


@dataclass(frozen=True)
class Plan:
    """What a run consists of."""

    records: Sequence[PatientRecord]
    backbones: Sequence[str]
    memories: Sequence[str]
    trials: int = 1
    settings: Settings = field(default_factory=Settings)

    def cells(self) -> list[tuple[PatientRecord, Cell]]:
        """Every consultation, patient by patient."""
        return [
            (record, Cell(record.id, backbone, memory, trial))
            for record in self.records
            for backbone in self.backbones
            for memory in self.memories
            for trial in range(1, self.trials + 1)
        ]


@dataclass
class Progress:
    """How far a run is, for whoever shows it."""

    total: int
    skipped: int = 0
    done: list[Transcript] = field(default_factory=list)
    under_way: dict[Cell, Journal] = field(default_factory=dict)


async def run_batch(
    plan: Plan,
    run: Run,
    clients: Clients,
    *,
    concurrency: int,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Progress:
    """Run what the run does not have yet; each consultation is saved as soon as it ends."""
    cells = plan.cells()
    todo = [(record, cell) for record, cell in cells if not run.has(cell)]
    progress = progress or Progress(total=len(cells))
    progress.skipped = len(cells) - len(todo)
    gate = asyncio.Semaphore(concurrency)

    async def one(record: PatientRecord, cell: Cell) -> None:
        async with gate:
            journal = Journal()
            progress.under_way[cell] = journal
            transcript = await simulate_one(record, cell, plan.settings, clients, journal)
            run.save(transcript)
            del progress.under_way[cell]
            progress.done.append(transcript)
            if watch is not None:
                watch(progress)

    try:
        async with asyncio.TaskGroup() as group:
            for record, cell in todo:
                group.create_task(one(record, cell))
    except ExceptionGroup as several:
        # One cause usually stops all of them; the first is the one to tell.
        raise several.exceptions[0] from None
    return progress


async def simulate_one(
    record: PatientRecord, cell: Cell, settings: Settings, clients: Clients, journal: Journal | None = None
) -> Transcript:
    """One consultation, from the record to its transcript; what fails is part of it."""
    journal = journal or Journal()
    limit = settings.turn_limit(record)
    seats = seat(record, cell.backbone, cell.memory, cell.trial, settings, journal, clients)
    try:
        ending = await consult(seats, case_of(record), journal, limit)
    except ConsultationError as error:
        journal.add(Failed, Role.SIMULATOR, kind=error.kind, message=str(error))
        ending = error.ending
    header = Header(
        case=record.id,
        patient=record.patient,
        language=record.language,
        specialty=record.specialty,
        backbone=cell.backbone,
        patient_backbone=settings.patient_backbone,
        memory=cell.memory,
        trial=cell.trial,
        seed=derive(settings.seed, record.id, cell.trial, "consultation"),
        guards=settings.guards,
        turn_limit=limit,
        version=__version__,
        prompts=prompts_hash(record.language),
    )
    return Transcript(header=header, ending=ending, events=tuple(journal.events))
