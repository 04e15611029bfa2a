"""What failed: how often for which reason, and each with its attempts."""

from __future__ import annotations

from collections import Counter

from osler.eval.compare import ColumnFigures
from osler.eval.report.markup import Html, bounded, element, joined, table
from osler.eval.report.snapshot import Row, Snapshot, column_of

MOST = 200
_MOST_REASONS = 20
_LONGEST_REASON = 300


def failures(run: Snapshot, rows: list[Row], columns: list[ColumnFigures], linked: set[int]) -> Html:
    """The list; those on the page are linked."""
    failed = [row for row in rows if row["failed"]]
    if not failed:
        return element("p", "Nothing failed.")
    share = f"{len(failed):,} of {len(rows):,} consultation(s) failed. They are left out of every score above."
    names = {column.column: column.name for column in columns}
    kinds = Counter((row["ending"], _reason(row)) for row in failed).most_common()
    parts = [element("p", share)]
    if len(failed) > len(kinds):
        counts = [[bounded(reason, _LONGEST_REASON), ending, f"{count:,}"] for (ending, reason), count in kinds]
        parts.append(table(["reason", "ending", "consultations"], counts[:_MOST_REASONS]))
    parts.append(
        table(
            ["consultation", "column", "ending", "attempts", "reason"],
            [_row(run, row, names[column_of(row)], linked) for row in failed[:MOST]],
        )
    )
    if len(failed) > MOST:
        told = f"{len(failed) - MOST:,} further failure(s) are not listed; `osler runs failures` prints all."
        parts.append(element("p", told, class_="note"))
    return joined(parts)


def _row(run: Snapshot, row: Row, column: str, linked: set[int]) -> list[str | Html]:
    name = bounded(f"{row['record']} {row['trial']}" if row["trial"] > 1 else row["record"], 120)
    case = element("a", name, href=f"#c{row['number']}") if row["number"] in linked else name
    return [case, bounded(column, 120), row["ending"], f"{len(run.file.attempts(row['number'])):,}", _reason(row)]


def _reason(row: Row) -> str:
    return bounded(row["message"] or row["failure"] or "no reason was kept", _LONGEST_REASON)
