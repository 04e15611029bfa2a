"""The table of a memory bench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from osler import row_labels
from osler.bench.figures import BenchMeasure, DataFigures, MemoryFigures, measures
from osler.eval.figure_text import share_text
from osler.eval.intervals import FEWEST
from osler.eval.statistics import Figure
from osler.tables import DASH, Table


def bench_table(data: DataFigures, ks: Sequence[int], settings: dict[str, Any]) -> Table:
    """The table of a data set, a column for each memory."""
    memories = data.memories
    every = measures(ks, bool(settings["model"]))
    rows = [
        ["people", *(str(memory.people) for memory in memories)],
        ["questions", *(str(memory.questions) for memory in memories)],
    ]
    for measure in every:
        if _is_measured(measure, memories):
            rows.append(_row(measure, memories))
    if settings["model"]:
        rows += _rows_of_answers(memories)
    header = ["", *(memory.memory for memory in memories)]
    return Table.of(data.data, header, rows, _notes(data, every, settings))


def _is_measured(measure: BenchMeasure, memories: Sequence[MemoryFigures]) -> bool:
    return any(measure.name in memory.figures for memory in memories)


def _row(measure: BenchMeasure, memories: Sequence[MemoryFigures]) -> list[str]:
    figures = [memory.figures.get(measure.name) for memory in memories]
    if measure.is_share:
        return [f"{measure.name} %", *map(share_text, figures)]
    return [row_labels.mean(measure.name), *map(_number, figures)]


def _number(figure: Figure | None) -> str:
    if figure is None or figure.value is None:
        return DASH
    return f"{figure.value:,.1f}"


def _rows_of_answers(memories: Sequence[MemoryFigures]) -> Iterator[list[str]]:
    yield [row_labels.total("answers not read"), *(str(memory.unread) for memory in memories)]
    yield [row_labels.total("model failures"), *(str(memory.failed) for memory in memories)]
    costs = [DASH if memory.cost is None else f"{memory.cost:.4f}" for memory in memories]
    yield [row_labels.total("cost in USD"), *costs]


def _notes(
    data: DataFigures, every: Sequence[BenchMeasure], settings: dict[str, Any]
) -> Iterator[str]:
    answers = settings["model"] or "no model: the recall itself is looked at"
    about = f"answers by {answers}; budget {settings['budget']} tokens; 95 % intervals over people."
    if settings["judge"]:
        about += f" Answers read by {settings['judge']}."
    yield about
    if any(_lacks_interval(memory, every) for memory in data.memories):
        yield f"No interval: too few people for one (fewer than {FEWEST})."
    if not settings["judge"] and any(memory.unread for memory in data.memories):
        yield "Answers are right or wrong only once they are read: give --judge in a new bench."
    left_out = settings["counts"].get(data.data, {}).get("left_out", 0)
    if left_out:
        yield f"{left_out} question(s) that no turn answers were left out."


def _lacks_interval(memory: MemoryFigures, every: Sequence[BenchMeasure]) -> bool:
    shares = [memory.figures.get(measure.name) for measure in every if measure.is_share]
    return any(figure is not None and figure.lacks_interval for figure in shares)
