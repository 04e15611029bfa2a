"""A run as it was when the report began, and which of its consultations are shown in full."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from osler.eval.runs import Run
from osler.runs.plan import Column
from osler.seeds import derive

Row = dict[str, Any]


class Snapshot(Run):
    """A run whose rows are read once: while another process adds to it, all of the page shows the same ones."""

    _rows: list[Row] | None = None

    def rows(self, judge: str | None = None, ruler: str | None = None) -> Iterator[Row]:
        """One dictionary per consultation that had ended, its column included."""
        if self._rows is None:
            self._rows = [{**row, "column": Column.from_row(row)} for row in super().rows(judge, ruler)]
        return iter(self._rows)


def shown_in_full(rows: list[Row], most: int) -> list[Row]:
    """The consultations that a page can hold: a fair share of every column, of its failures and of its answers."""
    seen: Counter[tuple[Column, bool]] = Counter()
    order: list[tuple[int, int]] = []
    for place, row in enumerate(rows):
        kind = (row["column"], row["failed"])
        order.append((seen[kind], place))
        seen[kind] += 1
    return [rows[place] for place in sorted(place for _, place in sorted(order)[:most])]


def sampled(rows: list[Row], each: int, seed: int, purpose: str) -> list[Row]:
    """Return this many answered consultations of each column, drawn by record: columns get the same patients."""
    columns: dict[Column, list[Row]] = defaultdict(list)
    for row in rows:
        if not row["failed"]:
            columns[row["column"]].append(row)
    return [
        row
        for some in columns.values()
        for row in sorted(some, key=lambda row: derive(seed, row["record"], row["trial"], purpose))[:each]
    ]
