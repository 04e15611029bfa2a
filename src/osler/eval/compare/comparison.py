"""Compares the columns of one or several runs in pairs, over the same consultations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from osler.errors import UserError
from osler.eval.causes import LostCauses, lost_causes
from osler.eval.compare.columns import ACCURACY, ColumnFigures, by_column, columns_of
from osler.eval.compare.differences import ColumnDifference, differences_of
from osler.eval.compare.pairs import doctor_of, pairs_of, without_partner
from osler.eval.compare.warnings import warnings_of
from osler.eval.experience import ExperienceFigures, StreamColumn, experience_figures
from osler.eval.faithfulness.patient_verdicts import ruler_notes, ruler_of
from osler.eval.measures import Place, all_measures
from osler.eval.reader.marks import mark_notes
from osler.eval.runs import Run
from osler.runs.makers import saved_note
from osler.runs.plan import Column
from osler.runs.scored import ScoredConsultation
from osler.runs.short_names import ShortNames
from osler.settings.names import ONE_STEP

if TYPE_CHECKING:
    import pandas as pd


_FEATURES = ("language", "specialty")
"""What consultations can always be divided by."""
_PLACES = {Place.COMPARE, Place.REPORT}
"""Where the figures of a comparison are shown."""


class Gap(NamedTuple):
    """An interactive column beside the ceiling of its doctor, who was told everything."""

    column: ColumnFigures
    ceiling: ColumnFigures
    share: float
    """How far the column's accuracy is below the ceiling's, from -1 to 1."""


@dataclass(frozen=True)
class Comparison:
    """A table, with what its reader has to know."""

    columns: list[ColumnFigures]
    differences: list[ColumnDifference]
    judge: str
    patient_backbone: str
    visits: bool = False
    """Whether the memories heard earlier visits first."""
    filler: int = 0
    """Turns of small talk between these visits."""
    warnings: tuple[str, ...] = ()
    unpaired: tuple[str, ...] = ()
    """Consultations of a column without a partner in the one it is compared with, a line each."""
    patient_judge: str | None = None
    """The model that read replies of the patient; None if nobody has."""
    judge_notes: tuple[str, ...] = ()
    """How far the judge agrees with people."""
    patient_judge_notes: tuple[str, ...] = ()
    """Who read replies of the patient, and how many of them."""
    shared_answer_notes: tuple[str, ...] = ()
    """What sharing answers saved, a line for each run in which any were shared."""
    causes: LostCauses | None = None
    """Why consultations were lost, if a run was explained."""
    experience: ExperienceFigures | None = None
    """What lessons from earlier patients are worth, if a column has any."""
    groups: dict[str, list[ColumnFigures]] | None = None
    """The same columns by language or specialty, if that was asked for."""

    @property
    def gaps(self) -> list[Gap]:
        """Every interactive column whose doctor was also told everything."""
        ceilings = {
            doctor_of(column): column for column in self.columns if column.memory == ONE_STEP
        }
        gaps = []
        for column in self.columns:
            ceiling = ceilings.get(doctor_of(column))
            if ceiling is None or ceiling is column:
                continue
            high = ceiling.figures[ACCURACY].value
            low = column.figures[ACCURACY].value
            if high is not None and low is not None:
                gaps.append(Gap(column, ceiling, high - low))
        return gaps

    def frame(self) -> pd.DataFrame:
        """Return one row per column and measure, with the figure, its n and its interval.

        A column that is compared with several others has a row for each of them: the figure is the
        same, `against` and the difference are not.
        """
        from osler.eval.compare.frame import frame_of

        return frame_of(self.columns, self.differences)


class _ComparedRun(NamedTuple):
    """One of the runs, with the consultations that have ended."""

    label: str | None
    """Its name in the table, if there are several."""
    run: Run
    judge: str
    consultations: list[ScoredConsultation]


def compare(
    runs: Sequence[Run],
    *,
    judge: str | None = None,
    against: str | None = None,
    by: str | None = None,
    patient_judge: str | None = None,
) -> Comparison:
    """Compare the columns of runs.

    Args:
        runs: One or several; with several, every column names its run.
        judge: Whose verdicts; the run's own unless another is named.
        against: The memory that the others are compared with; without it, the first of each doctor.
        by: `language`, `specialty` or what columns differ in, such as `persona`, for a table of
            each.
        patient_judge: Whose word on leaks and fabrications; else the last model's that read replies
            of all runs.

    Raises:
        UserError: A run was not judged by that judge, or there is nothing to compare.
    """
    files = [run.file for run in runs]
    # Chosen over all runs: the last model of one run may have read nothing in another.
    patient_judge = ruler_of(files, patient_judge)
    compared = []
    for run in runs:
        consultations = list(run.consultations(judge, patient_judge))
        compared.append(_ComparedRun(_label(run, runs), run, run.judge(judge), consultations))
    names = _short_names(compared)
    columns = _columns(compared, names)
    if not columns:
        raise UserError("no consultation has ended yet", "go on with the run")
    _check_reference(columns, against)
    pairs = list(pairs_of(columns, against))
    # The first run stands for all: where others differ, a warning says so.
    settings = runs[0].about["settings"]
    by_name = _by_name(compared, columns)
    name_pairs = [(pair.column.name, pair.reference.name) for pair in pairs]
    judges = [(compared_run.run.file, compared_run.judge) for compared_run in compared]
    return Comparison(
        columns=columns,
        differences=differences_of(pairs),
        judge=compared[0].judge,
        patient_backbone=settings["patient_backbone"],
        visits=settings.get("visits", False),
        filler=settings.get("filler", 0),
        warnings=tuple(warnings_of(runs, columns)),
        unpaired=tuple(without_partner(pairs)),
        patient_judge=patient_judge,
        judge_notes=tuple(mark_notes(files, compared[0].judge)),
        patient_judge_notes=tuple(ruler_notes(files, patient_judge)),
        shared_answer_notes=tuple(_shared_answer_notes(compared)),
        causes=lost_causes(by_name, name_pairs, judges),
        experience=experience_figures(_streams(columns, by_name)),
        groups=_groups(compared, by, names) if by is not None else None,
    )


def _label(run: Run, runs: Sequence[Run]) -> str | None:
    """Name a run in a table of several, by its path where another has the same name."""
    if len(runs) == 1:
        return None
    same = sum(other.path.stem == run.path.stem for other in runs)
    if same == 1:
        return run.path.stem
    return str(run.path)


def _short_names(compared: Iterable[_ComparedRun]) -> ShortNames:
    columns: set[Column] = set()
    for run in compared:
        columns.update(consultation.column for consultation in run.consultations)
    return ShortNames.of(columns)


def _columns(compared: Iterable[_ComparedRun], names: ShortNames) -> list[ColumnFigures]:
    measures = [measure for measure in all_measures() if measure.places & _PLACES]
    columns = []
    for run in compared:
        columns += columns_of(run.consultations, run.label, names, measures)
    return columns


def _check_reference(columns: Iterable[ColumnFigures], against: str | None) -> None:
    memories = sorted({column.memory for column in columns})
    if against is not None and against not in memories:
        raise UserError(
            f"no column has the memory {against!r}", f"give one of {', '.join(memories)}"
        )


def _by_name(
    compared: Iterable[_ComparedRun], columns: Iterable[ColumnFigures]
) -> dict[str, list[ScoredConsultation]]:
    """The consultations of each column, by its name."""
    by_run = {run.label: by_column(run.consultations) for run in compared}
    return {column.name: by_run[column.run][column.column] for column in columns}


def _streams(
    columns: Iterable[ColumnFigures], by_name: Mapping[str, list[ScoredConsultation]]
) -> list[StreamColumn]:
    return [
        StreamColumn(column.name, column.run, column.column, by_name[column.name])
        for column in columns
    ]


def _shared_answer_notes(compared: Iterable[_ComparedRun]) -> Iterator[str]:
    """Say of each run, by its name if there are several, what sharing answers saved in it."""
    for run in compared:
        for note in saved_note(consultation.makers for consultation in run.consultations):
            yield f"{run.label}: {note}" if run.label else note


def _check_by(compared: Iterable[_ComparedRun], by: str) -> None:
    """Refuse what consultations cannot be divided by."""
    axes: set[str] = set()
    for run in compared:
        for consultation in run.consultations:
            axes.update(name for name, _ in consultation.column.variants)
    choices = (*_FEATURES, *sorted(axes))
    if by not in choices:
        raise UserError(f"there is no {by!r} to divide by", f"give one of {', '.join(choices)}")


def _part(consultation: ScoredConsultation, by: str) -> str:
    if by in _FEATURES:
        return str(getattr(consultation, by))
    return consultation.column.variant(by) or "-"


def _groups(
    compared: Sequence[_ComparedRun], by: str, names: ShortNames
) -> dict[str, list[ColumnFigures]]:
    """The columns of each language, specialty or value of what columns differ in."""
    _check_by(compared, by)
    groups: dict[str, list[_ComparedRun]] = {}
    for run in compared:
        parts: dict[str, list[ScoredConsultation]] = {}
        for consultation in run.consultations:
            parts.setdefault(_part(consultation, by), []).append(consultation)
        for part, consultations in parts.items():
            groups.setdefault(part, []).append(run._replace(consultations=consultations))
    return {part: _columns(groups[part], names) for part in sorted(groups)}
