"""Open a run file for reading: refuse what is no run, and leave out what is damaged."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from osler.errors import UserError, warn
from osler.runs.store import row_checksums, search_index
from osler.runs.store.connection import (
    connect_for_reading,
    damaged,
    database_errors_named,
    has_log,
    log_of,
)
from osler.runs.store.row_checksums import CHECKED, WrongRows, wrong_rows
from osler.runs.store.run_names import run_name, run_path
from osler.runs.store.tables import FORMAT, MARK, TABLES
from osler.runs.store.verification import Verification

_LAYOUT = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
Values = Sequence[Any] | Mapping[str, Any]
"""What is put into the places of a statement."""


class OpenRun:
    """A run file, open for reading. Safe while another process writes to it."""

    def __init__(self, path: Path, file: sqlite3.Connection) -> None:
        """Take an open file; use `open`."""
        self.path = path
        self._file = file
        self._verification: Verification | None = None

    @classmethod
    def open(cls, name: str | Path, *, verified: bool = True) -> Self:
        """Open an existing run.

        Damaged rows are left out, with one warning, unless it is not to be verified.

        Raises:
            UserError: There is none, or the file is not a run of this version.
        """
        path = run_path(name)
        if not os.path.isfile(path):  # also of a name that no file can have
            raise UserError(f"there is no run {path}", "`osler runs list` shows what there is")
        try:
            with database_errors_named(path):
                file = connect_for_reading(path)
        except OSError as error:
            raise UserError(
                f"{path} cannot be read ({error.strerror})", "check its permissions"
            ) from None
        with ExitStack() as undo:
            run = cls(path, file)
            undo.callback(run.close)
            run._check_format()
            if verified:
                run._verification = Verification(path, file)
            run._warn_of_a_missing_log()
            undo.pop_all()
        return run

    def _check_format(self) -> None:
        """Refuse what is not a run, or one of another version."""
        (mark,), (version,) = (
            self.ask(f"PRAGMA {name}")[0] for name in ("application_id", "user_version")
        )
        if mark != MARK:
            raise UserError(f"{self.path} is not a run", "give a file that `osler simulate` wrote")
        if version != FORMAT:
            raise self._other_format(version)
        missing = _layout() - {tuple(row) for row in self.ask(_LAYOUT)}
        if missing:
            raise damaged(self.path, f"its table {min(missing)[0]}")

    def _other_format(self, version: int) -> UserError:
        """The error for a run that another version of Osler wrote; it names that version."""
        writer = "another version of Osler"
        with suppress(UserError, LookupError, TypeError, ValueError):
            ((version_text,),) = self.ask("SELECT value FROM about WHERE name = 'version'")
            writer = f"Osler {json.loads(version_text)}"
        return UserError(
            f"{self.path} is a run of format {version}, and this version of Osler reads format"
            f" {FORMAT}",
            f"use {writer}, which wrote it, or run it again with another --out",
        )

    def _warn_of_a_missing_log(self) -> None:
        """Warn when a run was not closed and its log is gone, as after copying the file alone."""
        ((mode,),) = self.ask("PRAGMA journal_mode")
        if mode != "wal" or has_log(self.path):
            return
        last = self.ask("SELECT ended FROM sessions ORDER BY id DESC LIMIT 1")
        if not last or last[0]["ended"] is None:
            warn(
                f"{self.path} was not closed, and its log {log_of(self.path).name} is not beside"
                " it, so what was written last is missing; copy both files, or resume the run with"
                f" --out {run_name(self.path)}"
            )

    def __enter__(self) -> Self:
        """Use it in a with block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def ask(self, sql: str, values: Values = ()) -> list[sqlite3.Row]:
        """The rows of any question to the tables; what a person wrote belongs into the values."""
        return list(self.each(sql, values))

    def each(self, sql: str, values: Values = ()) -> Iterator[sqlite3.Row]:
        """The same rows as `ask`, one by one, as there may be many."""
        with database_errors_named(self.path):
            if self._verification is not None:
                self._verification.before(sql)
            yield from self._file.execute(sql, values)

    def verify(self, table: str) -> None:
        """Compare a table with its checksums now, and warn if rows of it are wrong."""
        with database_errors_named(self.path):
            if self._verification is not None:
                self._verification.verify(table)

    def wrong_rows(self, table: str) -> WrongRows:
        """Return the rows of a table that do not fit their checksums."""
        with database_errors_named(self.path):
            return wrong_rows(self._file, CHECKED[table])


@lru_cache(maxsize=1)
def _layout() -> frozenset[tuple[str, str]]:
    """The tables that every run has, by name, and how they were made."""
    with closing(sqlite3.connect(":memory:")) as file:
        for table in (*TABLES, row_checksums.TABLE, search_index.TABLE):
            file.execute(table)
        return frozenset(file.execute(_LAYOUT))
