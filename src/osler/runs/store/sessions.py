"""Open a run file for writing, lock it, and keep account of its sessions and attempts."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

from osler.errors import UserError
from osler.runs.store.connection import (
    RunInUseError,
    connect_for_writing,
    database_errors_named,
    lock_for_writing,
    unlock,
)
from osler.runs.store.create import cannot_write, check_resume, create_run_file, remove
from osler.runs.store.reader import RunFile
from osler.runs.store.row_checksums import write_checksums
from osler.runs.store.run_names import fresh_paths, run_path
from osler.runs.store.statements import as_json, insert, now


class OpenRunWriter(RunFile):
    """A run, open for writing. A second one for the same file is refused while this is open."""

    def __init__(
        self, path: Path, file: sqlite3.Connection, lock: int, created: tuple[Path, ...]
    ) -> None:
        """Take an open file, its lock and what was created for it; use `create_or_resume`."""
        super().__init__(path, file)
        self._lock: int | None = lock
        self._created = created
        self._removed = created[:0]
        self._session = 0
        self._detail = dict[str, Any]()
        self._began = time.monotonic()

    @classmethod
    def resume(cls, name: str | Path) -> Self:
        """Open an existing run, whatever its settings are.

        Raises:
            UserError: There is none, it cannot be written, or another process writes to it.
        """
        with RunFile.open(name) as run:
            about = run.about()
        return cls.create_or_resume(name, about, same_prompts=False)

    @classmethod
    def create(cls, about: dict[str, Any]) -> Self:
        """Start a run with a fresh name, which no other process gets.

        Raises what `create_or_resume` does.
        """
        for path in fresh_paths():
            with suppress(RunInUseError):  # another process takes this name just now
                return cls.create_or_resume(path, about, must_be_new=True)
        raise AssertionError("there is always a next number")

    @classmethod
    def create_or_resume(
        cls,
        name: str | Path,
        about: dict[str, Any],
        *,
        must_be_new: bool = False,
        same_prompts: bool = True,
    ) -> Self:
        """Start a run, or resume one that was made with the same settings.

        Args:
            name: The run.
            about: What decides its results: settings and versions.
            must_be_new: Whether a run of that name that is there already counts as in use.
            same_prompts: Whether the prompts that its consultations used must not have changed.

        Raises:
            UserError: The file cannot be written, is in use, or was made with other settings.
        """
        path = run_path(name)
        if path.is_dir():
            raise UserError(f"{path} is a folder", "give another --out")
        try:
            with ExitStack() as undo:
                folders = tuple(takewhile(lambda folder: not folder.exists(), path.parents))
                undo.callback(remove, folders)
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = lock_for_writing(path)
                undo.callback(unlock, path, lock)
                created = () if path.exists() else (path, *folders)
                if must_be_new and not created:
                    raise RunInUseError(f"there is a run {path} already", "give another --out")
                if created or path.stat().st_size == 0:
                    create_run_file(path, about)
                else:
                    check_resume(path, about, same_prompts=same_prompts)
                run = cls(path, connect_for_writing(path), lock, created)
                undo.callback(run._file.close)
                run._write_checksums()
                undo.pop_all()
                return run
        except (OSError, sqlite3.OperationalError) as error:
            raise cannot_write(path, error) from None

    def __exit__(self, *raised: object) -> None:
        """Close it.

        A run that was created here, and in which nothing was run before an error came, is removed.
        """
        self._removed = self._created if raised[0] is not None and self._is_unused() else ()
        self.close()

    def close(self) -> None:
        """Close the file as one piece, and let others write."""
        with suppress(sqlite3.Error, UserError):
            if self._session:
                self._note_in_session("ended", now())
        # One plain file again, unless somebody is reading it.
        with suppress(sqlite3.Error, UserError):
            self._file.execute("PRAGMA journal_mode=DELETE")
        super().close()
        remove(self._removed[:1])
        if self._lock is not None:
            unlock(self.path, self._lock)
            self._lock = None
        remove(self._removed[1:])

    def _write_checksums(self) -> None:
        """Have what is written from now on covered by checksums."""
        write_checksums(self._file)

    def _is_unused(self) -> bool:
        with suppress(UserError):
            return not self.ask(
                "SELECT 1 FROM attempts UNION SELECT 1 FROM answers UNION SELECT 1 FROM sessions"
                " WHERE stopped_by > ''"
            )
        return False

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of a step, or nothing of it."""
        with database_errors_named(self.path):
            try:
                with self._file:
                    yield self._file
            except sqlite3.OperationalError as error:
                raise cannot_write(self.path, error) from None

    def begin(self, detail: dict[str, Any]) -> None:
        """Note that the run is started or resumed, and what a kill has left half done."""
        with self._transaction() as file:
            self._session = insert(
                file, "INTO sessions", ("began", "detail"), (now(), as_json(detail))
            )
            paid = (
                "(SELECT coalesce(sum(attempts.calls), 0) FROM attempts WHERE attempts.cell ="
                " cells.number)"
            )
            left = file.execute(
                f"SELECT number FROM cells WHERE state = 'todo' AND calls > {paid}"
            ).fetchall()
            for (number,) in left:
                self._add_attempt(file, number, "interrupted", "the process ended")
        self._began = time.monotonic()
        self._detail = detail

    def note(self, more: dict[str, Any]) -> None:
        """Add to what is known of this session."""
        self._detail = {**self._detail, **more}
        self._note_in_session("detail", as_json(self._detail))

    def make_own_judge(self, judge: str) -> None:
        """Make a judge the run's own, after its last session.

        Its verdicts are shown unless another is named.
        """
        with self._transaction() as file:
            file.execute(
                "UPDATE sessions SET detail = json_set(detail, '$.judge', ?)"
                " WHERE id = (SELECT max(id) FROM sessions) AND json_valid(detail)",
                (judge,),
            )

    def note_stop(self, reason: str) -> None:
        """Record why this session ends before the plan does."""
        self._note_in_session("stopped_by", reason)

    def _note_in_session(self, field: str, value: str) -> None:
        with self._transaction() as file:
            file.execute(f"UPDATE sessions SET {field} = ? WHERE id = ?", (value, self._session))
            self._count_time(file)

    def _count_time(self, file: sqlite3.Connection) -> None:
        spent = time.monotonic() - self._began
        file.execute("UPDATE sessions SET seconds = ? WHERE id = ?", (spent, self._session))

    def note_interruption(self, number: int, reason: str) -> None:
        """Note an attempt that was stopped before its end; the consultation is still to be done."""
        with self._transaction() as file:
            self._add_attempt(file, number, "interrupted", reason)

    def _add_attempt(
        self, file: sqlite3.Connection, number: int, ending: str, message: str | None
    ) -> None:
        """Add an attempt with what it cost.

        All that was paid for the consultation, less its earlier attempts.
        """
        file.execute(
            "INSERT INTO attempts (cell, session, ending, message, calls, tokens, cost, at) SELECT"
            " number, ?, ?, ?, calls - (SELECT coalesce(sum(calls), 0) FROM attempts WHERE cell ="
            " number), tokens - (SELECT CAST(total(tokens) AS INTEGER) FROM attempts WHERE cell ="
            " number), cost - (SELECT coalesce(sum(cost), 0) FROM attempts WHERE cell = number), ?"
            " FROM cells WHERE number = ?",
            (self._session, ending, message, now(), number),
        )
        self._count_time(file)
