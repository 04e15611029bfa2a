"""Ask every simulated patient the questions of every interview, several at a time, resumable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from osler.agents.patients import check_patients
from osler.errors import RunStopped, UserError
from osler.models import parse_spec
from osler.models.rate_limit import Rates
from osler.settings.names import TIMEOUT
from osler.settings.run_settings import RunSettings
from osler.simulator.clients import Clients, ClientSettings
from osler.validate.ask import AskSettings, ask_patient, content_hash
from osler.validate.cases import InterviewCase
from osler.validate.results import AskedInterview, PatientColumn
from osler.validate.store import ValidationFolder

Progress = Callable[[AskedInterview, int, int], None]
"""Called after each interview with what was asked, how many are done, and how many there are."""


@dataclass(frozen=True)
class RunOptions:
    """How fast models are asked, and what decides their answers."""

    settings: AskSettings = field(default_factory=AskSettings)
    concurrency: int = 4
    timeout: float = TIMEOUT


def patient_columns(
    patients: Sequence[str], agents: Sequence[str], ram: str | None
) -> list[PatientColumn]:
    """The simulated patients; without a RAM of its own, each one's model also retrieves.

    Raises:
        UserError: A spec cannot be read, or there is no such agent for this patient.
    """
    columns = []
    for patient, agent in product(dict.fromkeys(patients), dict.fromkeys(agents)):
        for spec in (patient, ram or patient):
            parse_spec(spec)
        check_patients([RunSettings(patient_backbone=patient, patient_agent=agent)])
        columns.append(PatientColumn(patient=patient, ram=ram or patient, agent=agent))
    return columns


async def ask_all(
    cases: Sequence[InterviewCase],
    columns: Sequence[PatientColumn],
    folder: ValidationFolder,
    options: RunOptions,
    progress: Progress | None = None,
) -> list[AskedInterview]:
    """Ask what is not in the folder yet, and return all interviews of these columns.

    Raises:
        UserError: A model cannot be reached, or the folder cannot be used.
    """
    contents = {case.interview.id: content_hash(case, options.settings) for case in cases}
    finished = folder.finished(columns, contents)
    total = len(columns) * len(cases)
    results = dict(finished)
    clients = clients_of(folder, options)
    gate = asyncio.Semaphore(options.concurrency)

    async def ask(case: InterviewCase, column: PatientColumn) -> None:
        async with gate:
            asked = await ask_patient(case, column, options.settings, clients)
        folder.append(asked)
        results[column, case.interview.id] = asked
        if progress is not None:
            progress(asked, len(results), total)

    tasks = []
    for column in columns:
        for case in cases:
            if (column, case.interview.id) not in finished:
                tasks.append(ask(case, column))
    try:
        await together(tasks)
    finally:
        await clients.close()
    ordered = []
    for column in columns:
        ordered += [results[column, case.interview.id] for case in cases]
    return ordered


def clients_of(folder: ValidationFolder, options: RunOptions) -> Clients:
    """The clients of all models, with the folder's answers."""
    settings = ClientSettings(
        timeout=options.timeout,
        seed=options.settings.seed,
        rates=Rates(at_once=options.concurrency),
        cache=folder.cache,
    )
    return Clients(settings)


async def together(tasks: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run tasks at the same time; the first error ends them all.

    Raises:
        UserError: A model cannot be reached: what is done is kept.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                group.create_task(task)
    except ExceptionGroup as failures:
        # What the others raise follows from the first: they are cancelled, or fail alike.
        first = failures.exceptions[0]
        if isinstance(first, RunStopped):
            first = UserError(first.message, "re-run the same command to resume")
        raise first from None
