"""Runs on disk: one SQLite file each, with one writer and any number of readers."""

from osler.runs.store.reader import CellState, Fork, RunFile, forks_path, run_path
from osler.runs.store.writer import AnswerRow, Planned, RunWriter, StoredScore, StoredVerdict, answer_row

__all__ = [
    "AnswerRow",
    "CellState",
    "Fork",
    "Planned",
    "RunFile",
    "RunWriter",
    "StoredScore",
    "StoredVerdict",
    "answer_row",
    "forks_path",
    "run_path",
]
