"""The runs that people play into: which one, what it has, and how a consultation gets there.

The writer is taken only to store what has ended, so that any number of people can play into one run.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from osler.errors import StorageError, UserError
from osler.eval.scoring import score
from osler.models.completion import Completion
from osler.play.request import OneCellPlan, PlayAssignment, PlayRequest
from osler.records.schema import PatientRecord
from osler.runs.plan import Selector, Settings
from osler.runs.store import RunFile, RunWriter, answer_row, run_path
from osler.runs.transcript import Transcript
from osler.seeds import derive
from osler.simulator.batch import about

PATIENCE = 20.0
"""Seconds to wait for somebody else who is writing to the run."""
_BETWEEN = 0.05

Paid = tuple[str, Completion]
"""A model's answer, with the key of its request."""


@dataclass(frozen=True)
class SavedConsultation:
    """Where a consultation was stored."""

    run: Path
    cell: int
    trial: int


def run_for(request: PlayRequest) -> Path:
    """The run that a player's consultation goes to.

    Raises:
        UserError: The run that was asked for has other settings, is none, or cannot be written.
    """
    if request.out is not None:
        path = run_path(request.out)
        if path.exists() and not _has(path, request.settings):
            remedy = "give another --out, or leave it out to be given one that fits"
            raise UserError(f"the run {path} was made with other settings or another version", remedy)
        _check_place(path)
        return path
    base = f"play-{request.role.value}"
    names = (base if number == 1 else f"{base}-{number}" for number in count(1))
    return next(path for path in map(run_path, names) if not path.exists() or _fits(path, request.settings))


def _check_place(path: Path) -> None:
    """Nobody should play to the end and hear then that it cannot be kept."""
    there = next(one for one in (path, *path.parents) if one.exists())
    if (there != path and not there.is_dir()) or not os.access(there, os.W_OK):
        raise UserError(f"the run {path} cannot be written", "give another --out")


def _has(path: Path, settings: Settings) -> bool:
    with RunFile.open(path) as run:
        return bool(run.about() == json.loads(json.dumps(about(settings))))


def _fits(path: Path, settings: Settings) -> bool:
    try:
        return _has(path, settings)
    except UserError:  # no run at all, or of another format: not ours to touch
        return False


def times_played(run: Path) -> Counter[str]:
    """How often each patient was played into a run."""
    if not run.exists():
        return Counter()
    with RunFile.open(run) as opened:
        return Counter(row["patient"] for row in opened.rows("patient"))


def next_trial(run: Path, record: PatientRecord, request: PlayRequest) -> int:
    """The number after the last of this patient's in this column.

    Raises:
        UserError: The run knows this patient by another record.
    """
    if not run.exists():
        return 1
    with RunFile.open(run) as opened:
        mine = [cell for _, cell in opened.cells(Selector(record.id)) if cell.case == record.id]
        if mine and opened.record(record.id) != record:
            remedy = "give another --out, or the records as they were"
            raise UserError(f"the patient's record is not what it was when the run {run} began", remedy)
    return max((cell.trial for cell in mine if cell.column == request.column), default=0) + 1


def keep(assignment: PlayAssignment, transcript: Transcript, paid: Sequence[Paid]) -> SavedConsultation:
    """Store and score a consultation that has ended, however it did. In one thread from first to last.

    Raises:
        UserError: The run cannot be written, or is written by somebody else all the time.
    """
    with _writer(assignment) as store:
        trial, number = _place(store, assignment)
        if trial != assignment.cell.trial:  # another process played the same patient meanwhile
            seed = derive(assignment.settings.seed, assignment.record.id, trial, "consultation")
            header = transcript.header.model_copy(update={"trial": trial, "seed": seed})
            transcript = transcript.model_copy(update={"header": header})
        store.begin({"play": assignment.role.value})
        store.keep([answer_row(number, key, answer) for key, answer in paid])
        store.finish(number, transcript, score(transcript, assignment.record))
        return SavedConsultation(store.path, number, trial)


def _writer(assignment: PlayAssignment) -> RunWriter:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return RunWriter.create_or_resume(assignment.run, about(assignment.settings))
        except StorageError:
            raise
        except UserError:  # that the settings fit was seen before; what is left is that somebody else is writing
            if time.monotonic() > deadline:
                raise
        time.sleep(_BETWEEN)


def _place(store: RunWriter, assignment: PlayAssignment) -> tuple[int, int]:
    """The first free trial from the planned one on, and the number of its cell."""
    for trial in count(assignment.cell.trial):
        plan = OneCellPlan(
            (assignment.record,), settings=assignment.settings, cell=replace(assignment.cell, trial=trial)
        )
        if todo := store.extend(plan).todo:
            return trial, todo[0]
    raise AssertionError("there is always a next number")


def run_name(path: Path) -> str:
    """A run as one would type it: its name where it lies in `runs`, else its path."""
    return path.stem if run_path(path.stem) == path else str(path)
