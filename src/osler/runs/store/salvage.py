"""Read from a damaged run file whatever can still be read."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from osler.runs.store.connection import connect_for_salvage
from osler.runs.store.row_checksums import CHECKED, CheckedTable, RowPlace, row_checksum

Row = dict[str, Any]
_ORDERS = {
    "about": "name",
    "patient_judges": "judge",
    **dict.fromkeys(("verdicts", "patient_verdicts", "explanations", "checksums"), "cell"),
}
"""What the rows of a table are stored in order of, where that is not `rowid`."""

_KEY_WIDTHS = {"verdicts": 3, "checksums": 3, "patient_verdicts": 2, "explanations": 2}
"""How many of their first columns tell their rows apart."""


@dataclass
class SalvagedTable:
    """The rows of a table: those that are as they were written, and the others."""

    sound: list[Row] = field(default_factory=list)
    lost: list[RowPlace] = field(default_factory=list)
    """Where rows were that have changed, or are not there."""
    unchecked: list[Row] = field(default_factory=list)
    """Rows whose checksum is not there, so that nobody can tell; their places are among those that
    are lost."""


class DamagedFile:
    """A run file in which pages or rows may be wrong. Everything is read without the indexes."""

    def __init__(self, path: Path) -> None:
        """Open it."""
        self._file = connect_for_salvage(path)
        self._largest = 0
        self._largest = max(
            (row["number"] for row in self.rows("cells") if isinstance(row["number"], int)),
            default=0,
        )

    def close(self) -> None:
        """Close it."""
        self._file.close()

    def has(self, table: str) -> bool:
        """Check whether the file has a table."""
        with suppress(sqlite3.DatabaseError):
            return self._file.execute(f"PRAGMA main.table_info({table})").fetchone() is not None
        return False

    def salvaged(self, name: str) -> SalvagedTable:
        """All rows of a table, divided by their checksums."""
        table = CHECKED[name]
        result = SalvagedTable()
        checksums = self._checksums(name)
        for row in self.rows(name):
            place = table.place_of(row)
            expected = checksums.pop(place, None)
            if expected == row_checksum(*_covered(table, row)):
                result.sound.append(row)
            else:
                result.lost.append(place)
                if expected is None:
                    result.unchecked.append(row)
        result.lost += checksums
        return result

    def _checksums(self, table: str) -> dict[RowPlace, int]:
        return {
            RowPlace(row["cell"], row["key"]): row["checksum"]
            for row in self.rows("checksums")
            if row["part"] == table
        }

    def rows(self, table: str) -> Iterator[Row]:
        """Every row of a table that can be read, once, however it is reached."""
        if not self.has(table):
            return
        width = _KEY_WIDTHS.get(table, 1)
        seen: set[object] = set()
        names = [about[1] for about in self._file.execute(f"PRAGMA main.table_info({table})")]
        for place, *values in self._readable(table, _ORDERS.get(table, "rowid")):
            row = dict(zip(names, values, strict=True))
            identity = place if width == 1 else tuple(values[:width])
            if identity not in seen:
                seen.add(identity)
                yield row

    def _readable(self, table: str, order: str) -> Iterator[tuple[Any, ...]]:
        """The rows up to the first page that cannot be read, from the back, then in between."""
        reached: list[Any] = []
        for direction in ("ASC", "DESC"):
            place = None
            try:
                for row in self._select(table, order, f"ORDER BY {order} {direction}"):
                    place = row[0]
                    yield tuple(row)
                return
            except sqlite3.DatabaseError:
                reached.append(place)
        front, back = reached
        if order in ("rowid", "cell"):
            low = front if isinstance(front, int) else 0
            yield from self._between(
                table, order, low, back if isinstance(back, int) else self._largest
            )

    def _between(self, table: str, order: str, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """The rows of a range: all at once, or by halves where a page cannot be read."""
        try:
            rows = self._select(table, order, f"WHERE {order} BETWEEN {low} AND {high}").fetchall()
        except sqlite3.DatabaseError:
            if low < high:
                middle = (low + high) // 2
                yield from self._between(table, order, low, middle)
                yield from self._between(table, order, middle + 1, high)
            return
        yield from map(tuple, rows)

    def _select(self, table: str, order: str, rest: str) -> sqlite3.Cursor:
        return self._file.execute(
            f"SELECT {order} AS place, * FROM main.{table} NOT INDEXED {rest}"
        )


def _covered(table: CheckedTable, row: Row) -> list[Any]:
    """The values that the checksum of a row covers."""
    is_open = bool(table.growing) and row["state"] == "todo"
    return [
        None if is_open and name in table.growing else value
        for name, value in row.items()
        if name != table.unchecked
    ]
