"""Opening run files: for writing, for reading, and when they are damaged or come without their log."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self
from urllib.parse import quote

from osler.errors import UserError, warn

_LOG_PAGES = 500
"""Pages of 4 kB after which the write-ahead log is moved into the file, so that the file is never far behind."""
_LOG_KEPT = 2 * 1024 * 1024
"""Bytes of an empty log that stay on the disk for the next writes."""


class DamagedRunError(UserError):
    """A run file, or a part of it, that cannot be read."""


def damaged(path: Path, what: object) -> DamagedRunError:
    """The error for a run that is damaged somewhere."""
    return DamagedRunError(f"the run {path} is damaged ({what})", f"`osler runs check {path}` shows what can be read")


def checksum(body: bytes) -> str:
    """Of a stored transcript."""
    return hashlib.sha256(body).hexdigest()


@contextmanager
def _told_apart(file: sqlite3.Connection) -> Iterator[None]:
    """Turn SQLite's errors about the file's content into ours; those about writing are the writer's business."""
    path = file.path if isinstance(file, RunConnection) else Path("?")
    try:
        yield
    except UnicodeDecodeError:  # SQLite quotes the damaged words in its message, and they are no text
        raise damaged(path, "its tables cannot be read") from None
    except sqlite3.DatabaseError as error:
        reading = isinstance(file, RunConnection) and not file.writing
        if type(error) is sqlite3.DatabaseError or (reading and isinstance(error, sqlite3.OperationalError)):
            if "not a database" in str(error):
                raise UserError(f"{path} is not a run", "give a file that `osler simulate` wrote") from None
            raise damaged(path, error) from None
        raise


class _Cursor(sqlite3.Cursor):
    """A cursor whose errors name the run."""

    def execute(self, *args: Any) -> Self:
        with _told_apart(self.connection):
            return super().execute(*args)

    def fetchone(self) -> Any:
        with _told_apart(self.connection):
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with _told_apart(self.connection):
            return super().fetchall()

    def __next__(self) -> Any:
        with _told_apart(self.connection):
            return super().__next__()


class RunConnection(sqlite3.Connection):
    """A connection that knows which run it is to."""

    path: Path
    writing: bool
    copy: TemporaryDirectory[str] | None = None

    def cursor(self, factory: Any = _Cursor) -> Any:
        """A cursor whose errors name the run."""
        return super().cursor(factory)

    def execute(self, *args: Any) -> sqlite3.Cursor:
        """Run a statement on such a cursor; SQLite's own shortcut would take a plain one."""
        cursor: sqlite3.Cursor = self.cursor().execute(*args)
        return cursor

    def close(self) -> None:
        """Close the file, and remove the copy that was read in its place."""
        super().close()
        if self.copy is not None:
            self.copy.cleanup()
            self.copy = None


def connect(path: Path, *, writing: bool) -> sqlite3.Connection:
    """A connection that writes, or one that can only read, also from a folder that cannot be written to."""
    return _writing(path) if writing else _reading(path)


def _writing(path: Path) -> sqlite3.Connection:
    file = _open(path, str(path), writing=True)
    file.execute("PRAGMA journal_mode=WAL")
    # A kill loses nothing; only a loss of power may cost the last consultations, and never the file.
    file.execute("PRAGMA synchronous=NORMAL")
    file.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES}")
    file.execute(f"PRAGMA journal_size_limit={_LOG_KEPT}")
    file.execute("PRAGMA foreign_keys=ON")
    return file


def _reading(path: Path) -> sqlite3.Connection:
    try:
        return _readable(path, f"{_address(path)}?mode=ro")
    except DamagedRunError:  # a read-only folder has no place for the shared-memory file that the log wants
        return _reading_a_copy(path) if has_log(path) else _readable(path, f"{_address(path)}?mode=ro&immutable=1")


def _reading_a_copy(path: Path) -> sqlite3.Connection:
    """The file and its log, read from a private folder: without the log, what was written last would be missing."""
    folder = TemporaryDirectory(prefix="osler-")
    try:
        for part in (path, log_of(path)):
            shutil.copyfile(part, Path(folder.name) / part.name)
        file = _readable(path, f"{_address(Path(folder.name) / path.name)}?mode=ro")
    except BaseException:
        folder.cleanup()
        raise
    file.copy = folder
    return file


def _readable(path: Path, address: str) -> RunConnection:
    file = _open(path, address, writing=False)
    try:
        file.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        file.close()
        raise
    return file


def _open(path: Path, address: str, *, writing: bool) -> RunConnection:
    file = sqlite3.connect(
        address, uri=not writing, isolation_level=None, timeout=30, check_same_thread=False, factory=RunConnection
    )
    file.path, file.writing = path, writing
    file.text_factory = _text
    return file


def _text(value: bytes) -> str:
    return str(value, "utf-8", "replace")


def _address(path: Path) -> str:
    return f"file:{quote(str(path.resolve()))}"


def log_of(path: Path) -> Path:
    """Where SQLite writes first; it belongs to the file as long as it is there."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Whether a part of the run's content is in its log."""
    try:
        return log_of(path).stat().st_size > 0
    except OSError:
        return False


def warn_of_a_missing_log(path: Path, file: sqlite3.Connection) -> None:
    """Say so when a run was not closed and its log is gone, as after copying the file alone: the end is missing."""
    if has_log(path) or not _wants_a_log(path):
        return
    last = file.execute("SELECT ended FROM sessions ORDER BY id DESC LIMIT 1").fetchone()
    if last is None or last[0] is None:
        warn(
            f"{path} was not closed, and its log {log_of(path).name} is not beside it, so what was written last is"
            " missing; copy both files, or re-run the command to resume"
        )


def _wants_a_log(path: Path) -> bool:
    """Whether the file's header says that it is written through a log; one that was closed is not."""
    with path.open("rb") as file:
        header = file.read(20)
    return header[18:20] == b"\x02\x02"
