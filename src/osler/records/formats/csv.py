"""CSV: the paper's table, one file per patient."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from osler.records.file_limits import MAX_COLUMNS, MAX_RECORD, MAX_ROWS, read_text
from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.table import TableRow, to_rows
from osler.records.table_reading import from_rows
from osler.records.validation import Problem, RecordDraft

# A spreadsheet takes a cell that begins so for a formula. Such cells are written with an apostrophe before them,
# which the spreadsheet hides; reading takes it away again.
_FORMULA = ("=", "+", "-", "@", "'")


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """The one patient in the file."""
    text = read_text(path, MAX_RECORD, shown)
    if isinstance(text, Problem):
        yield text
        return
    rows = _rows(text, shown)
    yield rows if isinstance(rows, Problem) else from_rows(rows, path.stem)


def _rows(text: str, shown: str) -> list[list[str]] | Problem:
    """The rows that hold anything; the first one says how wide the table is."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    widest = 0
    try:
        for row in reader:
            place = f"line {reader.line_num}"
            if not any(row) and len(row) <= 1:
                continue
            widest = widest or max(len(TableRow._fields), len(row))
            if len(row) > MAX_COLUMNS:
                reason = f"has {len(row):,} cells, more than {MAX_COLUMNS}; a row holds one fact of one patient"
                return Problem(shown, reason, place)
            if len(row) > widest:
                reason = f"has {len(row)} cells and the table has {widest}; put texts with commas into quotes"
                return Problem(shown, reason, place)
            if len(rows) == MAX_ROWS:
                return Problem(shown, f"has more than {MAX_ROWS:,} rows; a file holds one patient", place)
            rows.append([_bare(cell) for cell in row])
    except csv.Error as error:
        reason = f"is not a CSV table: {error}; export it again with commas and quotes"
        return Problem(shown, reason, f"line {reader.line_num}")
    return rows


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write one record, with the mark that makes spreadsheets read UTF-8."""
    (record,) = records
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([_guarded(cell) for cell in row] for row in to_rows(record))


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _bare(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA and len(cell) > 1 else cell


FORMAT = Format("csv", (".csv",), "the paper's four-column table, one file per patient", read, write=write, single=True)
