"""Figures of a bench: means over questions with intervals over people, one table for each data set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from osler import row_labels
from osler.bench.cases import QuestionKind
from osler.bench.person import STAGES, TOP
from osler.bench.results import AskedResult, PersonResult
from osler.eval.intervals import FEWEST, SHARES
from osler.eval.statistics import Figure
from osler.eval.text_tables import Grid


class BenchMeasure(NamedTuple):
    """One row of a table: a name, and its values for one memory and person."""

    name: str
    values: Callable[[PersonResult], Iterable[float | None]]
    form: str = "share"
    """`share` or `number`."""

    @property
    def label(self) -> str:
        """Its row in a table: its name, and that it is a mean if it is no share."""
        return self.name if self.form == "share" else row_labels.mean(self.name)


def hit(asked: AskedResult, k: int) -> float | None:
    """Whether a gold turn is among the first k; None if no gold is known."""
    return float(any(_within(asked, k))) if asked.places else None


def recall_at(asked: AskedResult, k: int) -> float | None:
    """Share of the gold turns among the first k; None if no gold is known."""
    return sum(_within(asked, k)) / len(asked.places) if asked.places else None


def _within(asked: AskedResult, k: int) -> list[bool]:
    return [place is not None and place <= k for place in asked.places]


def measures(ks: Sequence[int], has_model: bool) -> list[BenchMeasure]:
    """Every row, in order."""
    correct = "correct, by string" if has_model else "answer in the recall (extractive)"
    refused = "unanswerable: refused" if has_model else "unanswerable: nothing recalled"
    return [
        *(BenchMeasure(f"hit@{k}", _asked(partial(hit, k=k))) for k in ks),
        *(BenchMeasure(f"recall@{k}", _asked(partial(recall_at, k=k))) for k in ks),
        BenchMeasure("gold turns recalled", _asked(lambda one: one.recalled)),
        BenchMeasure("words of the gold turns recalled", _asked(lambda one: one.told)),
        BenchMeasure(correct, _asked(lambda one: one.correct)),
        BenchMeasure("gold parts found", _asked(lambda one: one.found)),
        BenchMeasure("correct, by judge", _asked(lambda one: one.judged)),
        BenchMeasure("coherent, by judge", _asked(lambda one: one.coherent)),
        *_by_kind(),
        BenchMeasure("consistency", _asked(lambda one: one.consistent)),
        BenchMeasure(refused, lambda one: [asked.refused for asked in one.asked if _is_unanswerable(asked)]),
        BenchMeasure("answerable: refused", _asked(lambda one: one.refused if has_model else None)),
        *_changed("update", planted=False),
        *_changed("planted update", planted=True),
        BenchMeasure("deletion: value gone", _facts("deletions", "old_gone", planted=False)),
        BenchMeasure("planted deletion: value gone", _facts("deletions", "old_gone", planted=True)),
        *(BenchMeasure(f"first quarter at {percent} %: hit@{TOP}", _stage(percent, "hit")) for percent in STAGES),
        *(
            BenchMeasure(f"first quarter at {percent} %: in the recall", _stage(percent, "correct"))
            for percent in STAGES
        ),
        BenchMeasure("another person's words recalled", lambda one: one.leaks),
        BenchMeasure("tokens recalled", _asked(lambda one: one.tokens), "number"),
        BenchMeasure("ms a recall", _asked(lambda one: 1000 * one.seconds), "number"),
        BenchMeasure("ms a turn remembered", lambda one: [1000 * one.build_seconds / one.turns], "number"),
        BenchMeasure("requests a turn", lambda one: [one.requests / one.turns], "number"),
    ]


def _by_kind() -> Iterator[BenchMeasure]:
    for kind in QuestionKind:
        if kind is not QuestionKind.UNANSWERABLE:
            yield BenchMeasure(f"  {kind}: hit@{TOP}", _asked(partial(hit, k=TOP), kind))
            yield BenchMeasure(f"  {kind}: correct", _asked(lambda one: one.correct, kind))


def _changed(name: str, *, planted: bool) -> Iterator[BenchMeasure]:
    yield BenchMeasure(f"{name}: new value recalled", _facts("updates", "new_recalled", planted=planted))
    yield BenchMeasure(f"{name}: new ranked above old", _facts("updates", "new_first", planted=planted))
    yield BenchMeasure(f"{name}: old value gone", _facts("updates", "old_gone", planted=planted))
    yield BenchMeasure(f"{name}: answered right", _facts("updates", "answered", planted=planted))


def _facts(group: str, field: str, *, planted: bool) -> Callable[[PersonResult], Iterable[float | None]]:
    """A field of the facts that were corrected or deleted."""
    return lambda one: [getattr(fact, field) for fact in getattr(one, group) or () if fact.is_planted is planted]


def _asked(
    value: Callable[[AskedResult], float | None], kind: QuestionKind | None = None
) -> Callable[[PersonResult], Iterable[float | None]]:
    """A value of each answerable question, or of those of one kind."""
    return lambda one: [
        value(asked) for asked in one.asked if not _is_unanswerable(asked) and kind in (None, asked.kind)
    ]


def _stage(percent: int, field: str) -> Callable[[PersonResult], Iterable[float | None]]:
    return lambda one: [getattr(stage, field) for stage in one.fullness if stage.percent == percent]


def _is_unanswerable(asked: AskedResult) -> bool:
    return asked.kind is QuestionKind.UNANSWERABLE


class MemoryFigures(NamedTuple):
    """The figures of one memory on one data set."""

    memory: str
    people: int
    questions: int
    figures: dict[str, Figure]
    """By the name of the measure; without those that nothing was measured of."""
    cost: float | None
    failed: int


class DataFigures(NamedTuple):
    """The figures of all memories on one data set."""

    data: str
    memories: list[MemoryFigures]

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        rows = []
        for one in self.memories:
            figures = {
                name: {"value": figure.value, "n": figure.n, "interval": figure.interval}
                for name, figure in one.figures.items()
            }
            rows.append({**one._asdict(), "figures": figures})
        return {"data": self.data, "memories": rows}


def bench_figures(
    results: Sequence[PersonResult], memories: Sequence[str], ks: Sequence[int], settings: dict[str, Any]
) -> list[DataFigures]:
    """All figures, by data set and memory."""
    rows = measures(ks, bool(settings["model"]))
    return [
        DataFigures(
            data,
            [
                _memory_figures(memory, found, rows)
                for memory in memories
                if (found := [one for one in results if one.data == data and one.memory == memory])
            ],
        )
        for data in dict.fromkeys(one.data for one in results)
    ]


def _memory_figures(memory: str, some: list[PersonResult], rows: list[BenchMeasure]) -> MemoryFigures:
    figures = {}
    for row in rows:
        values = {one.person: [float(value) for value in row.values(one) if value is not None] for one in some}
        if any(values.values()):
            figures[row.name] = Figure.of(values, SHARES if row.form == "share" else None)
    costs = [one.cost for one in some if one.cost is not None]
    return MemoryFigures(
        memory,
        people=len(some),
        questions=sum(len(one.asked) for one in some),
        figures=figures,
        cost=sum(costs) if len(costs) == len(some) else None,
        failed=sum(one.failed for one in some),
    )


def bench_grid(found: DataFigures, ks: Sequence[int], settings: dict[str, Any]) -> Grid:
    """The table of a data set."""
    columns = found.memories
    rows = [
        ["people", *(str(one.people) for one in columns)],
        ["questions", *(str(one.questions) for one in columns)],
    ]
    every = measures(ks, bool(settings["model"]))
    shares = [row for row in every if row.form == "share"]
    for row in every:
        if any(row.name in one.figures for one in columns):
            rows.append([row.label, *(_cell(one.figures.get(row.name), row.form) for one in columns)])
    if settings["model"]:
        rows.append([row_labels.total("model failures"), *(str(one.failed) for one in columns)])
        rows.append(
            [row_labels.total("cost in USD"), *("–" if one.cost is None else f"{one.cost:.4f}" for one in columns)]
        )
    left_out = settings["counts"].get(found.data, {}).get("left_out", 0)
    notes = [
        f"answers by {settings['model'] or 'no model: the recall itself is looked at'};"
        f" budget {settings['budget']} tokens; 95 % intervals over people."
    ]
    if any(one.figures[row.name].lacks_interval for one in columns for row in shares if row.name in one.figures):
        notes.append(f"No interval: too few people for one (fewer than {FEWEST}).")
    if left_out:
        notes.append(f"{left_out} question(s) that no turn answers were left out.")
    return Grid(found.data, ["", *(one.memory for one in columns)], rows, notes)


def _cell(figure: Figure | None, form: str) -> str:
    if figure is None or figure.value is None:
        return "–"
    if form == "number":
        return f"{figure.value:,.1f}"
    around = f" [{figure.interval.low:.2f}, {figure.interval.high:.2f}]" if figure.interval else ""
    return f"{figure.value:.3f}{around}"
