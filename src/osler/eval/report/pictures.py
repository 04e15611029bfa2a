"""Which figures a run gives, what each of them shows, and why one is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osler.errors import UserError
from osler.eval.compare import ColumnFigures
from osler.eval.probes.figures import Figures
from osler.eval.report import memory_probes, plots, thoughts
from osler.eval.report.plots import LONGEST_LABEL, Point, Series
from osler.eval.report.snapshot import Row, Snapshot
from osler.runs.plan import Column, told_variants
from osler.runs.short_names import cut_names, numbered

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

MOST_COLUMNS = 16
"""In one figure; more cannot be told apart, and the table has all."""


@dataclass(frozen=True)
class Picture:
    """A figure with its words; without a drawing, the words say why."""

    name: str
    title: str
    caption: str
    drawing: Drawing | None = None


class Pictures:
    """Draws the figures of one run; every column looks the same in all of them."""

    def __init__(self, run: Snapshot, rows: list[Row], columns: list[ColumnFigures]) -> None:
        """Take what is to be drawn."""
        self._run, self._rows, self._columns = run, rows, columns[:MOST_COLUMNS]
        self._seed = run.file.settings.seed
        self._labels = labels_of(self._columns)
        left = len(columns) - len(self._columns)
        self._left_out = f" {left} further column(s) are in the table alone." if left else ""

    def draw(self) -> list[Picture]:
        """All of them."""
        with plots.style():
            return [
                self._accuracy("diagnosis"),
                self._accuracy("treatment"),
                *self._memory(),
                self._tokens(),
                *self._thoughts(),
            ]

    def _accuracy(self, kind: str) -> Picture:
        def counted(column: ColumnFigures) -> Iterable[Point]:
            figure = column.figures[kind]
            return () if figure.value is None else (Point(figure.n, figure.value, figure.interval),)

        series = self._series(counted)
        name, title = f"accuracy-{kind}", f"{kind.capitalize()} right"
        if not series:
            return Picture(name, title, f"No {kind} has been judged, so there is nothing to draw.")
        caption = (
            f"Share of consultations whose {kind} was judged correct. Lines are 95 % intervals with patients as units;"
            f" n is the number of consultations that were judged. What failed is left out.{self._left_out}"
        )
        return Picture(name, title, caption, plots.bars(series))

    def _memory(self) -> list[Picture]:
        try:
            found = asyncio.run(memory_probes.probed(self._run, self._rows, self._seed))
        except UserError as error:  # a memory with options that this version has not
            return [Picture("memory", "Memories", f"They could not be rebuilt: {error}.")]
        known = {one.column: one for one in found}
        sample = max((one.consultations for one in found), default=0)
        about = (
            f" A sample of at most {sample} consultation(s) per column, their memories rebuilt from the transcripts,"
            " asked about what the patients told; answered without a model, by rules that read what was recalled and do"
            " not mind the wording: answers differ only where recalls do."
        )
        missing = [self._labels[column.column] for column in self._columns if column.column not in known]
        if missing:
            about += f" Not probed: {', '.join(missing)}."
        return [self._consistency(known, about), self._retrieval(known)]

    def _consistency(self, known: dict[Column, Figures], about: str) -> Picture:
        def by_turn(column: ColumnFigures) -> Iterable[Point]:
            figures = known.get(column.column)
            return [Point(turn, value) for turn, value in figures.consistency_by_turn.items()] if figures else ()

        series, title = self._series(by_turn), "Consistency by turn"
        if not series:
            return Picture("consistency", title, "No memory could be asked about anything a patient told." + about)
        caption = (
            "Share of pairs of answers to the same question, put in other words, that say the same, right or wrong; by"
            " the last turn that told the answer." + about
        )
        return Picture("consistency", title, caption, plots.lines(series, "turn"))

    def _retrieval(self, known: dict[Column, Figures]) -> Picture:
        def by_k(column: ColumnFigures) -> Iterable[Point]:
            figures = known.get(column.column)
            if figures is None:
                return
            for k, mean in figures.top_k.items():
                if mean.value is not None:
                    yield Point(k, mean.value, mean.interval)

        series, title = self._series(by_k), "Retrieval accuracy over k"
        if not series:
            return Picture("retrieval", title, "No memory that was asked ranks what it recalls.")
        caption = (
            "Share of questions where one of the first k recalled items tells something of the truth, with 95 %"
            " intervals, in the same sample; memories that do not rank what they recall have no line."
        )
        return Picture("retrieval", title, caption, plots.lines(series, "k", every=True))

    def _tokens(self) -> Picture:
        def cost(column: ColumnFigures) -> Iterable[Point]:
            read, written, right = (column.figures[name] for name in ("tokens_in", "tokens_out", "diagnosis"))
            if read.value is not None and written.value is not None and right.value is not None:
                yield Point(read.value + written.value, right.value, right.interval)

        series, title = self._series(cost), "Tokens against accuracy"
        if not any(one.points[0].x for one in series):
            return Picture("tokens", title, "No tokens were counted in this run: no model was asked, or none told.")
        caption = "Mean tokens of a consultation, read and written, against the share of right diagnoses (95 %)."
        return Picture("tokens", title, caption + self._left_out, plots.scatter(series, "tokens per consultation"))

    def _thoughts(self) -> list[Picture]:
        columns = thoughts.thoughts_of(self._run, self._rows, self._seed)
        if not columns:
            return [Picture("thoughts", "Thoughts", "No column of this run keeps thoughts (the memory tim does).")]
        return [self._map(place, key, some) for place, (key, some) in enumerate(columns.items(), start=1)]

    def _map(self, place: int, key: Column, some: list[thoughts.MappedThought]) -> Picture:
        name, title = f"thoughts-{place}", f"Thoughts of {self._labels.get(key, key.memory)}"
        spots = asyncio.run(thoughts.placed(some, self._seed)) if len(some) >= thoughts.FEWEST_THOUGHTS else []
        if not spots:
            return Picture(name, title, f"{len(some)} thought(s) were kept: too few, or too much alike, for a map.")
        steps = thoughts.Steps.over(thought.turn for thought in some)
        caption = (
            f"t-SNE of {len(some)} thoughts (a sample under the run's seed) by their hashed words: what is worded alike"
            " lies together; distances between clusters mean nothing. Colour: the turn. Discs are English, triangles"
            " Chinese."
        )
        return Picture(name, title, caption, plots.cloud(thoughts.grouped(spots, steps), steps.names))

    def _series(self, points_of: Callable[[ColumnFigures], Iterable[Point]]) -> list[Series]:
        found = []
        for place, column in enumerate(self._columns):
            points = tuple(points_of(column))
            if points:
                found.append(Series(self._labels[column.column], place, points))
        return found


def labels_of(columns: list[ColumnFigures]) -> dict[Column, str]:
    """What figures call the columns: as short as tells them apart; a single backbone is not named."""
    alone = len({column.backbone for column in columns}) == 1
    strategies = cut_names((column.column.strategy for column in columns), LONGEST_LABEL // 3)
    room = LONGEST_LABEL - 1 - max(map(len, strategies.values()), default=0)
    longest = 0 if alone else 1 + max((len(column.backbone_name) for column in columns), default=0)
    memories = cut_names(map(_remembered, columns), max(room - longest, 2 * room // 5))
    room -= 1 + max(map(len, memories.values()), default=0)
    models = cut_names((column.backbone_name for column in columns), room)
    named = {
        column.column: " ".join(
            filter(
                None,
                (
                    "" if alone else models[column.backbone_name],
                    strategies[column.column.strategy],
                    memories[_remembered(column)],
                ),
            )
        )
        for column in columns
    }
    return numbered({key: plots.drawable(text) for key, text in named.items()})


def _remembered(column: ColumnFigures) -> str:
    """The memory of a column, and its variants."""
    return " ".join((column.memory_name, *told_variants(column.column.variants)))
