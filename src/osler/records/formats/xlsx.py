"""XLSX: the paper's table, one sheet per patient."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from osler.records.draft import Draft, Problem
from osler.records.limits import MAX_DOCUMENT, oversize
from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.table import to_rows
from osler.records.table_reading import from_rows

_UNPACKED = 4 * MAX_DOCUMENT
_TITLE = 31
"""Characters a sheet's title may have; the whole id stands in a row of its own."""


def read(path: Path, shown: str) -> Iterator[Draft | Problem]:
    """The patients of a workbook, sheet by sheet."""
    if problem := oversize(path, MAX_DOCUMENT, shown) or _unsound(path, shown):
        yield problem
        return
    import pandas as pd  # 0.6 s: only when a table is really read

    try:
        sheets = pd.read_excel(path, sheet_name=None, header=None, dtype=str, na_filter=False, engine="openpyxl")
    except Exception as error:  # openpyxl raises whatever the broken part made it raise
        yield Problem(shown, f"is not a readable workbook: {type(error).__name__}; save it again as .xlsx")
        return
    for title, frame in sheets.items():
        rows = [list(row) for row in frame.itertuples(index=False)]
        place = f"sheet {title}"
        yield from_rows(rows, str(title), place) if rows else Problem(shown, "the sheet is empty; remove it", place)


def _unsound(path: Path, shown: str) -> Problem | None:
    """Look into the archive before anything unpacks it: a small file can hold gigabytes."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError):
        return Problem(shown, "is not a workbook; save it again as .xlsx")
    if size > _UNPACKED:
        return Problem(
            shown, f"unpacks to {size / 2**20:.0f} MB, more than {_UNPACKED / 2**20:.0f} MB; split the workbook"
        )
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
