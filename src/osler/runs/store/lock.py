"""One writer at a time: a lock file beside the run, which is gone when the writer is."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Self


class Busy(Exception):
    """Another process holds the lock."""


class FileLock:
    """Held from `take` to `release`. A process that dies lets go of it, and the next holder removes the file."""

    def __init__(self, path: Path, held: int) -> None:
        """Keep what `take` has opened."""
        self._path, self._held = path, held

    @classmethod
    def take(cls, path: Path) -> Self:
        """Take the lock at once.

        Raises:
            Busy: Another one holds it.
            OSError: The file cannot be made.
        """
        while True:
            opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_at(path, opened):
                    return cls(path, opened)
            except BlockingIOError:
                os.close(opened)
                raise Busy from None
            except BaseException:
                os.close(opened)
                raise
            os.close(opened)  # its last holder removed it after it was opened here: a lock on it keeps nobody out

    def release(self) -> None:
        """Remove the file while it is still held, so that nobody else's is removed; then let go."""
        if self._held >= 0:
            with suppress(OSError):
                self._path.unlink()
            os.close(self._held)
            self._held = -1


def _is_at(path: Path, opened: int) -> bool:
    try:
        return os.path.samestat(os.fstat(opened), path.stat())
    except FileNotFoundError:
        return False
