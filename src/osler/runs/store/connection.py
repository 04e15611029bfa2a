"""Opening and locking run files, and naming what is wrong with them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from osler.errors import UserError

_LOG_PAGES = 500
"""Pages of 4 kB after which the write-ahead log is moved into the file, so that the file is never
far behind."""
_LOG_KEPT = 2 * 1024 * 1024
"""Bytes of an empty log that stay on the disk for the next writes."""


class DamagedRunError(UserError):
    """A run file, or a part of it, that cannot be read."""


class RunInUseError(UserError):
    """A run that another process writes to."""


def damaged(path: Path, what: object) -> DamagedRunError:
    """The error for a run that is damaged somewhere."""
    return DamagedRunError(f"the run {path} is damaged ({what})", remedy(path))


def remedy(path: Path) -> str:
    """What to do about a damaged run."""
    return f"`osler runs check {path}` lists the damage, `osler runs repair {path}` mends the file"


def checksum(body: bytes) -> str:
    """Return the checksum of a stored transcript."""
    return hashlib.sha256(body).hexdigest()


@contextmanager
def database_errors_named(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ones that name the run and what to do."""
    try:
        yield
    # SQLite quotes the damaged words in its message, and they are not text.
    except UnicodeDecodeError:
        raise damaged(path, "its tables cannot be read") from None
    except sqlite3.ProgrammingError:  # a mistake of ours, not damage
        raise
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            raise UserError(
                f"{path} is not a run", "give a file that `osler simulate` wrote"
            ) from None
        raise damaged(path, error) from None


def connect_for_writing(path: Path) -> sqlite3.Connection:
    """A connection whose changes are written by `with`: all of them, or none after an error."""
    file = _connect(str(path))
    file.execute("PRAGMA journal_mode=WAL")
    # A kill loses nothing; only a loss of power may cost the last consultations, and never the
    # file.
    file.execute("PRAGMA synchronous=NORMAL")
    file.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES}")
    file.execute(f"PRAGMA journal_size_limit={_LOG_KEPT}")
    file.execute("PRAGMA foreign_keys=ON")
    return file


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that can only read, also from a folder that cannot be written to."""
    try:
        return _read_only(path)
    # A read-only folder has no place for the shared memory of a write-ahead log.
    except sqlite3.OperationalError:
        with TemporaryDirectory(prefix="osler-") as folder:
            for part in filter(Path.exists, (path, log_of(path))):
                shutil.copyfile(part, Path(folder) / part.name)
            return _read_only(Path(folder) / path.name)  # stays readable without its folder


def connect_for_salvage(path: Path) -> sqlite3.Connection:
    """A connection that reads what it can.

    A table that SQLite does not understand hides no other.
    """
    file = _connect(f"file:{quote(str(path.resolve()))}?mode=ro")
    file.execute("PRAGMA writable_schema=ON")
    return file


def _read_only(path: Path) -> sqlite3.Connection:
    file = _connect(f"file:{quote(str(path.resolve()))}?mode=ro")
    try:
        file.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        file.close()
        raise
    return file


def _connect(address: str) -> sqlite3.Connection:
    is_uri = address.startswith("file:")
    file = sqlite3.connect(
        address, uri=is_uri, isolation_level="IMMEDIATE", timeout=30, check_same_thread=False
    )
    file.row_factory = sqlite3.Row
    file.text_factory = lambda value: str(value, "utf-8", "replace")
    return file


def log_of(path: Path) -> Path:
    """The write-ahead log, where SQLite writes first.

    It belongs to the file as long as it is there.
    """
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Check whether a part of the run's content is in its log."""
    return log_of(path).exists() and log_of(path).stat().st_size > 0


def lock_for_writing(path: Path) -> int:
    """Lock a run by a file beside it; a process that dies lets go of it.

    Returns what `unlock` needs.

    Raises:
        UserError: Another process holds the lock.
        OSError: The file cannot be made.
    """
    while True:
        lock = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            remedy = "wait for it to end, or give another --out"
            raise RunInUseError(f"another process is writing to the run {path}", remedy) from None
        if os.fstat(lock).st_nlink:
            return lock
        # Its last holder removed it after it was opened here: a lock on it keeps nobody out.
        os.close(lock)


def unlock(path: Path, lock: int) -> None:
    """Remove the lock file while it is held, so that nobody else's is removed; then let go."""
    with suppress(OSError):
        _lock_of(path).unlink()
    os.close(lock)


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")
