"""Small parts of statements that write to a run file."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any


def insert(
    file: sqlite3.Connection, into: str, columns: Iterable[str], values: Collection[Any]
) -> int:
    """Insert a row, into all columns when none are named; its row id."""
    named = f"({', '.join(columns)})" if columns else ""
    cursor = file.execute(f"INSERT {into} {named} VALUES ({marks(values)})", tuple(values))
    return cursor.lastrowid or 0


def marks(values: Collection[Any]) -> str:
    """A question mark for each value."""
    return ", ".join("?" * len(values))


def as_json(value: Any) -> str:
    """A value as the tables have it."""
    return json.dumps(value, ensure_ascii=False)


def now() -> str:
    """The time as the tables have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
