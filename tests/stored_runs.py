"""Changes to run files by hand, for tests of odd content and of damage."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from osler.runs.store.row_checksums import write_checksums


@contextmanager
def rewriting(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes checksums, as Osler's own does: what it changes is no damage."""
    with closing(sqlite3.connect(path)) as file, file:
        write_checksums(file)
        yield file
