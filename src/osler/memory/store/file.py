"""The SQLite file of a memory store: its tables, opening it, and naming its errors."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from osler.errors import StorageError, UserError, warn
from osler.private import OWNER_ONLY, private_file

MARK = 0x6F736C6D
"""The application id of a memory store."""
FORMAT = 2
"""Raised when what a memory saves changes; a file of another form is refused."""
TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE scopes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL, owner TEXT NOT NULL, language TEXT NOT NULL,
    turns INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 0, -- rises when the log was rewritten
    UNIQUE (kind, owner, language)
);
CREATE TABLE log ( -- what changed in a scope's memory, one row an exchange
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL REFERENCES scopes,
    body BLOB NOT NULL
);
CREATE INDEX log_of_scope ON log (scope, seq);
CREATE TABLE items (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    scope INTEGER NOT NULL, key TEXT NOT NULL,
    text TEXT, metadata TEXT, -- NULL when deleted
    user_id TEXT, agent_id TEXT, run_id TEXT, actor_id TEXT,
    valid_at TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT,
    superseded_at TEXT, superseded_by TEXT, deleted_at TEXT,
    UNIQUE (scope, key)
);
CREATE INDEX items_of_agent ON items (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX items_of_run ON items (run_id) WHERE run_id IS NOT NULL;
CREATE TABLE changes ( -- of an item after it was added
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, event TEXT NOT NULL, old TEXT, at TEXT NOT NULL
);
CREATE INDEX changes_of_item ON changes (id);
CREATE TABLE asked ( -- the question that a session ended with
    scope INTEGER NOT NULL, run_id TEXT NOT NULL, question TEXT NOT NULL, asked_by TEXT NOT NULL,
    PRIMARY KEY (scope, run_id)
);
"""
_HEADER = b"SQLite format 3\0"
_OLD_FORM = b'{"format": 1, "sha256"'
_WAIT = 30.0
"""Seconds to wait for another process's transaction; none takes long."""
_PATIENCE = 600.0
"""Seconds to wait for another process's add, in which a model may think."""


class StoreFile:
    """An open file, used by one thread."""

    def __init__(self, path: Path | None, memory: str | None) -> None:
        """Open or create a file.

        Args:
            path: The file; None for a store that is gone with its process.
            memory: The memory that it has to hold; None for whatever it holds, `tim` if it is new.

        Raises:
            UserError: It is something else, holds another memory, or cannot be written.
        """
        self.path = path
        if path is not None:
            _check(path)
        with self.errors_named():
            if path is not None:
                private_file(path)
            self._file = sqlite3.connect(
                path or ":memory:", isolation_level=None, timeout=_WAIT, check_same_thread=False
            )
            try:
                self._set_up(memory or "tim")
            except BaseException:
                self._file.close()
                raise

    def _set_up(self, memory: str) -> None:
        self._file.row_factory = sqlite3.Row
        if self.rows("SELECT 1 FROM sqlite_master") and self._pragma("application_id") != MARK:
            raise UserError(f"{self.path} is the database of another program", "give another file")
        self._file.execute("PRAGMA journal_mode=WAL")
        # A kill loses nothing; a power failure may cost the last adds, and never the file.
        self._file.execute("PRAGMA synchronous=NORMAL")
        self._file.execute("PRAGMA secure_delete=ON")
        with self.transaction():
            if not self.rows("SELECT 1 FROM sqlite_master"):
                for statement in TABLES.split(";\n"):
                    self._file.execute(statement)
                self._file.execute("INSERT INTO about VALUES ('memory', ?)", (memory,))
                self._file.execute(f"PRAGMA application_id={MARK}")
                self._file.execute(f"PRAGMA user_version={FORMAT}")
        form = self._pragma("user_version")
        if form != FORMAT:
            raise UserError(
                f"the memory store {self.path} has form {form}, this Osler reads form {FORMAT}",
                (
                    "use Osler 0.1.0, which reads it, or give another file"
                    if form < FORMAT
                    else "use the version of Osler that wrote it"
                ),
            )

    def _pragma(self, name: str) -> int:
        return int(self.rows(f"PRAGMA {name}")[0][0])

    @property
    def memory(self) -> str:
        """The memory that the file was made for, with its options."""
        return str(self.rows("SELECT value FROM about WHERE name = 'memory'")[0][0])

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Run a statement and return its rows."""
        with self.errors_named():
            return self._file.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        """Write all of a step, or nothing of it; with `DEFERRED`, read one state of the file."""
        with self.errors_named():
            self._file.execute(f"BEGIN {kind}")
        try:
            yield
            with self.errors_named():
                self._file.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._file.execute("ROLLBACK")
            raise

    def empty_log(self) -> None:
        """Empty the write-ahead log, in which deleted text still stands.

        It waits for those who read an older state.
        """
        if self.path is not None and self.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            warn(
                f"deleted text is still in {self.path}-wal, since another program is reading; it"
                " goes when that ends"
            )

    def shrink(self) -> None:
        """Give free pages back to the disk."""
        self.rows("VACUUM")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @contextmanager
    def errors_named(self) -> Iterator[None]:
        """Turn errors of SQLite and the system into ones that name the file and what to do."""
        try:
            yield
        except sqlite3.ProgrammingError:  # a mistake of ours
            raise
        except (sqlite3.DatabaseError, OSError) as error:
            raise _named(f"the memory store {self.path or 'in memory'}", error) from None

    @asynccontextmanager
    async def writing_to(self, scope: int) -> AsyncIterator[None]:
        """Keep other processes from adding to a scope; a process that dies lets go.

        The lock is a file beside the store while somebody adds, since SQLite's lock would stop all
        other scopes too.
        """
        if self.path is None:
            yield
            return
        lock_path = self.path.with_name(f"{self.path.name}-{scope}.lock")
        lock = await self._locked(lock_path)
        try:
            yield
        finally:
            with suppress(OSError):
                lock_path.unlink()
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)

    async def _locked(self, path: Path) -> int:
        began = time.monotonic()
        pause = 0.001
        while True:
            with self.errors_named():
                lock = os.open(
                    path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, OWNER_ONLY
                )
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(lock).st_nlink:
                    return lock
                os.close(lock)  # its last holder removed it after it was opened here
                continue
            except BlockingIOError:
                os.close(lock)
            if time.monotonic() - began > _PATIENCE:
                raise UserError(
                    f"another process has been adding to the memory store {self.path} for"
                    f" {_PATIENCE:.0f} s",
                    "end that process, or try again later",
                )
            await asyncio.sleep(pause)
            pause = min(0.02, 2 * pause)


def _check(path: Path) -> None:
    """Refuse what cannot be a store before SQLite opens it."""
    if path.is_dir():
        raise UserError(f"{path} is a folder", "give the name of a file in it")
    if not path.parent.is_dir():
        raise UserError(
            f"the folder {path.parent} does not exist", "make it, or give a file in another folder"
        )
    try:
        with path.open("rb") as file:
            head = file.read(len(_OLD_FORM))
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(
            f"the memory store {path} cannot be read ({error.strerror})", "check its permissions"
        ) from None
    if head.startswith(_OLD_FORM):
        raise UserError(
            f"{path} was saved by an earlier version of Osler, before there were memory stores",
            "give another file and add the conversation again; the old file stays as it is",
        )
    if head and not head.startswith(_HEADER):
        raise UserError(
            f"{path} is not a memory store", "give a file that a MemoryStore made, or a new one"
        )


def _named(store: str, error: Exception) -> UserError:
    told = str(getattr(error, "strerror", None) or error)
    if "locked" in told:
        return UserError(
            f"{store} has been locked by another process for {_WAIT:.0f} s",
            "try again when it has ended",
        )
    if any(word in told for word in ("full", "disk I/O", "No space", "too large")):
        return StorageError(
            f"{store} cannot be written ({told})", "free disk space; what was saved before is kept"
        )
    if isinstance(error, OSError) or any(word in told for word in ("readonly", "unable to open")):
        return UserError(
            f"{store} cannot be written ({told})", "give a file in a folder that you may write to"
        )
    return UserError(
        f"{store} is damaged ({told})", "restore it from a copy, or try `sqlite3 FILE .recover`"
    )
