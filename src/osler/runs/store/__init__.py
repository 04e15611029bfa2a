"""Runs on disk: one SQLite file each, with one writer and any number of readers."""

from osler.runs.store.reader import CellState, Fork, RunFile, StoredVerdict, forks_path
from osler.runs.store.run_names import run_name, run_path
from osler.runs.store.spending import ColumnSpending, Spending, Sums, begun, column_spending, spending_of
from osler.runs.store.writer import AnswerRow, Planned, RunWriter, StoredScore, answer_row

__all__ = [
    "AnswerRow",
    "CellState",
    "ColumnSpending",
    "Fork",
    "Planned",
    "RunFile",
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
