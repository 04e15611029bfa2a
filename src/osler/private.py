"""Files that only their owner may read or change: they contain what patients and models said."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

OWNER_ONLY = 0o600
_FOLDER = 0o700


def private_file(path: Path) -> None:
    """Make an empty file for its owner alone; an existing one is not changed."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))


def write_private(path: Path, data: bytes) -> None:
    """Write a new file for its owner alone, or into an existing one."""
    private_file(path)
    path.write_bytes(data)


def make_private(path: Path) -> None:
    """Give access to a file or a folder to its owner alone."""
    path.chmod(_FOLDER if path.is_dir() else OWNER_ONLY)


def user_cache() -> Path:
    """Return the folder where Osler stores what can be made or fetched again for this user."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "osler"


def private_cache(name: str) -> Path | None:
    """A folder in the user's cache that nobody else can write to; None if there can be none."""
    try:
        folder = user_cache() / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=_FOLDER, exist_ok=True)
        status = folder.lstat()
    except (OSError, RuntimeError):  # nowhere to write, or no home
        return None
    # What is there may be another's: a link, a file, or a folder that others can write to.
    if not stat.S_ISDIR(status.st_mode):
        return None
    if sys.platform == "win32":
        return folder
    is_ours = status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return folder if is_ours else None
