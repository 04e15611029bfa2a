"""What a run's consultations come to, column by column."""

# ruff: noqa: S608 -- statements are made of our own words

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass

from osler.runs.makers import Makers
from osler.runs.plan import COLUMN, Column
from osler.runs.store.reader import RunFile

_COLUMN = ", ".join(f"cells.{name}" for name in COLUMN)


@dataclass(frozen=True)
class ColumnProgress:
    """How far the consultations of a column are."""

    column: Column
    done: int
    failed: int
    todo: int
    turns: float | None
    """Mean of those that have ended; None if none has."""
    tokens: int
    """What those that have ended are charged, as if no answer were shared."""


def column_progress(run: RunFile) -> list[ColumnProgress]:
    """How far each column is, in the order of the plan."""
    rows = run.ask(
        f"SELECT {_COLUMN}, sum(state = 'done') AS done, sum(state = 'failed') AS failed,"
        " sum(state = 'todo') AS todo, avg(turns) AS turns,"
        " CAST(total(tokens_in + tokens_out) AS INTEGER) AS tokens"
        " FROM cells LEFT JOIN results ON results.cell = cells.number"
        f" GROUP BY {_COLUMN} ORDER BY min(cells.number)"
    )
    return [
        ColumnProgress(
            Column.from_row(dict(row)),
            row["done"],
            row["failed"],
            row["todo"],
            row["turns"],
            row["tokens"],
        )
        for row in rows
    ]


@dataclass(frozen=True)
class ColumnMakers:
    """Who made what in the consultations of a column that ended with an answer."""

    column: Column
    consultations: int
    makers: Makers


def column_makers(run: RunFile) -> list[ColumnMakers]:
    """Who made what in each column, in the order of the plan."""
    makers: dict[Column, list[Makers]] = defaultdict(list)
    for row in run.each(
        f"SELECT {_COLUMN}, measures.body FROM cells JOIN measures ON measures.cell = cells.number"
        " WHERE cells.state = 'done' ORDER BY cells.number"
    ):
        # What is damaged is left out: `osler runs check` names it.
        with suppress(AttributeError, TypeError, ValueError):
            column = Column.from_row({name: row[name] for name in COLUMN})
            makers[column].append(Makers.read(json.loads(row["body"])))
    return [
        ColumnMakers(column, len(counts), Makers.together(counts))
        for column, counts in makers.items()
    ]
