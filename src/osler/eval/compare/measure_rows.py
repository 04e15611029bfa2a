"""Rows of tables: what was counted of each column, and every measure that a place shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from osler.eval.compare.columns import ColumnFigures
from osler.eval.figure_text import figure_text, share_text
from osler.eval.measures import Measure, Place, measures_in
from osler.tables import DASH

COUNTS = {
    "consultations": "consultations",
    "patients": "patients",
    "failed (left out)": "failed",
    "unparsed": "unparsed",
    "pairs of twins": "pairs",
    "pairs left out": "pairs_left_out",
    "not judged (left out)": "unjudged",
    "memory calls failed in": "memory_failures",
}
"""Labels of rows that count consultations, and where a column has the count."""
SENSITIVITY = (
    "sensitivity: the share of pairs of twins, which differ in one deciding fact, in which both are"
    " right"
)
"""Explains the measures over pairs below a table."""
_HIDE_ZERO = {"pairs", "pairs_left_out", "unjudged", "memory_failures"}


def count_rows(columns: Sequence[ColumnFigures]) -> Iterator[list[str]]:
    """What was run and what is left out; of pairs and of what is missing only if there is any."""
    for label, name in COUNTS.items():
        counts = [getattr(column, name) for column in columns]
        if any(counts) or name not in _HIDE_ZERO:
            yield [label, *(DASH if count is None else str(count) for count in counts)]


def measure_rows(
    columns: Sequence[ColumnFigures],
    place: Place,
    marked: Collection[tuple[str, str]] = (),
) -> Iterator[list[str]]:
    """The measures that a place shows, without those that no column has.

    Args:
        columns: The columns of the table.
        place: Where the table stands.
        marked: Names of measures and columns whose figures get an asterisk.
    """
    for measure in measures_in(place):
        if not has_row(measure, columns):
            continue
        cells = [
            cell(column, measure, place, mark="*" if (measure.name, column.name) in marked else "")
            for column in columns
        ]
        if any(text != DASH for text in cells):
            yield [measure.row_label(place), *cells]


def has_row(measure: Measure, columns: Sequence[ColumnFigures]) -> bool:
    """Check whether a table of these columns has a row for a measure.

    An upper bound has one where something is undecided, so that it is not the measure itself; a
    measure that hides zeros where a column has more than zero; every other measure always.
    """
    if measure.upper_bound_of:
        upper = measure.name
        lower = measure.upper_bound_of
        return any(_value(column, upper) != _value(column, lower) for column in columns)
    if measure.hides_zero:
        return any(_value(column, measure.name) for column in columns)
    return True


def _value(column: ColumnFigures, name: str) -> float | None:
    figure = column.figures.get(name)
    return figure.value if figure else None


def cell(column: ColumnFigures, measure: Measure, place: Place, mark: str = "") -> str:
    """A figure as a table shows it: with its n, if that is not the column's."""
    figure = column.figures.get(measure.name)
    if figure is None or figure.value is None:
        return DASH
    if place in measure.totals_in:
        return f"{column.totals[measure.name]:.0f}"
    form = share_text if measure.is_share else figure_text
    text = form(figure, digits=measure.digits)
    # Of replies, the number that was read always matters.
    has_own_n = measure.is_of_replies or figure.n != column.answered
    if has_own_n:
        return f"{text}{mark} (n={figure.n})"
    return f"{text}{mark}"
