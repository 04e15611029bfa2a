"""A whole validation: from files of interviews to figures."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from osler.errors import UserError, printable
from osler.language import Language
from osler.models import parse_spec
from osler.records.pool import RecordPool
from osler.tables import Table
from osler.validate.cases import MatchedCases, match_records
from osler.validate.doctors import doctors_of_run, human_doctors
from osler.validate.figures import LanguageFigures, ValidationInput, language_figures
from osler.validate.layouts import read_interviews
from osler.validate.read_all import Readings, read_all
from osler.validate.results import AskedInterview, PatientColumn
from osler.validate.run import Progress, RunOptions, ask_all, patient_columns
from osler.validate.store import ValidationFolder
from osler.validate.tables import tables_of

_MOST_NAMED = 5
"""Interviews that a warning names."""


@dataclass(frozen=True)
class ValidationRequest:
    """What is to be held beside what."""

    transcripts: Sequence[Path]
    pool: str
    patients: Sequence[str]
    agents: Sequence[str]
    """How their models are played; a column for each."""
    folder: Path
    ram: str | None = None
    judge: str | None = None
    doctors: Sequence[Path] = ()
    interviews: Sequence[str] = ()
    """Ids of the only interviews; empty: all."""
    limit: int | None = None
    """The most interviews of each language."""
    options: RunOptions = field(default_factory=RunOptions)


@dataclass(frozen=True)
class Validation:
    """The figures of each language, and what they rest on."""

    columns: tuple[PatientColumn, ...]
    languages: tuple[LanguageFigures, ...]
    readings: Readings | None
    warnings: tuple[str, ...]

    def tables(self) -> list[Table]:
        """All tables."""
        tables: list[Table] = []
        for figures in self.languages:
            tables += tables_of(figures, self.readings)
        return tables


def validate_patients(
    request: ValidationRequest,
    progress: Progress | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Validation:
    """Ask, read and compute; what is in the folder already is not asked again.

    Raises:
        UserError: An interview, a record, a model or a run cannot be used.
    """
    columns = patient_columns(request.patients, request.agents, request.ram)
    if request.judge is not None:
        parse_spec(request.judge)
    run_doctors = [column for path in request.doctors for column in doctors_of_run(path)]
    matched = _chosen_cases(request)
    folder = ValidationFolder(request.folder)
    folder.begin()
    asked, readings = asyncio.run(
        _asked_and_read(request, matched, columns, folder, progress, tell)
    )
    data = ValidationInput(
        cases=matched.cases,
        columns=columns,
        asked=asked,
        doctors=[human_doctors(matched.cases, asked), *run_doctors],
        readings=readings,
        seed=request.options.settings.seed,
    )
    present = {case.interview.language for case in matched.cases}
    languages = [
        language_figures(data, language, tell) for language in Language if language in present
    ]
    warnings = tuple(_warnings(matched, asked))
    return Validation(tuple(columns), tuple(languages), readings, warnings)


def _chosen_cases(request: ValidationRequest) -> MatchedCases:
    """The interviews that have a record, narrowed to those that were asked for."""
    interviews = read_interviews(request.transcripts)
    for name in request.interviews:
        if name not in {interview.id for interview in interviews}:
            raise UserError(f"there is no interview {name!r}", f"one is {interviews[0].id!r}")
    if request.interviews:
        interviews = [own for own in interviews if own.id in request.interviews]
    matched = match_records(interviews, RecordPool.open(request.pool))
    cases = []
    count: Counter[Language] = Counter()
    for case in matched.cases:
        count[case.interview.language] += 1
        if request.limit is None or count[case.interview.language] <= request.limit:
            cases.append(case)
    return MatchedCases(cases, matched.without_record)


async def _asked_and_read(
    request: ValidationRequest,
    matched: MatchedCases,
    columns: Sequence[PatientColumn],
    folder: ValidationFolder,
    progress: Progress | None,
    tell: Callable[[str], None],
) -> tuple[list[AskedInterview], Readings | None]:
    asked = await ask_all(matched.cases, columns, folder, request.options, progress)
    if request.judge is None:
        return asked, None
    tell(f"the replies are read by {printable(request.judge)}")
    readings = await read_all(matched.cases, asked, request.judge, folder, request.options)
    return asked, readings


def _warnings(matched: MatchedCases, asked: Sequence[AskedInterview]) -> list[str]:
    warnings = []
    missing = matched.without_record
    if missing:
        names = ", ".join(missing[:_MOST_NAMED])
        more = ", …" if len(missing) > _MOST_NAMED else ""
        warnings.append(
            f"{len(missing)} interview(s) have no record and are left out: {names}{more}"
        )
    for interview in asked:
        if not interview.is_whole:
            warnings.append(
                f"{interview.column.name}: {interview.interview} is left out:"
                f" {printable(interview.failure)}"
            )
    return warnings
