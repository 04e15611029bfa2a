"""The figures of a report: what each shows, or why it is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osler.eval.compare import ColumnFigures
from osler.eval.compare.columns import ACCURACY, by_column
from osler.eval.experience import StreamColumn, experience_figures
from osler.eval.report import drawing
from osler.eval.report.drawing import LONGEST_LABEL, Point, Series
from osler.eval.statistics import Figure
from osler.runs.plan import Column, told_variants
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredConsultation
from osler.runs.short_names import cut_names, numbered

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

MOST_COLUMNS = 16
"""Maximum columns in one figure; more cannot be told apart, and the table has all."""


@dataclass(frozen=True)
class Picture:
    """A figure with its words; without a drawing, the words say why."""

    name: str
    title: str
    caption: str
    drawing: Drawing | None = None


class Pictures:
    """Draws the figures of one run; every column looks the same in all of them."""

    def __init__(
        self, consultations: list[ScoredConsultation], columns: list[ColumnFigures]
    ) -> None:
        """Take what is to be drawn."""
        self._consultations = consultations
        self._columns = columns[:MOST_COLUMNS]
        self._labels = labels_of(self._columns)
        left = len(columns) - len(self._columns)
        self._left_out = f" {left} further column(s) are in the table alone." if left else ""

    def draw(self) -> list[Picture]:
        """All of them."""
        with drawing.style():
            accuracy = [self._accuracy(kind) for kind in (DIAGNOSIS, TREATMENT)]
            return [*accuracy, *self._experience(), self._tokens()]

    def _accuracy(self, kind: str) -> Picture:
        measure = f"{kind}_right"
        series = self._series(lambda column: [(column.figures[measure].n, column.figures[measure])])
        name = f"accuracy-{kind}"
        title = f"{kind.capitalize()} right"
        if not series:
            return Picture(name, title, f"No {kind} has been judged, so there is nothing to draw.")
        caption = (
            f"Share of consultations whose {kind} was judged correct. Lines are 95 % intervals with"
            " patients as units; n is the number of consultations that were judged. What failed is"
            f" left out.{self._left_out}"
        )
        if any(column.undecided[kind] for column in self._columns):
            caption += (
                " Undecided verdicts are not counted as correct; the table has the upper bound."
            )
        return Picture(name, title, caption, drawing.bars(series))

    def _experience(self) -> list[Picture]:
        """Accuracy by number of earlier cases, if the run has streams."""
        by_own_column = by_column(self._consultations)
        experience = experience_figures(
            StreamColumn(column.name, column.run, column.column, by_own_column[column.column])
            for column in self._columns
        )
        if experience is None:
            return []
        parts = {stream.column: stream.parts[DIAGNOSIS] for stream in experience.columns}

        def in_blocks(column: ColumnFigures) -> Iterable[tuple[float, Figure]]:
            own = parts.get(column.column)
            if own is None:
                return []
            return [
                ((block.first + block.last) / 2, own[str(block)].right)
                for block in experience.blocks
            ]

        caption = (
            "Share of right diagnoses by how many cases of its stream the doctor had seen before,"
            " in blocks of equal length, with 95 % intervals. All columns see the same cases in the"
            " same order."
        )
        series = self._series(in_blocks)
        return [
            Picture(
                "maturation",
                "Experience",
                caption + self._left_out,
                drawing.lines(series, "earlier cases"),
            )
        ]

    def _tokens(self) -> Picture:
        def cost(column: ColumnFigures) -> Iterable[tuple[float, Figure]]:
            read = column.figures["tokens_in"].value
            written = column.figures["tokens_out"].value
            if read is None or written is None:
                return []
            return [(read + written, column.figures[ACCURACY])]

        series = self._series(cost)
        title = "Tokens against accuracy"
        if not any(each.points[0].x for each in series):
            return Picture(
                "tokens",
                title,
                "No tokens were counted in this run: no model was asked, or none told.",
            )
        caption = (
            "Mean tokens of a consultation, read and written, against the share of right diagnoses"
            " (95 %). An answer that was shared counts in every consultation that used it."
        )
        return Picture(
            "tokens",
            title,
            caption + self._left_out,
            drawing.scatter(series, "tokens per consultation"),
        )

    def _series(
        self, points_of: Callable[[ColumnFigures], Iterable[tuple[float, Figure]]]
    ) -> list[Series]:
        """Make a series for each column that has a point.

        A point has its position, and the figure with its interval.
        """
        series = []
        for place, column in enumerate(self._columns):
            points = [
                Point(x, figure.value, figure.interval)
                for x, figure in points_of(column)
                if figure.value is not None
            ]
            if points:
                series.append(Series.of(self._labels[column.column], place, points))
        return series


def labels_of(columns: list[ColumnFigures]) -> dict[Column, str]:
    """Return what figures call the columns: as short as tells them apart.

    A single backbone is not named.
    """
    alone = len({column.backbone for column in columns}) == 1
    strategies = cut_names((column.column.strategy for column in columns), LONGEST_LABEL // 3)
    room = LONGEST_LABEL - 1 - max(map(len, strategies.values()), default=0)
    longest = 0 if alone else 1 + max((len(column.backbone_name) for column in columns), default=0)
    memories = cut_names(map(_remembered, columns), max(room - longest, 2 * room // 5))
    room -= 1 + max(map(len, memories.values()), default=0)
    models = cut_names(("" if alone else column.backbone_name for column in columns), room)
    named = {}
    for column in columns:
        model = models["" if alone else column.backbone_name]
        parts = (model, strategies[column.column.strategy], memories[_remembered(column)])
        named[column.column] = drawing.drawable(" ".join(filter(None, parts)))
    return numbered(named)


def _remembered(column: ColumnFigures) -> str:
    return " ".join((column.memory_name, *told_variants(column.column.variants)))
