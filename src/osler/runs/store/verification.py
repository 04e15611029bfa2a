"""Compare the tables of a run with their checksums before they are read, and hide wrong rows."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from osler.errors import warn
from osler.runs.store.connection import DamagedRunError, damaged, log_of, remedy
from osler.runs.store.row_checksums import CHECKED, CheckedTable, RowPlace, WrongRows, wrong_rows

_MOST_SOUND = 10_000
"""States of a table, found sound, that are remembered."""
_sound: set[tuple[object, ...]] = set()
"""Tables of files that were compared in this process and have not been written to since: the viewer
asks often."""


class Verification:
    """The comparison of one open file.

    A table is compared when a statement names it for the first time.
    """

    def __init__(self, path: Path, file: sqlite3.Connection) -> None:
        """Begin with no table compared."""
        self._path = path
        self._file = file
        self._left = {name for name in CHECKED if name != "transcripts"}
        """Tables that are not compared yet. A transcript is compared when it is read."""

    def before(self, sql: str) -> None:
        """Compare the tables that a statement reads.

        Raises:
            DamagedRunError: One of them cannot be read.
        """
        for name in tables_in(sql) & self._left:
            self.verify(name)

    def verify(self, name: str) -> None:
        """Compare a table.

        If any row is wrong, all others are compared as well, so that one warning says it all.
        """
        wrong = self._compare(name)
        if not wrong:
            return
        every = {name: wrong}
        for other in CHECKED.keys() - {name}:
            # It is said when the table is read, if it ever is.
            with suppress(DamagedRunError, sqlite3.DatabaseError):
                every[other] = self._compare(other)
        warn(f"{self._path} is damaged: {told(every)}, and left out; {remedy(self._path)}")

    def _compare(self, name: str) -> WrongRows:
        state = (*_state_of(self._path), name)
        if state in _sound:
            wrong = WrongRows()
        else:
            with _snapshot(self._file):
                _require_readable(self._path, self._file, CHECKED[name])
                wrong = wrong_rows(self._file, CHECKED[name])
        if wrong and name == "about":  # everything depends on the settings: they cannot be left out
            raise damaged(self._path, told({name: wrong}))
        self._left.discard(name)
        if wrong.changed and name != "transcripts":  # whoever reads a transcript compares it
            self._hide(CHECKED[name], wrong.changed)
        if not wrong:
            _remember_sound(state)
        return wrong

    def _hide(self, table: CheckedTable, rows: list[RowPlace]) -> None:
        """Put a view without these rows before the table, for this connection alone."""
        file = self._file
        file.execute("PRAGMA temp_store=MEMORY")
        file.execute(
            "CREATE TEMP TABLE IF NOT EXISTS wrong_rows (part, cell, key, PRIMARY KEY (part, cell,"
            " key))"
        )
        file.executemany(
            "INSERT OR IGNORE INTO wrong_rows VALUES (?, ?, ?)",
            [(table.name, *row) for row in rows],
        )
        file.commit()
        file.execute(
            f"CREATE TEMP VIEW IF NOT EXISTS {table.name} AS SELECT * FROM main.{table.name} AS"
            " stored WHERE NOT EXISTS (SELECT 1 FROM wrong_rows WHERE (part, cell, key) IS"
            f" ('{table.name}', {table.place('stored.')}))"
        )


def _remember_sound(state: tuple[object, ...]) -> None:
    if len(_sound) > _MOST_SOUND:
        _sound.clear()
    _sound.add(state)


@lru_cache(maxsize=1000)
def tables_in(sql: str) -> frozenset[str]:
    """The tables with checksums that a statement could read: all whose names are in it."""
    return frozenset(re.findall(r"\w+", sql)) & CHECKED.keys()


def _require_readable(path: Path, file: sqlite3.Connection, table: CheckedTable) -> None:
    """Have SQLite look through the pages of a table and its indexes.

    Through a wrong index it would find too little.
    """
    if table.values(file):
        (first, *_), *_ = file.execute(f"PRAGMA main.integrity_check({table.name})")
        if first != "ok":
            raise damaged(path, first)


def told(wrong: Mapping[str, WrongRows]) -> str:
    """Say how many rows of which tables are wrong."""
    counts = [(len(rows), CHECKED[name].title) for name, rows in wrong.items() if rows]
    total = sum(count for count, _ in counts)
    named = ", ".join(
        f"{count} {title}" if count == 1 else f"{count} × {title}" for count, title in counts
    )
    return f"{named} {'is' if total == 1 else 'are'} not as written"


@contextmanager
def _snapshot(file: sqlite3.Connection) -> Iterator[None]:
    """Read rows and checksums as of one moment, as another process may be writing."""
    if file.in_transaction:
        yield
        return
    file.execute("BEGIN DEFERRED")
    try:
        yield
    finally:
        file.rollback()


def _state_of(path: Path) -> tuple[object, ...]:
    """What changes when a run is written to."""
    parts: list[object] = [str(path.resolve())]
    for part in (path, log_of(path)):
        if part.exists():
            about = part.stat()
            parts += [
                about.st_dev,
                about.st_ino,
                about.st_size,
                about.st_mtime_ns,
                about.st_ctime_ns,
            ]
    return tuple(parts)
