"""Recall, precision and "nothing there" of the retrieval module over labelled questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from osler.agents.ram import RecordIndex
from tests.agents.questions import Labelled


class Figures(NamedTuple):
    recall: float
    """Share of the entries asked for that were found."""
    precision: float
    """Share of the entries found that were asked for, over questions that the record can answer."""
    nothing: float
    """Share of the questions that the record cannot answer for which nothing was found."""


def figures(rows: list[Labelled], index: Mapping[str, RecordIndex]) -> Figures:
    return counted((row, found(row, index)) for row in rows)


def found(row: Labelled, index: Mapping[str, RecordIndex]) -> frozenset[str]:
    return frozenset(match.entry.name for match in index[row.record].search(row.question))


def counted(rows: Iterable[tuple[Labelled, frozenset[str]]]) -> Figures:
    """The figures of questions with what was found for each."""
    wanted = hit = returned = right = empty = recognised = 0
    for row, got in rows:
        if row.kind == "nothing":
            empty += 1
            recognised += not got
            continue
        wanted += len(row.entries)
        hit += len(row.entries & got)
        returned += len(got - row.also)
        right += len(got & row.entries)
    return Figures(
        hit / wanted if wanted else 1.0,
        right / returned if returned else 1.0,
        recognised / empty if empty else 1.0,
    )
