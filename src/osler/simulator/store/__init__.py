"""Runs on disk: one SQLite file each, with one writer and any number of readers."""

from osler.simulator.store.reader import CellState, Fork, RunFile, forks_path, run_path
from osler.simulator.store.writer import Planned, RunWriter, Scored, Spoken

__all__ = ["CellState", "Fork", "Planned", "RunFile", "RunWriter", "Scored", "Spoken", "forks_path", "run_path"]
