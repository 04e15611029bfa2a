"""The table that is printed after a run: answers, failures, and how the participants worked."""

from __future__ import annotations

from itertools import islice

from rich.console import Group
from rich.text import Text

from osler import row_labels
from osler.eval.compare.columns import ColumnFigures, columns_of
from osler.eval.compare.measure_rows import SENSITIVITY, count_rows, measure_rows
from osler.eval.faithfulness.patient_verdicts import ruler_notes, ruler_of
from osler.eval.measures import Place, measures_in
from osler.eval.reader.marks import mark_notes
from osler.eval.scoring import EXACT
from osler.runs.makers import Usage, maker_rows, saved_note, saved_usage
from osler.runs.short_names import ShortNames, backbone_name
from osler.runs.store import RunFile
from osler.runs.store.scores import scored_consultations
from osler.tables import Table, on_terminal

_REMEDY = (
    "undecided is counted as not right, and at most as right; `osler score RUN --judge SPEC` lets a"
    " model decide"
)

_BRACKETS = "in brackets 95 % intervals over patients, where there are enough for one"


def summary(run: RunFile, patient: str, judge: str | None = None) -> Group | Text:
    """One column each, with the verdicts of a judge or of the exact stage.

    A failed consultation is counted as failed and one that has no verdict as not judged, never as
    wrong.
    """
    ruler = ruler_of([run])
    consultations = list(scored_consultations(run, judge or EXACT, ruler))
    if not consultations:
        return Text("no consultation has ended yet")
    columns = columns_of(consultations, measures=measures_in(Place.SIMULATE))
    names = ShortNames.of(column.column for column in columns)
    header = ["", *(names.header(column.column) for column in columns)]
    notes = [_REMEDY] if any(sum(column.undecided.values()) for column in columns) else []
    notes += [_BRACKETS, row_labels.NOTE, *mark_notes([run], judge or EXACT)]
    if any(column.pairs or column.pairs_left_out for column in columns):
        notes.append(SENSITIVITY)
    notes += saved_note(consultation.makers for consultation in consultations)
    notes += islice(ruler_notes([run], ruler), 1)
    title = f"patient: {backbone_name(patient)}"
    return on_terminal([Table.of(title, header, _rows(columns), notes)])


def _rows(columns: list[ColumnFigures]) -> list[list[str]]:
    """What was counted, the measures, and who made what."""
    rows = [*count_rows(columns), *measure_rows(columns, Place.SIMULATE)]
    labels = {row[0] for row in rows}
    made = maker_rows([column.makers for column in columns])
    return [*rows, *(row for row in made if row[0] not in labels)]


def saved(run: RunFile) -> Usage:
    """What all consultations that have ended used, and in it what sharing answers saved."""
    return saved_usage(consultation.makers for consultation in scored_consultations(run, EXACT))
