"""The tables of a run file."""

from __future__ import annotations

from collections.abc import Mapping
from sqlite3 import Row
from typing import Any

from osler.runs.plan import COLUMN, Cell, Column

FORMAT = 6
"""Raised when the tables change; a file of another format is refused with a clear line."""
MARK = 0x6F736C72
"""SQLite's application id: `oslr`, so that any other database is told apart at once."""

CELL = ("record", *COLUMN, "trial")
"""Columns that identify a consultation of the plan."""

TABLES = (
    # Settings, versions and whatever else the run as a whole was made with.
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # The records as they were, so that a run can be judged where its pool is not, or has changed.
    (
        "CREATE TABLE records (id TEXT PRIMARY KEY, patient TEXT NOT NULL, language TEXT NOT NULL,"
        " specialty TEXT, hash TEXT NOT NULL, body BLOB NOT NULL)"
    ),
    # The prompt templates that consultations of the run used.
    "CREATE TABLE prompts (name TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID",
    # The plan: one row per consultation, with all that was ever paid for it.
    (
        "CREATE TABLE cells (number INTEGER PRIMARY KEY, record TEXT NOT NULL REFERENCES"
        " records(id), backbone TEXT NOT NULL, strategy TEXT NOT NULL, memory TEXT NOT NULL,"
        " variants TEXT NOT NULL DEFAULT '{}', trial INTEGER NOT NULL, state TEXT NOT NULL"
        " DEFAULT 'todo', calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,"
        f" cost REAL NOT NULL DEFAULT 0, UNIQUE ({', '.join(CELL)}))"
    ),
    "CREATE INDEX cells_by_state ON cells(state)",
    # The results; transcripts are separate, so that a table over all results reads little.
    (
        "CREATE TABLE results (cell INTEGER PRIMARY KEY REFERENCES cells(number), ending TEXT,"
        " diagnosis TEXT, treatment TEXT, turns INTEGER, repeats INTEGER, replies INTEGER, calls"
        " INTEGER, tokens_in INTEGER, tokens_out INTEGER, cost REAL, seconds REAL,"
        " failed_role TEXT, failure TEXT, message TEXT, place TEXT, at TEXT NOT NULL)"
    ),
    (
        "CREATE TABLE transcripts (cell INTEGER PRIMARY KEY REFERENCES cells(number), body BLOB NOT"
        " NULL, checksum TEXT NOT NULL)"
    ),
    # Every try, good or not, with what it newly cost.
    (
        "CREATE TABLE attempts (id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES"
        " cells(number), session INTEGER NOT NULL, ending TEXT NOT NULL, message TEXT, calls"
        " INTEGER NOT NULL, tokens INTEGER NOT NULL, cost REAL NOT NULL, at TEXT NOT NULL)"
    ),
    "CREATE INDEX attempts_by_cell ON attempts(cell)",
    # Answers of consultations that have not ended: paid for once, used when the consultation is
    # taken up again.
    (
        "CREATE TABLE answers (id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES"
        " cells(number), key TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL)"
    ),
    "CREATE INDEX answers_by_cell ON answers(cell)",
    # What judges said of the endings; every judge's word is kept under its name and version.
    (
        "CREATE TABLE verdicts (cell INTEGER NOT NULL REFERENCES cells(number), kind TEXT NOT NULL,"
        " judge TEXT NOT NULL, verdict TEXT NOT NULL, rung TEXT NOT NULL, because TEXT NOT NULL,"
        " rank INTEGER, tokens INTEGER, at TEXT NOT NULL, PRIMARY KEY (cell, kind, judge)) WITHOUT"
        " ROWID"
    ),
    # How doctor and patient worked, counted from the transcript.
    (
        "CREATE TABLE measures (cell INTEGER PRIMARY KEY REFERENCES cells(number), version TEXT NOT"
        " NULL, body TEXT NOT NULL)"
    ),
    # What models said of the patients' replies, beside what is exact in the measures; and how each
    # was tried first.
    (
        "CREATE TABLE patient_verdicts (cell INTEGER NOT NULL REFERENCES cells(number), judge TEXT"
        " NOT NULL, body TEXT NOT NULL, tokens INTEGER NOT NULL, cost REAL, at TEXT NOT NULL,"
        " PRIMARY KEY (cell, judge)) WITHOUT ROWID"
    ),
    "CREATE TABLE patient_judges (judge TEXT PRIMARY KEY, trial TEXT NOT NULL) WITHOUT ROWID",
    # Consultations that went on from the first turns of another one: which one that was, and how
    # many turns they share.
    (
        "CREATE TABLE forks (cell INTEGER PRIMARY KEY REFERENCES cells(number), parent_run_name"
        " TEXT NOT NULL, parent_record TEXT NOT NULL, parent_backbone TEXT NOT NULL,"
        " parent_strategy TEXT NOT NULL, parent_memory TEXT NOT NULL, parent_variants TEXT NOT"
        " NULL, parent_trial INTEGER NOT NULL, turn INTEGER NOT NULL)"
    ),
    # Why a consultation was lost, for each judge who calls it lost: valid as long as its verdict
    # and transcript are.
    (
        "CREATE TABLE explanations (cell INTEGER NOT NULL, judge TEXT NOT NULL,"
        " verdict TEXT NOT NULL, checksum TEXT NOT NULL, settings TEXT NOT NULL, cause TEXT NOT"
        " NULL, lost_at INTEGER, missing TEXT NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL,"
        " PRIMARY KEY (cell, judge)) WITHOUT ROWID"
    ),
    # Answers of models that were asked for explanations; they are no part of the run's own cost.
    (
        "CREATE TABLE explain_answers (id INTEGER PRIMARY KEY, cell INTEGER NOT NULL,"
        " role TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, tokens INTEGER, cost REAL)"
    ),
    "CREATE INDEX explain_answers_by_cell ON explain_answers(cell)",
    # Every start of the run, with what it was started with.
    (
        "CREATE TABLE sessions (id INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT, seconds"
        " REAL NOT NULL DEFAULT 0, stopped_by TEXT, detail TEXT NOT NULL)"
    ),
)


def cell_values(cell: Cell) -> tuple[str | int, ...]:
    """A cell as its row has it, in the order of `CELL`."""
    return cell.case, *cell.column.as_row().values(), cell.trial


def cell_of(row: Row | Mapping[str, Any]) -> Cell:
    """The cell of a row that has the columns of `CELL`; a ValueError if it is damaged."""
    column = Column.from_row({name: row[name] for name in COLUMN})
    return Cell(row["record"], column, row["trial"])
