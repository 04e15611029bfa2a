"""Read sheets that raters sent back, in any order of rows and columns; check them by the key."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from openpyxl import load_workbook

from osler.errors import UserError
from osler.eval.rating.export import Key, KeyItem, digest
from osler.eval.rating.sheet import CODE, COMMENT, ITEM, SCALES, TEXTS, RatingScale

_LARGEST = 16 * 2**20
"""Bytes of a file."""
_LARGEST_UNPACKED = 128 * 2**20
"""Bytes of its parts: a small file can hold gigabytes."""
_NEEDED = (ITEM, *(scale.name for scale in SCALES))
_OTHER_KEY = "give the key that was exported with this sheet"

Page = list[list[str]]
SheetRow = dict[str, str]
"""Cells by the name of their column."""


@dataclass(frozen=True)
class Rating:
    """What one rater said of one item."""

    rater: str
    item: KeyItem
    values: tuple[float | None, ...]
    """One for each scale, or None if the rater left it out."""
    comment: str


def read_ratings(paths: Sequence[Path], key: Key) -> list[Rating]:
    """Read all ratings of all sheets; every file is one rater, whose name is the file's.

    Raises:
        UserError: A file cannot be read, belongs to another key, or holds what is on no scale.
    """
    names = [path.stem for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise UserError(
                f"there are two sheets of the rater {name!r}", "give each rater's sheet once"
            )
    ratings: list[Rating] = []
    for path in paths:
        ratings += _read(path, key)
    if not ratings:
        raise UserError(
            "the sheets hold no rating yet",
            "fill in the three columns of values, save, and import again",
        )
    return ratings


def _read(path: Path, key: Key) -> Iterator[Rating]:
    pages = read_pages(path)
    for code in _codes(pages):
        if code != key.code:
            raise UserError(
                f"{path} belongs to another key (its code is {code}, the key's is {key.code})",
                _OTHER_KEY,
            )
    rows = read_rows(path, pages, _NEEDED, (*TEXTS, COMMENT))
    items = {item.id: item for item in key.items}
    if rows and not any(row[ITEM].upper() in items for row in rows.values()):
        raise UserError(f"{path} holds no item of the key", _OTHER_KEY)
    row_of: dict[str, int] = {}
    for number, row in rows.items():
        place = f"{path}, row {number}"
        item = _item(place, row, items)
        values = tuple(_value(place, row, scale) for scale in SCALES)
        comment = row.get(COMMENT, "")
        if all(value is None for value in values) and not comment:
            continue
        if item.id in row_of:
            raise UserError(
                f"{path}: rows {row_of[item.id]} and {number} both rate {item.id}",
                "remove one of them",
            )
        row_of[item.id] = number
        yield Rating(path.stem, item, values, comment)


def _codes(pages: Sequence[Page]) -> Iterator[str]:
    """The code of the export, which the instructions carry unless the rater removed that page."""
    for page in pages:
        for row in page:
            if row and row[0].startswith(CODE):
                yield row[0].rpartition(":")[2].strip()


def read_rows(
    path: Path, pages: list[Page], needed: Sequence[str], also: Sequence[str] = ()
) -> dict[int, SheetRow]:
    """The rows below the header, wherever that is, by their number. Empty ones are left out.

    Raises:
        UserError: No row has all the needed headings.
    """
    for page in pages:
        for header, heads in enumerate(page, 1):
            columns = _columns(heads, (*needed, *also))
            if all(name in columns for name in needed):
                rows: dict[int, SheetRow] = {}
                for number, cells in enumerate(page[header:], header + 1):
                    row = _row(cells, columns)
                    if any(row.values()):
                        rows[number] = row
                return rows
    raise UserError(
        f"{path} has no row with the headings {', '.join(needed)}",
        "restore the header of the sheet",
    )


def _row(cells: Sequence[str], columns: Mapping[str, int]) -> SheetRow:
    """The cells of a row by their columns; a short row has empty cells at its end."""
    row = {}
    for name, place in columns.items():
        row[name] = cells[place].strip() if place < len(cells) else ""
    return row


def _columns(heads: Sequence[str], names: Sequence[str]) -> dict[str, int]:
    """Find each column, the first whose heading begins with its English name."""
    headings = [" ".join(head.split()).casefold() for head in heads]
    columns = {}
    for name in names:
        places = [place for place, heading in enumerate(headings) if heading.startswith(name)]
        if places:
            columns[name] = places[0]
    return columns


def _item(place: str, row: SheetRow, items: dict[str, KeyItem]) -> KeyItem:
    item = items.get(row[ITEM].upper())
    if item is None:
        raise UserError(
            f"{place}: the key knows no item {row[ITEM][:40]!r}",
            "restore its id, or remove the row",
        )
    if all(name in row for name in TEXTS) and digest([row[name] for name in TEXTS]) != item.digest:
        raise UserError(
            f"{place}: the texts are not those of item {item.id}",
            "undo the edit, or the sort of single columns",
        )
    return item


def _value(place: str, row: SheetRow, scale: RatingScale) -> float | None:
    try:
        return scale.read(row[scale.name])
    except ValueError:
        raise UserError(
            f"{place}: {row[scale.name][:40]!r} is no value of {scale.name}",
            f"use {', '.join(scale.choices[:-1])} or {scale.choices[-1]}, or leave it empty",
        ) from None


def read_pages(path: Path) -> list[Page]:
    """The pages of a sheet as text.

    Raises:
        UserError: The file cannot be read.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise UserError(f"{path} is too large for a sheet", "give the file that was filled in")
        return _workbook(path)
    except OSError as error:
        raise UserError(
            f"{path} cannot be read ({error.strerror or error})", "check its name"
        ) from None


def _workbook(path: Path) -> list[Page]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > _LARGEST_UNPACKED:
            raise UserError(
                f"{path} unpacks to {size / 2**20:.0f} MB", "give the file that was filled in"
            )
        # Warnings are about what openpyxl cannot show of a sheet, which does not matter here. The
        # file is opened here, since openpyxl leaves it open if a part is broken.
        with (
            warnings.catch_warnings(action="ignore"),
            path.open("rb") as file,
            closing(load_workbook(file, read_only=True, data_only=True)) as book,
        ):
            return [[_texts(row) for row in page.values] for page in book.worksheets]
    except (OSError, UserError):
        raise
    # openpyxl raises whatever the broken part made it raise.
    except Exception as error:
        raise UserError(
            f"{path} is not a readable workbook ({type(error).__name__})", "save it as .xlsx"
        ) from None


def _texts(row: Iterable[object]) -> list[str]:
    return ["" if value is None else str(value) for value in row]
