"""CSV and XLSX: the paper's table, one patient per CSV file or per sheet of a workbook."""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.table import TableRow, from_rows, opens_a_table, to_rows
from osler.records.validation import (
    MAX_DOCUMENT,
    MAX_RECORD,
    Problem,
    RecordDraft,
    RecordError,
    check_size,
    read_text,
)

# Limits of a table, which has one patient, and of what a workbook may unpack to.
_MAX_ROWS = 5_000
_MAX_COLUMNS = 100
_LAST_ROW = 20_000
_MAX_UNPACKED = 2 * MAX_DOCUMENT
_MAX_SHEET = 4 * MAX_RECORD
_LONGEST_TITLE = 31
"""Characters a sheet's title may have; the whole id is in a row of its own."""
# A spreadsheet takes a cell that begins so for a formula. Such cells are written with an apostrophe
# before them, which the spreadsheet hides; reading takes it away again.
_FORMULA = ("=", "+", "-", "@", "'")


def read_csv(path: Path, file_name: str) -> Iterator[RecordDraft]:
    """The one patient of the file; its first row says how wide the table is."""
    reader = csv.reader(
        io.StringIO(read_text(path, MAX_RECORD, file_name), newline=""), strict=True
    )
    rows: list[list[str]] = []
    width = 0
    reason = ""
    try:
        for row in reader:
            if not any(row) and len(row) <= 1:
                continue
            width = width or max(len(TableRow._fields), len(row))
            reason = _row_fault(row, len(rows), width)
            if reason:
                break
            rows.append([_unescaped(cell) for cell in row])
    except csv.Error as error:
        reason = f"is not a CSV table: {error}; export it again with commas and quotes"
    if reason:
        raise RecordError(Problem(file_name, reason, f"line {reader.line_num}"))
    yield from_rows(rows, path.stem)


def _row_fault(row: list[str], number: int, width: int) -> str:
    """What is wrong with a row of a CSV file; empty if nothing is."""
    if len(row) > _MAX_COLUMNS:
        return (
            f"has {len(row):,} cells, more than {_MAX_COLUMNS}; a row holds one fact of one patient"
        )
    if len(row) > width:
        return f"has {len(row)} cells and the table has {width}; put texts with commas into quotes"
    if number == _MAX_ROWS:
        return f"has more than {_MAX_ROWS:,} rows; a file holds one patient"
    return ""


def _escaped(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _unescaped(cell: str) -> str:
    is_escaped = cell.startswith("'") and cell[1:].startswith(_FORMULA)
    return cell[1:] if is_escaped else cell


def write_csv(records: Iterable[PatientRecord], path: Path) -> None:
    """Write one record, with the mark that makes spreadsheets read UTF-8."""
    (record,) = records
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        for row in to_rows(record):
            writer.writerow(map(_escaped, row))


def read_xlsx(path: Path, file_name: str) -> Iterator[RecordDraft | Problem]:
    """The patients of a workbook, sheet by sheet."""
    check_size(path, MAX_DOCUMENT, file_name)
    _check_unpacked_size(path, file_name)
    from openpyxl import load_workbook  # only when a table is really read

    try:
        with (
            warnings.catch_warnings(action="ignore"),  # of features that a table does not need
            path.open("rb") as file,  # opened here: openpyxl leaves it open if a part is broken
            closing(load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book,
        ):
            sheets = [(sheet.title, _rows(sheet)) for sheet in book.worksheets]
    except Exception as error:  # openpyxl raises whatever the broken part made it raise
        reason = f"is not a readable workbook: {type(error).__name__}; save it again as .xlsx"
        raise RecordError(Problem(file_name, reason)) from None
    for title, rows in sheets:
        place = f"sheet {title}"
        if rows is None:
            reason = f"has more than {_MAX_ROWS:,} rows, or something below row {_LAST_ROW:,}"
            yield Problem(file_name, f"{reason}; a sheet holds one patient", place)
        elif not rows:
            yield Problem(file_name, "the sheet is empty; remove it", place)
        else:
            yield from_rows(rows, title, place)


def _check_unpacked_size(path: Path, file_name: str) -> None:
    """Look into the archive before anything unpacks it: a small file can hold gigabytes."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {part.filename: part.file_size for part in archive.infolist()}
    except (zipfile.BadZipFile, OSError):
        raise RecordError(Problem(file_name, "is not a workbook; save it again as .xlsx")) from None
    _check_unpacked(sum(sizes.values()), _MAX_UNPACKED, "unpacks", file_name)
    sheets = [size for name, size in sizes.items() if name.startswith("xl/worksheets/")]
    _check_unpacked(max(sheets, default=0), _MAX_SHEET, "has a sheet that unpacks", file_name)


def _check_unpacked(size: int, limit: int, verb: str, file_name: str) -> None:
    if size > limit:
        reason = (
            f"{verb} to {size / 2**20:.0f} MB, more than {limit / 2**20:.0f} MB; a sheet holds"
            " one patient"
        )
        raise RecordError(Problem(file_name, reason))


def _rows(sheet: Any) -> list[list[str]] | None:
    """Return the rows that have anything in them, or None if they are too many or too far down."""
    # `Any`, because openpyxl has no type for sheets of a book that is only read.
    rows: list[list[str]] = []
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    for number, cells in enumerate(sheet.iter_rows(max_col=_MAX_COLUMNS, values_only=True)):
        if cells.count(None) < len(cells):
            rows.append([_text(value) for value in cells])
        if len(rows) > _MAX_ROWS or number > _LAST_ROW:
            return None
    return rows


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a spreadsheet stores 84 as 84.0
    return str(value)


def write_xlsx(records: Iterable[PatientRecord], path: Path) -> None:
    """Write all records, a sheet each."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)  # type: ignore[arg-type]  # a new workbook always has a sheet
    for record in records:
        # openpyxl numbers titles that are there already
        sheet = book.create_sheet(record.id[: _LONGEST_TITLE - 4])
        for number, row in enumerate(to_rows(record), 1):
            for column, text in enumerate(row, 1):
                if text:
                    cell = sheet.cell(number, column, text)
                    cell.data_type = "s"  # or a text that begins with `=` becomes a formula
    book.save(path)


_ABOUT = "the paper's four-column table, one {} per patient"
CSV = Format(
    "csv", (".csv",), _ABOUT.format("file"), read_csv, opens_a_table, write_csv, single=True
)
XLSX = Format("xlsx", (".xlsx",), _ABOUT.format("sheet"), read_xlsx, write=write_xlsx)
