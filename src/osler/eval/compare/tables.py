"""The tables of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from osler import row_labels
from osler.eval.causes import cause_tables
from osler.eval.compare.columns import ColumnFigures
from osler.eval.compare.comparison import Comparison
from osler.eval.compare.difference_tables import difference_table, significance_table
from osler.eval.compare.measure_rows import SENSITIVITY, cell, count_rows, has_row, measure_rows
from osler.eval.compare.paper import paper_table
from osler.eval.experience import experience_tables
from osler.eval.measures import Place, all_measures, measures_in
from osler.eval.statistics import NO_INTERVAL
from osler.runs.makers import maker_note, maker_rows, own_merit
from osler.runs.scored import DIAGNOSIS, TREATMENT
from osler.runs.short_names import backbone_name, same_models
from osler.tables import DASH, Table

_PLURALS = {DIAGNOSIS: "diagnoses", TREATMENT: "treatments"}


def comparison_tables(
    comparison: Comparison, *, paper: bool = False, place: Place = Place.COMPARE
) -> list[Table]:
    """The table of all columns, and those that explain it.

    Args:
        comparison: What was compared.
        paper: Whether to add the figures that the papers published.
        place: Where the tables stand, which chooses the measures.
    """
    tables = [_main(comparison, place), *_maker_tables(comparison.columns)]
    if comparison.differences:
        tables.append(difference_table(comparison.differences))
        tables.append(significance_table(comparison.differences, comparison.unpaired))
    tables += experience_tables(comparison.experience)
    tables += cause_tables(comparison.causes)
    groups = comparison.groups or {}
    tables += [_group(name, columns, place) for name, columns in groups.items()]
    if paper:
        tables.append(paper_table())
    return tables


def _main(comparison: Comparison, place: Place) -> Table:
    columns = comparison.columns
    marked = {
        (difference.measure, difference.first.name)
        for difference in comparison.differences
        if difference.is_told_apart
    }
    rows = [
        *count_rows(columns),
        *measure_rows(columns, place, marked),
        *_pass_rows(columns),
    ]
    notes = [_about(comparison), *_notes(comparison, rows, has_marks=bool(marked))]
    return Table.of("comparison", _header(columns), rows, notes)


def _header(columns: Sequence[ColumnFigures]) -> list[str]:
    return ["", *(column.name for column in columns)]


def _pass_rows(columns: Sequence[ColumnFigures]) -> Iterator[list[str]]:
    for k in range(2, _most_trials(columns) + 1):
        yield [f"pass^{k} %", *(_pass_text(column, k) for column in columns)]


def _most_trials(columns: Sequence[ColumnFigures]) -> int:
    return max((max(column.passes, default=0) for column in columns), default=0)


def _pass_text(column: ColumnFigures, k: int) -> str:
    value = column.passes.get(k)
    if value is None:
        return DASH
    return f"{100 * value:.1f} (n={column.pass_records[k]})"


def _about(comparison: Comparison) -> str:
    about = f"judge: {comparison.judge}; patient: {backbone_name(comparison.patient_backbone)}"
    if comparison.visits:
        about += f"; after earlier visits, {comparison.filler} turn(s) of small talk"
    return f"{about}; in brackets 95 % intervals"


def _notes(comparison: Comparison, rows: list[list[str]], *, has_marks: bool) -> Iterator[str]:
    """What a reader needs below the table: who judged, how to read it, and what to beware of."""
    yield row_labels.NOTE
    yield from comparison.judge_notes
    yield from comparison.patient_judge_notes
    yield from _notations(comparison.columns, rows)
    yield from _no_interval(comparison.columns)
    yield from _undecided_notes(comparison.columns)
    yield from _on_models(comparison)
    if any(column.figures["diagnosis_top5"].value is None for column in comparison.columns):
        yield "right among five is not measured where nobody has read the differentials"
    if any(column.pairs or column.pairs_left_out for column in comparison.columns):
        yield SENSITIVITY
    if has_marks:
        yield "* told apart from its reference: see the paired differences"
    for column, ceiling, gap in comparison.gaps:
        yield f"{column.name} is {100 * gap:.1f} points below the ceiling ({ceiling.name})"
    for warning in comparison.warnings:
        yield f"! {warning}"


def _notations(columns: Sequence[ColumnFigures], rows: list[list[str]]) -> Iterator[str]:
    """Explain `(n=…)` and `pass^k`, if the table has them."""
    if any("(n=" in "".join(row) for row in rows):
        yield (
            "n: what a figure was counted from, where that is not every consultation with an answer"
        )
    if _most_trials(columns) > 1:
        yield (
            "pass^k: all of k trials of a record are right; its n are records with at least k"
            " trials"
        )


def _no_interval(columns: Iterable[ColumnFigures]) -> Iterator[str]:
    """Say why shares stand without brackets, if some do."""
    shares = [measure.name for measure in measures_in(Place.COMPARE) if measure.is_share]
    for column in columns:
        figures = [column.figures[name] for name in shares if name in column.figures]
        if any(figure.lacks_interval for figure in figures):
            yield NO_INTERVAL
            return


def _undecided_notes(columns: Sequence[ColumnFigures]) -> Iterator[str]:
    """Say how many verdicts of each column are undecided, and what that means."""
    counts = []
    for kind, plural in _PLURALS.items():
        for column in columns:
            undecided = column.undecided[kind]
            judged = column.figures[f"{kind}_right"].n
            if undecided:
                counts.append(f"{column.name} {undecided} of {judged} {plural}")
    if counts:
        yield (
            f"undecided, counted as not right, and in the upper bound as right: {', '.join(counts)}"
        )
        yield (
            "`osler score RUN --judge SPEC` lets a model decide them; `osler compare --judge NAME`"
            " shows its verdicts"
        )


def _on_models(comparison: Comparison) -> Iterator[str]:
    """Say whose answers figures rest on, what is one model, and what answers saved or cost."""
    columns = comparison.columns
    yield from own_merit(column.makers for column in columns)
    for names in same_models({column.backbone: column.backbone_name for column in columns}):
        yield (
            f"{', '.join(names)}: the same model at different servers; `osler runs status` shows"
            " their addresses"
        )
    yield from comparison.shared_answer_notes
    unpriced = [column.name for column in columns if column.figures["cost"].n < column.answered]
    if unpriced:
        yield (
            f"cost not known, or not of all: {', '.join(unpriced)}; OSLER_PRICES names a table of"
            " prices"
        )


def _maker_tables(columns: Sequence[ColumnFigures]) -> list[Table]:
    """Rows that say who made what, unless only rules did."""
    makers = [column.makers for column in columns]
    rows = maker_rows(makers)
    if not rows:
        return []
    notes = [maker_note(makers), "counted over all consultations with an answer"]
    return [Table.of("who made what", _header(columns), rows, notes)]


def _group(name: str, columns: Sequence[ColumnFigures], place: Place) -> Table:
    """The measures that are tested, and their upper bounds, for one language or specialty."""
    rows = [["consultations", *(str(column.consultations) for column in columns)]]
    for measure in all_measures():
        is_bound = measure.upper_bound_of is not None and has_row(measure, columns)
        if measure.is_tested or is_bound:
            cells = [cell(column, measure, place) for column in columns]
            rows.append([measure.row_label(place), *cells])
    return Table.of(name, _header(columns), rows, _no_interval(columns))
