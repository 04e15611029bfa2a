"""XLSX: the paper's table, one sheet per patient."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from osler.records.file_limits import MAX_COLUMNS, MAX_DOCUMENT, MAX_RECORD, MAX_ROWS, oversize
from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.table import to_rows
from osler.records.table_reading import from_rows
from osler.records.validation import Problem, RecordDraft

_UNPACKED, _LARGEST_SHEET = 2 * MAX_DOCUMENT, 4 * MAX_RECORD
_SHEETS = "xl/worksheets/"
_LAST_ROW = 4 * MAX_ROWS
_TITLE = 31
"""Characters a sheet's title may have; the whole id stands in a row of its own."""


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """The patients of a workbook, sheet by sheet."""
    if problem := oversize(path, MAX_DOCUMENT, shown) or _unsound(path, shown):
        yield problem
        return
    from openpyxl import load_workbook  # only when a table is really read

    try:
        with (
            warnings.catch_warnings(action="ignore"),  # of features that a table does not need
            path.open("rb") as file,  # opened here: openpyxl leaves it open where a part is broken
            closing(load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book,
        ):
            sheets = [(sheet.title, _rows(sheet)) for sheet in book.worksheets]
    except Exception as error:  # openpyxl raises whatever the broken part made it raise
        yield Problem(shown, f"is not a readable workbook: {type(error).__name__}; save it again as .xlsx")
        return
    for title, rows in sheets:
        place = f"sheet {title}"
        if rows is None:
            reason = f"has more than {MAX_ROWS:,} rows, or something below row {_LAST_ROW:,}"
            yield Problem(shown, f"{reason}; a sheet holds one patient", place)
        else:
            yield from_rows(rows, title, place) if rows else Problem(shown, "the sheet is empty; remove it", place)


def _rows(sheet: Any) -> list[list[str]] | None:
    """The rows that hold anything; None where they are too many or too far down.

    `Any`, because openpyxl's types do not know the sheets of a book that is only read.
    """
    rows: list[list[str]] = []
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    for number, cells in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS, values_only=True)):
        if cells.count(None) < len(cells):
            rows.append([_text(value) for value in cells])
        if len(rows) > MAX_ROWS or number > _LAST_ROW:
            return None
    return rows


def _text(value: object) -> str:
    """A cell's value as text."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _unsound(path: Path, shown: str) -> Problem | None:
    """Look into the archive before anything unpacks it: a small file can hold gigabytes."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {part.filename: part.file_size for part in archive.infolist()}
    except (zipfile.BadZipFile, OSError):
        return Problem(shown, "is not a workbook; save it again as .xlsx")
    size = sum(sizes.values())
    if size > _UNPACKED:
        return Problem(
            shown, f"unpacks to {size / 2**20:.0f} MB, more than {_UNPACKED / 2**20:.0f} MB; split the workbook"
        )
    largest = max((size for name, size in sizes.items() if name.startswith(_SHEETS)), default=0)
    if largest > _LARGEST_SHEET:
        most = f"{_LARGEST_SHEET / 2**20:.0f} MB"
        reason = f"has a sheet that unpacks to {largest / 2**20:.0f} MB, more than {most}; a sheet holds one patient"
        return Problem(shown, reason)
    return None


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write all records, a sheet each."""
    from openpyxl import Workbook

    book = Workbook(write_only=False)
    book.remove(book.active)  # type: ignore[arg-type]  # a new workbook always has a sheet
    titles: set[str] = set()
    for record in records:
        sheet = book.create_sheet(_title(record.id, titles))
        for number, row in enumerate(to_rows(record), 1):
            for column, text in enumerate(row, 1):
                if text:
                    cell = sheet.cell(number, column)
                    cell.value = text
                    cell.data_type = "s"  # or a text that begins with `=` becomes a formula
    book.save(path)


def _title(record_id: str, taken: set[str]) -> str:
    title, number = record_id[:_TITLE], 1
    while title.casefold() in taken:
        number += 1
        title = f"{record_id[: _TITLE - 4]}~{number}"
    taken.add(title.casefold())
    return title


FORMAT = Format("xlsx", (".xlsx",), "the paper's four-column table, one sheet per patient", read, write=write)
