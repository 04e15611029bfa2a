"""Figures of a bench: means over questions with intervals over people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from osler.bench.cases import QuestionKind
from osler.bench.person import STAGES, TOP
from osler.bench.results import AskedResult, ChangedFact, Fullness, PersonResult
from osler.eval.intervals import SHARES
from osler.eval.statistics import Figure

Values = Callable[[PersonResult], Iterable[float | None]]
"""The values of a measure for one memory and person."""


class BenchMeasure(NamedTuple):
    """One row of a table: a name, and its values for one memory and person."""

    name: str
    values: Values
    is_share: bool = True
    """Whether it is a share; otherwise it is a number without bounds."""
    needs_reader: bool = False
    """Whether it is known only of answers that were read."""


def hit(question: AskedResult, k: int) -> float | None:
    """Whether a gold turn is among the first k; None if no gold is known."""
    if not question.places:
        return None
    return float(any(_within(question, k)))


def recall_at(question: AskedResult, k: int) -> float | None:
    """Share of the gold turns among the first k; None if no gold is known."""
    if not question.places:
        return None
    return sum(_within(question, k)) / len(question.places)


def _within(question: AskedResult, k: int) -> list[bool]:
    return [place is not None and place <= k for place in question.places]


def measures(ks: Sequence[int], has_model: bool) -> list[BenchMeasure]:
    """Every row, in order."""
    return [
        *_ranking(ks),
        *_answers(has_model),
        *_updates("update", planted=False),
        *_updates("planted update", planted=True),
        BenchMeasure("deletion: value gone", _deleted(planted=False)),
        BenchMeasure("planted deletion: value gone", _deleted(planted=True)),
        *_stages(),
        BenchMeasure("another person's words recalled", lambda result: result.leaks),
        *_costs(),
    ]


def _ranking(ks: Sequence[int]) -> Iterator[BenchMeasure]:
    for k in ks:
        yield BenchMeasure(f"hit@{k}", _answerable(partial(hit, k=k)))
    for k in ks:
        yield BenchMeasure(f"recall@{k}", _answerable(partial(recall_at, k=k)))
    recalled = _answerable(lambda question: question.recalled)
    yield BenchMeasure("gold turns recalled", recalled)


def _answers(has_model: bool) -> Iterator[BenchMeasure]:
    correct = _answerable(lambda question: question.correct)
    yield BenchMeasure("correct", correct, needs_reader=True)
    yield from _by_kind()
    consistent = _answerable(lambda question: question.consistent)
    yield BenchMeasure("consistency", consistent, needs_reader=True)
    name = "unanswerable: refused" if has_model else "unanswerable: nothing recalled"
    yield BenchMeasure(name, _unanswerable, needs_reader=has_model)
    refused = _answerable(lambda question: question.refused if has_model else None)
    yield BenchMeasure("answerable: refused", refused, needs_reader=True)


def _by_kind() -> Iterator[BenchMeasure]:
    for kind in QuestionKind:
        if kind is QuestionKind.UNANSWERABLE:
            continue
        yield BenchMeasure(f"  {kind}: hit@{TOP}", _answerable(partial(hit, k=TOP), kind))
        correct = _answerable(lambda question: question.correct, kind)
        yield BenchMeasure(f"  {kind}: correct", correct, needs_reader=True)


def _updates(name: str, *, planted: bool) -> Iterator[BenchMeasure]:
    recalled = _updated(lambda fact: fact.new_recalled, planted=planted)
    yield BenchMeasure(f"{name}: new value recalled", recalled)
    first = _updated(lambda fact: fact.new_first, planted=planted)
    yield BenchMeasure(f"{name}: new ranked above old", first)
    gone = _updated(lambda fact: fact.old_gone, planted=planted)
    yield BenchMeasure(f"{name}: old value gone", gone)
    answered = _updated(lambda fact: fact.answered, planted=planted)
    yield BenchMeasure(f"{name}: answered right", answered, needs_reader=True)


def _stages() -> Iterator[BenchMeasure]:
    for percent in STAGES:
        hits = _at_stage(percent, lambda stage: stage.hit)
        yield BenchMeasure(f"first quarter at {percent} %: hit@{TOP}", hits)
    for percent in STAGES:
        recalled = _at_stage(percent, lambda stage: stage.recalled)
        yield BenchMeasure(f"first quarter at {percent} %: gold turns recalled", recalled)


def _costs() -> Iterator[BenchMeasure]:
    tokens = _answerable(lambda question: question.tokens)
    yield BenchMeasure("tokens recalled", tokens, is_share=False)
    recall_time = _answerable(lambda question: 1000 * question.seconds)
    yield BenchMeasure("ms a recall", recall_time, is_share=False)
    yield BenchMeasure("ms a turn remembered", _build_time, is_share=False)
    yield BenchMeasure("requests a turn", _requests, is_share=False)


def _build_time(result: PersonResult) -> list[float]:
    return [1000 * result.build_seconds / result.turns]


def _requests(result: PersonResult) -> list[float]:
    return [result.requests / result.turns]


def _answerable(
    value: Callable[[AskedResult], float | None], kind: QuestionKind | None = None
) -> Values:
    """A value of each answerable question, or of those of one kind."""

    def values(result: PersonResult) -> Iterator[float | None]:
        for question in result.asked:
            if not _is_unanswerable(question) and kind in (None, question.kind):
                yield value(question)

    return values


def _unanswerable(result: PersonResult) -> list[bool | None]:
    return [question.refused for question in result.asked if _is_unanswerable(question)]


def _is_unanswerable(question: AskedResult) -> bool:
    return question.kind is QuestionKind.UNANSWERABLE


def _updated(value: Callable[[ChangedFact], bool | None], *, planted: bool) -> Values:
    """A value of each fact that was corrected."""
    return lambda result: [value(fact) for fact in result.updates if fact.is_planted is planted]


def _deleted(*, planted: bool) -> Values:
    """Whether a deleted fact is gone; nothing of memories that cannot erase."""

    def values(result: PersonResult) -> Iterator[bool]:
        for fact in result.deletions or ():
            if fact.is_planted is planted:
                yield fact.old_gone

    return values


def _at_stage(percent: int, value: Callable[[Fullness], float | None]) -> Values:
    return lambda result: [value(stage) for stage in result.fullness if stage.percent == percent]


class MemoryFigures(NamedTuple):
    """The figures of one memory on one data set."""

    memory: str
    people: int
    questions: int
    figures: dict[str, Figure]
    """By the name of the measure; without those that nothing was measured of."""
    cost: float | None
    failed: int
    unread: int
    """Answers that nobody could read."""


class DataFigures(NamedTuple):
    """The figures of all memories on one data set."""

    data: str
    memories: list[MemoryFigures]

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        rows = []
        for memory in self.memories:
            figures = {}
            for name, figure in memory.figures.items():
                value = {"value": figure.value, "n": figure.n, "interval": figure.interval}
                figures[name] = value
            rows.append({**memory._asdict(), "figures": figures})
        return {"data": self.data, "memories": rows}


def bench_figures(
    results: Sequence[PersonResult],
    memories: Sequence[str],
    ks: Sequence[int],
    settings: dict[str, Any],
) -> list[DataFigures]:
    """All figures, by data set and memory."""
    rows = measures(ks, bool(settings["model"]))
    has_judge = bool(settings["judge"])
    groups: dict[str, dict[str, list[PersonResult]]] = {}
    for result in results:
        groups.setdefault(result.data, {}).setdefault(result.memory, []).append(result)
    tables = []
    for data, by_memory in groups.items():
        # Columns stand in the order in which the memories were named, not in which they finished.
        measured = [memory for memory in memories if memory in by_memory]
        columns = [
            _memory_figures(memory, by_memory[memory], rows, has_judge=has_judge)
            for memory in measured
        ]
        tables.append(DataFigures(data, columns))
    return tables


def _memory_figures(
    memory: str, results: list[PersonResult], rows: list[BenchMeasure], *, has_judge: bool
) -> MemoryFigures:
    figures = {}
    for row in rows:
        figure = _figure(row, results, has_judge=has_judge)
        if figure is not None:
            figures[row.name] = figure
    costs = [result.cost for result in results if result.cost is not None]
    return MemoryFigures(
        memory,
        people=len(results),
        questions=sum(len(result.asked) for result in results),
        figures=figures,
        cost=sum(costs) if len(costs) == len(results) else None,
        failed=sum(result.failed for result in results),
        unread=sum(_unread(result) for result in results),
    )


def _figure(row: BenchMeasure, results: list[PersonResult], *, has_judge: bool) -> Figure | None:
    """The figure of a measure; None if nothing was measured."""
    values: dict[str, list[float]] = {}
    for result in results:
        measured = list(row.values(result))
        # Without a judge only exact answers are read, and what is not exact differs from what is.
        if row.needs_reader and not has_judge and None in measured:
            return None
        values[result.person] = [float(value) for value in measured if value is not None]
    if not any(values.values()):
        return None
    return Figure.of(values, SHARES if row.is_share else None)


def _unread(result: PersonResult) -> int:
    """The number of answers that nobody could read."""
    return sum(question.answer is not None and question.form is None for question in result.asked)
