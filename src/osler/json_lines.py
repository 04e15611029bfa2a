"""A file with a line per result, of which a kill at any time costs at most the last line."""

from __future__ import annotations

import os
from pathlib import Path

from osler.errors import StorageError
from osler.private import private_file


def complete_lines(path: Path) -> list[bytes]:
    """The lines that end with a line break; a last line that a kill cut off has none."""
    if not path.exists():
        return []
    *lines, _cut_off = path.read_bytes().split(b"\n")
    return lines


def append_line(path: Path, line: bytes) -> None:
    """Add a line; it is on the disk when this returns.

    Raises:
        StorageError: The file cannot be written.
    """
    private_file(path)
    try:
        with path.open("r+b") as file:
            # A line that a kill cut off is overwritten, or the new line would continue it.
            file.seek(path.read_bytes().rfind(b"\n") + 1)
            file.truncate()
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror})", "make room, and re-run to resume"
        ) from None
