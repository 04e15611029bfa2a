"""What was spent on the consultations of a run: on a single one, and on all of a column."""

# ruff: noqa: S608 -- statements are made of our own words

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from osler.runs.plan import COLUMN, Column
from osler.runs.scored import CellState
from osler.runs.store.reader import RunFile


class Spending(NamedTuple):
    """What was spent on one consultation, in all attempts."""

    tokens: float = 0.0
    cost: float = 0.0


class Sums(NamedTuple):
    """The sum of some amounts, and of their squares."""

    total: float
    squares: float


@dataclass(frozen=True)
class ColumnSpending:
    """What the consultations of a column, all in the same state, have used."""

    column: Column
    count: int
    sums: dict[str, Sums]
    """By kind: `tokens`, `cost`, and the `seconds` from their beginning to their end."""


def spending_of(run: RunFile, number: int) -> Spending:
    """What was spent on a consultation so far."""
    ((tokens, cost),) = run.ask("SELECT tokens, cost FROM cells WHERE number = ?", (number,))
    return Spending(tokens, cost)


def column_spending(run: RunFile, state: CellState) -> list[ColumnSpending]:
    """What the consultations in a state have used, column by column."""
    columns = ", ".join(f"cells.{name}" for name in COLUMN)
    amounts = {"tokens": "cells.tokens", "cost": "cells.cost", "seconds": "results.seconds"}
    sums = [
        f"total({amount}) AS {kind}_total, total(1.0 * {amount} * {amount}) AS {kind}_squares"
        for kind, amount in amounts.items()
    ]
    rows = run.ask(
        f"SELECT {columns}, count(*) AS count, {', '.join(sums)}"
        f" FROM cells LEFT JOIN results ON cell = number WHERE state = ? GROUP BY {columns}",
        (state.value,),
    )
    spendings = []
    for row in rows:
        by_kind = {kind: Sums(row[f"{kind}_total"], row[f"{kind}_squares"]) for kind in amounts}
        spendings.append(ColumnSpending(Column.from_row(dict(row)), row["count"], by_kind))
    return spendings


def begun(run: RunFile) -> set[int]:
    """The consultations that are begun and have not ended, by number: their answers are kept."""
    sql = "SELECT DISTINCT cell FROM answers JOIN cells ON number = cell WHERE state = 'todo'"
    return {number for (number,) in run.ask(sql)}
