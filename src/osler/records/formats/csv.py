"""CSV: the paper's table, one file per patient."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from osler.records.draft import Draft, Problem
from osler.records.limits import MAX_DOCUMENT, read_text
from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.table import Row, to_rows
from osler.records.table_reading import from_rows

# A spreadsheet takes a cell that begins so for a formula. Such cells are written with an apostrophe before them,
# which the spreadsheet hides; reading takes it away again.
_FORMULA = ("=", "+", "-", "@", "'")


def read(path: Path, shown: str) -> Iterator[Draft | Problem]:
    """The one patient in the file."""
    text = read_text(path, MAX_DOCUMENT, shown)
    if isinstance(text, Problem):
        yield text
        return
    import pandas as pd  # 0.6 s: only when a table is really read

    names = [str(column) for column in range(max(len(Row._fields), text.split("\n", 1)[0].count(",") + 1))]
    try:
        frame = pd.read_csv(
            io.StringIO(text), header=None, names=names, dtype=str, keep_default_na=False, skip_blank_lines=True
        )
    except (pd.errors.ParserError, ValueError, csv.Error) as error:
        yield Problem(
            shown, f"is not a CSV table: {' '.join(str(error).split())}; export it again with commas and quotes"
        )
        return
    rows = [[_bare(cell) for cell in row] for row in frame.itertuples(index=False)]
    yield from_rows(rows, path.stem)


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
