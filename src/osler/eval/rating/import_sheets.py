"""What raters sent back, checked against the key: rows and columns in any order, finished or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from osler.errors import UserError
from osler.eval.rating.instructions import CODE
from osler.eval.rating.item_text import digest
from osler.eval.rating.key import Key, KeyItem
from osler.eval.rating.read_table import Page, read_pages
from osler.eval.rating.scales import COMMENT, ITEM, SCALES, TEXTS, RatingScale

_NEEDED = (ITEM, *(scale.name for scale in SCALES))
_OTHER_KEY = "give the key that was exported with this sheet"


@dataclass(frozen=True)
class Rating:
    """What one rater said of one item."""

    rater: str
    item: KeyItem
    values: tuple[float | None, ...]
    """One for each scale; None where the rater left it out."""
    comment: str


class _Row:
    """A row by the names of its columns; a column that is not there is empty."""

    def __init__(self, file: Path, number: int, cells: list[str], columns: dict[str, int]) -> None:
        self.place = f"{file}, row {number}"
        self.number = number
        self._cells, self._columns = cells, columns

    def __getitem__(self, name: str) -> str:
        column = self._columns.get(name, len(self._cells))
        return self._cells[column].strip() if column < len(self._cells) else ""

    def is_empty(self) -> bool:
        return not any(self[name] for name in self._columns)

    def texts(self) -> list[str] | None:
        """What the rater read; None where a column of it was left out."""
        return [self[name] for name in TEXTS] if all(name in self._columns for name in TEXTS) else None


def read_ratings(paths: Sequence[Path], key: Key) -> list[Rating]:
    """All ratings of all sheets; every file is one rater, whose name is the file's.

    Raises:
        UserError: A file cannot be read, belongs to another key, or holds what is on no scale.
    """
    names = [path.stem for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"there are two sheets of the rater {name!r}", "give each rater's sheet once")
    ratings = [rating for path in paths for rating in _read(path, key)]
    if not ratings:
        raise UserError("the sheets hold no rating yet", "fill in the three columns of values, save, and import again")
    return ratings


def _read(path: Path, key: Key) -> Iterator[Rating]:
    pages = read_pages(path)
    _check_code(path, pages, key)
    rows = [row for row in _rows(path, pages) if not row.is_empty()]
    items = {item.id: item for item in key.items}
    if rows and not any(row[ITEM].upper() in items for row in rows):
        raise UserError(f"{path} holds no item of the key", _OTHER_KEY)
    rated: dict[str, int] = {}
    for row in rows:
        item = _item(row, items)
        values = tuple(_value(row, scale) for scale in SCALES)
        if all(value is None for value in values) and not row[COMMENT]:
            continue
        if item.id in rated:
            raise UserError(f"{path}: rows {rated[item.id]} and {row.number} both rate {item.id}", "remove one of them")
        rated[item.id] = row.number
        yield Rating(path.stem, item, values, row[COMMENT])


def _check_code(path: Path, pages: list[Page], key: Key) -> None:
    """The instructions carry the code of their export; a CSV file has none."""
    for code in (
        row[0].rpartition(":")[2].strip() for page in pages for row in page if row and row[0].startswith(CODE)
    ):
        if code != key.code:
            raise UserError(f"{path} belongs to another key (its code is {code}, the key's is {key.code})", _OTHER_KEY)


def _rows(path: Path, pages: list[Page]) -> Iterator[_Row]:
    """The rows below the header, wherever that is. A column is known by the English name its heading begins with."""
    for page in pages:
        for start, heads in enumerate(page, 1):
            headings = [" ".join(head.split()).casefold() for head in heads]
            columns = {
                name: place
                for name in (*_NEEDED, *TEXTS, COMMENT)
                for place, heading in reversed(list(enumerate(headings)))
                if heading.startswith(name)
            }
            if all(name in columns for name in _NEEDED):
                yield from (_Row(path, start + below, cells, columns) for below, cells in enumerate(page[start:], 1))
                return
    raise UserError(f"{path} has no row with the headings {', '.join(_NEEDED)}", "restore the header of the sheet")


def _item(row: _Row, items: dict[str, KeyItem]) -> KeyItem:
    item = items.get(row[ITEM].upper())
    if item is None:
        raise UserError(f"{row.place}: the key knows no item {row[ITEM][:40]!r}", "restore its id, or remove the row")
    texts = row.texts()
    if texts is not None and digest(texts) != item.digest:
        raise UserError(
            f"{row.place}: the texts are not those of item {item.id}", "undo the edit, or the sort of single columns"
        )
    return item


def _value(row: _Row, scale: RatingScale) -> float | None:
    try:
        return scale.read(row[scale.name])
    except ValueError:
        raise UserError(
            f"{row.place}: {row[scale.name][:40]!r} is no value of {scale.name}",
            f"use {', '.join(scale.choices[:-1])} or {scale.choices[-1]}, or leave it empty",
        ) from None
