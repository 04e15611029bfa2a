"""Checksums of the rows that figures are made from.

Written with every row, compared before rows are read.

They stand in a table of their own, so a row that is lost is noticed too. What is said in a
consultation has a checksum of its own in `transcripts`, and the content of a record its hash in
`records`; both are covered here in turn.
"""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TABLE = (
    "CREATE TABLE checksums (cell INTEGER NOT NULL, part TEXT NOT NULL, key TEXT NOT NULL, checksum"
    " INTEGER NOT NULL, PRIMARY KEY (cell, part, key)) WITHOUT ROWID"
)


class RowPlace(NamedTuple):
    """Identifies a row within its table."""

    cell: int
    """The consultation that it belongs to; 0 if it belongs to none."""
    key: str
    """What tells the rows of one consultation apart; empty if there is only one."""


@dataclass(frozen=True)
class CheckedTable:
    """A table whose rows have checksums."""

    name: str
    title: str
    """What messages call one of its rows."""
    cell: str = "cell"
    """The column with the consultation's number, or `0`."""
    keys: tuple[str, ...] = ()
    """The columns of a row's key."""
    unchecked: str = ""
    """A column that is left out, as another column covers it."""
    growing: tuple[str, ...] = ()
    """Columns that change with every answer of a model, and are covered once the consultation has
    ended."""

    def place(self, row: str = "") -> str:
        """The two columns of a row's place, in SQL; `row` is what the statement calls the row."""
        cell = self.cell if self.cell == "0" else f"{row}{self.cell}"
        return f"{cell}, '' || " + (" || ' ' || ".join(f"{row}{key}" for key in self.keys) or "''")

    def place_of(self, row: Mapping[str, Any]) -> RowPlace:
        """The place of a row that was read."""
        cell = 0 if self.cell == "0" else row[self.cell]
        return RowPlace(cell, " ".join(str(row[key]) for key in self.keys))

    def values(self, file: sqlite3.Connection, row: str = "") -> list[str]:
        """What the checksum covers, in SQL; nothing if the file has no such table."""
        names = [str(about[1]) for about in file.execute(f"PRAGMA main.table_info({self.name})")]
        ended = f"CASE WHEN {row}state != 'todo' THEN {row}{{}} END"
        return [
            ended.format(name) if name in self.growing else f"{row}{name}"
            for name in names
            if name != self.unchecked
        ]


CHECKED = {
    table.name: table
    for table in (
        CheckedTable("about", "setting", cell="0", keys=("name",)),
        CheckedTable("prompts", "prompt", cell="0", keys=("name",)),
        CheckedTable("records", "record", cell="0", keys=("id",), unchecked="body"),
        CheckedTable(
            "cells", "consultation of the plan", cell="number", growing=("calls", "tokens", "cost")
        ),
        CheckedTable("results", "result"),
        CheckedTable("transcripts", "transcript", unchecked="body"),
        CheckedTable("attempts", "attempt", keys=("id",)),
        CheckedTable("verdicts", "verdict", keys=("kind", "judge")),
        CheckedTable("measures", "measurement"),
        CheckedTable("patient_verdicts", "verdict on replies", keys=("judge",)),
        CheckedTable("patient_judges", "trial of a judge", cell="0", keys=("judge",)),
        CheckedTable("forks", "origin of a fork"),
        CheckedTable("sessions", "session", cell="0", keys=("id",)),
        CheckedTable("explanations", "explanation", keys=("judge",)),
        CheckedTable("explain_answers", "answer for an explanation", keys=("id",)),
    )
}
"""By name. The kept answers have theirs in a column, since they come often; the search index has
none: no figure is
made from it."""


def row_checksum(*values: Any) -> int:
    """Return the checksum of a row.

    CRC-32 of its values, in which text and bytes differ also where they look alike.
    """
    parts = [f"={value}" if value.__class__ is str else repr(value) for value in values]
    return zlib.crc32("\x1f".join(parts).encode("utf-8", "surrogatepass"))


def is_sound_answer(row: Mapping[str, Any]) -> bool:
    """Check whether a kept answer is as it was written."""
    expected = row_checksum(row["cell"], row["key"], row["body"])
    return bool(row["checksum"] == expected)


def write_checksums(file: sqlite3.Connection) -> None:
    """Have this connection write a checksum with every row of the tables that there are."""
    file.create_function("row_checksum", -1, row_checksum, deterministic=True)
    file.execute("PRAGMA temp_store=MEMORY")
    for table in CHECKED.values():
        values = table.values(file, "NEW.")
        if values:
            _add_triggers(file, table, values)


def _add_triggers(file: sqlite3.Connection, table: CheckedTable, values: list[str]) -> None:
    new, old = (table.place(row).split(", ", 1) for row in ("NEW.", "OLD."))
    checksum = f"row_checksum({', '.join(values)})"
    keep = f"INSERT OR REPLACE INTO checksums SELECT {new[0]}, '{table.name}', {new[1]}, {checksum}"
    remove = (
        f"DELETE FROM checksums WHERE cell = {old[0]} AND part = '{table.name}' AND key = {old[1]}"
    )
    changed = "UPDATE OF state" if table.growing else "UPDATE"
    for name, event, step in (
        ("kept", "INSERT", keep),
        ("changed", changed, keep),
        ("removed", "DELETE", remove),
    ):
        file.execute(
            f"CREATE TEMP TRIGGER IF NOT EXISTS {table.name}_{name} AFTER {event} ON {table.name}"
            f" BEGIN {step}; END"
        )


@dataclass
class WrongRows:
    """The rows of a table that are not as they were written."""

    changed: list[RowPlace] = field(default_factory=list)
    """There, with another content than their checksum, or without one."""
    missing: list[RowPlace] = field(default_factory=list)
    """Not there, though there is a checksum."""

    def __len__(self) -> int:
        """How many."""
        return len(self.changed) + len(self.missing)

    @property
    def places(self) -> list[RowPlace]:
        """All of them."""
        return [*self.changed, *self.missing]


def wrong_rows(file: sqlite3.Connection, table: CheckedTable) -> WrongRows:
    """Compare all rows of a table with their checksums."""
    stored = "SELECT cell, key, checksum FROM main.checksums WHERE part = ?"
    left = {(cell, key): checksum for cell, key, checksum in file.execute(stored, (table.name,))}
    wrong = WrongRows()
    covered = table.values(file)
    if covered:
        for cell, key, *values in file.execute(
            f"SELECT {table.place()}, {', '.join(covered)} FROM main.{table.name}"
        ):
            if left.pop((cell, key), None) != row_checksum(*values):
                wrong.changed.append(RowPlace(cell, key))
    wrong.missing += [RowPlace(*place) for place in left]
    return wrong
