"""The tables of a run file, and how it is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from osler.simulator.figures import Figures

FORMAT = 1
"""Raised when the tables change; a file of another format is refused with a clear line."""
MARK = 0x6F736C72
"""SQLite's application id: `oslr`, so that any other database is told apart at once."""

_KINDS = {"diagnosis": "TEXT", "treatment": "TEXT", "ending": "TEXT", "failure": "TEXT", "message": "TEXT"}
_REALS = {"cost", "seconds"}
_FIGURES = ", ".join(f"{name} {_KINDS.get(name, 'REAL' if name in _REALS else 'INTEGER')}" for name in Figures.names())

FORKS = (
    "CREATE TABLE IF NOT EXISTS forks (cell INTEGER PRIMARY KEY REFERENCES cells(number),"
    " parent_run_name TEXT NOT NULL, parent_case TEXT NOT NULL, parent_backbone TEXT NOT NULL,"
    " parent_memory TEXT NOT NULL, parent_trial INTEGER NOT NULL, turn INTEGER NOT NULL)"
)
"""By itself, because runs from before there were forks get it when they are next written to."""

TABLES = (
    # Settings, versions and whatever else the run as a whole was made with.
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # The records as they were, so that a run can be judged where its pool is not, or has changed.
    "CREATE TABLE records (id TEXT PRIMARY KEY, patient TEXT NOT NULL, language TEXT NOT NULL, specialty TEXT,"
    " hash TEXT NOT NULL, body BLOB NOT NULL)",
    # The plan: one row per consultation, with all that was ever paid for it.
    "CREATE TABLE cells (number INTEGER PRIMARY KEY, record TEXT NOT NULL REFERENCES records(id),"
    " backbone TEXT NOT NULL, memory TEXT NOT NULL, trial INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'todo',"
    " calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0,"
    " UNIQUE (record, backbone, memory, trial))",
    "CREATE INDEX cells_by_state ON cells(state)",
    # What came of it; transcripts lie apart, so that a table over all results reads little.
    f"CREATE TABLE results (cell INTEGER PRIMARY KEY REFERENCES cells(number), {_FIGURES}, at TEXT NOT NULL)",
    "CREATE TABLE transcripts (cell INTEGER PRIMARY KEY REFERENCES cells(number), body BLOB NOT NULL)",
    # Every try, good or not, with what it newly cost.
    "CREATE TABLE attempts (id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES cells(number),"
    " session INTEGER NOT NULL, ending TEXT NOT NULL, message TEXT, calls INTEGER NOT NULL, tokens INTEGER NOT NULL,"
    " cost REAL NOT NULL, at TEXT NOT NULL)",
    "CREATE INDEX attempts_by_cell ON attempts(cell)",
    # Answers of consultations that have not ended: paid for once, used when the consultation is taken up again.
    "CREATE TABLE answers (id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES cells(number), key TEXT NOT NULL,"
    " body TEXT NOT NULL)",
    "CREATE INDEX answers_by_cell ON answers(cell)",
    # What judges said of the endings; every judge's word is kept under its name and version.
    "CREATE TABLE verdicts (cell INTEGER NOT NULL REFERENCES cells(number), kind TEXT NOT NULL, judge TEXT NOT NULL,"
    " verdict TEXT NOT NULL, rung TEXT NOT NULL, because TEXT NOT NULL, rank INTEGER, tokens INTEGER, at TEXT NOT NULL,"
    " PRIMARY KEY (cell, kind, judge)) WITHOUT ROWID",
    # How doctor and patient worked, counted from the transcript.
    "CREATE TABLE measures (cell INTEGER PRIMARY KEY REFERENCES cells(number), version TEXT NOT NULL,"
    " body TEXT NOT NULL)",
    # Consultations that went on from the first turns of another one: which one that was, and how many turns they share.
    FORKS,
    # Every start of the run, with what it was started with.
    "CREATE TABLE sessions (id INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT, seconds REAL NOT NULL DEFAULT 0,"
    " stopped_by TEXT, detail TEXT NOT NULL)",
)


def connect(path: Path, *, writing: bool) -> sqlite3.Connection:
    """A connection that writes, or one that can only read, also from a folder that cannot be written to."""
    if writing:
        file = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
        file.execute("PRAGMA journal_mode=WAL")
        # A kill loses nothing; only a loss of power may cost the last consultations, and never the file.
        file.execute("PRAGMA synchronous=NORMAL")
        # Moving the log into the file waits for the disk, and all consultations with it: every 64 MB, not every 4.
        file.execute("PRAGMA wal_autocheckpoint=16000")
        file.execute("PRAGMA foreign_keys=ON")
        return file
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    file = sqlite3.connect(address, uri=True, isolation_level=None, timeout=30, check_same_thread=False)
    try:
        file.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        file.close()  # read-only folders have no place for the shared-memory file that WAL wants
        file = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return file
