"""The runs that people play into.

What a player asks for, the run it goes to, and storing what has ended.

A run is locked only while something is stored, so that any number of people can play into it.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from osler.errors import StorageError, UserError
from osler.eval.scoring import score
from osler.language import Language
from osler.models.completion import Completion
from osler.records.schema import PatientRecord
from osler.runs.events import Role
from osler.runs.plan import Cell, Column, Plan, Selector, default_ram
from osler.runs.store import RunFile, RunWriter, answer_row, run_path
from osler.runs.transcript import Transcript
from osler.seeds import derive
from osler.settings.names import HUMAN, PLAIN, RULES
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import about

PATIENCE = 20.0
"""Seconds to wait for another process that is writing to the run."""
Paid = tuple[str, Completion]
"""The key of a request, and the model's answer."""


@dataclass(frozen=True)
class PlayRequest:
    """What a player asks for."""

    role: Role
    """The person's role: doctor or patient."""
    case: str | None = None
    language: Language | None = None
    doctor: str = RULES
    """Who plays opposite a patient."""
    patient: str = RULES
    """Who plays opposite a doctor."""
    memory: str = "tim"
    strategy: str = PLAIN
    """Strategy of a model opposite a patient."""
    seed: int = 0
    out: str | Path | None = None
    """The run; None: the first of `play-doctor`, `play-doctor-2`, … that has these settings or
    is new."""
    preferred: Language | None = None
    """The language of a patient who is drawn, if the pool has any; a case or a language that is
    named comes first."""

    @property
    def opposite(self) -> str:
        """The backbone opposite the person."""
        if self.role is Role.DOCTOR:
            return self.patient
        return self.doctor

    @property
    def column(self) -> Column:
        """The doctor and its memory, as a transcript names them."""
        return Column.of(
            HUMAN if self.role is Role.DOCTOR else self.doctor, self.strategy, self.memory
        )

    @property
    def settings(self) -> RunSettings:
        """The settings of the run that it belongs to."""
        patient = self.patient if self.role is Role.DOCTOR else HUMAN
        return RunSettings(
            patient_backbone=patient, ram_backbone=default_ram(patient), seed=self.seed
        )


@dataclass(frozen=True)
class PlayAssignment:
    """One consultation to be played."""

    role: Role
    record: PatientRecord
    cell: Cell
    settings: RunSettings
    run: Path

    @property
    def turn_limit(self) -> int:
        """How many questions the doctor may ask."""
        return self.settings.turn_limit(self.record, self.cell.column.memory)


@dataclass(frozen=True, kw_only=True)
class OneCellPlan(Plan):
    """A run's plan for a single consultation, and none of the trials before it."""

    cell: Cell

    def cells(self, record: PatientRecord) -> Iterator[Cell]:
        """The one."""
        yield self.cell


class SavedConsultation(NamedTuple):
    """Where in its run a consultation was stored."""

    cell: int
    trial: int


def run_for(request: PlayRequest) -> Path:
    """Return the run that a player's consultation goes to.

    Raises UserError if the requested one cannot be used.
    """
    if request.out is not None:
        path = run_path(request.out)
        if path.exists() and not _fits(path, request.settings):
            remedy = "give another --out, or leave it out to be given one that fits"
            raise UserError(
                f"the run {path} was made with other settings or another version", remedy
            )
        try:  # better now than at the end
            with TemporaryFile(dir=next(one for one in path.parents if one.exists())):
                writable = os.access(path, os.W_OK) or not path.exists()
        except OSError:
            writable = False
        if not writable:
            raise UserError(f"the run {path} cannot be written", "give another --out")
        return path
    base = f"play-{request.role.value}"
    for number in count(1):
        path = run_path(base if number == 1 else f"{base}-{number}")
        with suppress(UserError):  # not a run, or of another format: not ours to touch
            if not path.exists() or _fits(path, request.settings):
                return path
    raise AssertionError("there is always a next number")


def _fits(path: Path, settings: RunSettings) -> bool:
    with RunFile.open(path) as run:
        same_settings = run.about() == json.loads(json.dumps(about(settings)))
        return same_settings and not run.changed_prompts()


def times_played(run: Path) -> Counter[str]:
    """Count how often each patient was played in a run."""
    if not run.exists():
        return Counter()
    with RunFile.open(run) as opened:
        return Counter(opened.patients())


def next_trial(run: Path, record: PatientRecord, request: PlayRequest) -> int:
    """Return the number of this patient's next trial in this column.

    Raises UserError if their record has changed.
    """
    if not run.exists():
        return 1
    with RunFile.open(run) as opened:
        mine = [cell for _, cell in opened.cells(Selector(record.id)) if cell.case == record.id]
        if mine and opened.record(record.id) != record:
            remedy = "give another --out, or the records as they were"
            raise UserError(
                f"the patient's record is not what it was when the run {run} began", remedy
            )
    return max((cell.trial for cell in mine if cell.column == request.column), default=0) + 1


def keep(
    assignment: PlayAssignment, transcript: Transcript, paid: Sequence[Paid]
) -> SavedConsultation:
    """Store and score a consultation that has ended, in whatever way.

    Raises UserError if the run cannot be written.
    """
    with _writer(assignment) as store:
        trial, number = _place(store, assignment)
        if trial != assignment.cell.trial:  # another process played the same patient meanwhile
            seed = derive(assignment.settings.seed, assignment.record.id, trial, "consultation")
            header = transcript.header.model_copy(update={"trial": trial, "seed": seed})
            transcript = transcript.model_copy(update={"header": header})
        store.begin({"play": assignment.role.value})
        store.store_answers([answer_row(number, key, answer) for key, answer in paid])
        store.finish(number, transcript, score(transcript, assignment.record))
        return SavedConsultation(number, trial)


def _writer(assignment: PlayAssignment) -> RunWriter:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return RunWriter.create_or_resume(assignment.run, about(assignment.settings))
        except StorageError:
            raise
        # That the settings fit was seen before, so somebody else must be writing.
        except UserError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def _place(store: RunWriter, assignment: PlayAssignment) -> tuple[int, int]:
    """The first free trial from the planned one on, and the number of its cell."""
    for trial in count(assignment.cell.trial):
        cell = replace(assignment.cell, trial=trial)
        todo = store.extend(
            OneCellPlan((assignment.record,), settings=assignment.settings, cell=cell)
        ).todo
        if todo:
            return trial, todo[0]
    raise AssertionError("there is always a next number")
