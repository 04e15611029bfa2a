"""Runs on disk: one SQLite file each, with one writer and any number of readers."""

from osler.simulator.store.reader import CellState, Fork, RunFile, forks_path, run_path
from osler.simulator.store.writer import AnswerRow, Planned, RunWriter, Scored, Spoken, answer_row

__all__ = [
    "AnswerRow",
    "CellState",
    "Fork",
    "Planned",
    "RunFile",
    "RunWriter",
    "Scored",
    "Spoken",
    "answer_row",
    "forks_path",
    "run_path",
]
