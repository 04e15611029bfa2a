"""Runs on disk: one SQLite file each, with one writer and any number of readers."""

from osler.runs.scored import CellState, StoredVerdict
from osler.runs.store.plan_reader import Fork
from osler.runs.store.plan_writer import Planned
from osler.runs.store.reader import Attempt, RunFile, RunStatus, forks_path
from osler.runs.store.run_names import run_name, run_path
from osler.runs.store.spending import (
    ColumnSpending,
    Spending,
    Sums,
    begun,
    column_spending,
    spending_of,
)
from osler.runs.store.writer import AnswerRow, RunWriter, StoredScore, answer_row

__all__ = [
    "AnswerRow",
    "Attempt",
    "CellState",
    "ColumnSpending",
    "Fork",
    "Planned",
    "RunFile",
    "RunStatus",
    "RunWriter",
    "Spending",
    "StoredScore",
    "StoredVerdict",
    "Sums",
    "answer_row",
    "begun",
    "column_spending",
    "forks_path",
    "run_name",
    "run_path",
    "spending_of",
]
