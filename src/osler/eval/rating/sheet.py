"""Sheets for people as workbooks: instructions, then items with columns to fill in."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from osler.eval.rating.moments import ItemTexts
from osler.language import Language
from osler.locale import load_texts

ITEM = "item"
COMMENT = "comment"
TEXTS = {
    "said before": "此前的对话",
    "last exchange": "最近一轮对话",
    "recalled": "医生回忆到的内容",
    "doctor's step": "医生的这一步",
}
"""What the rater reads, in the order of the columns: their names in English and Chinese."""


@dataclass(frozen=True)
class RatingScale:
    """One question to the rater, and the answers it takes."""

    name: str
    chinese: str
    values: tuple[float, ...]

    @property
    def heading(self) -> str:
        """Under its English name: the Chinese one and the values."""
        return f"{self.chinese}\n{' / '.join(self.choices)}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The values as they are written."""
        return tuple(f"{value:g}" for value in self.values)

    def read(self, entered: str) -> float | None:
        """The value a rater entered, also in full-width digits or with a comma; None without one.

        Raises:
            ValueError: It is not on the scale.
        """
        text = unicodedata.normalize("NFKC", entered).strip().replace(",", ".")
        if text and float(text) not in self.values:
            raise ValueError(text)
        if text:
            return float(text)
        return None


SCALES = (
    RatingScale("retrieval accuracy", "检索准确性", (0.0, 1.0)),
    RatingScale("response correctness", "回应正确性", (0.0, 0.5, 1.0)),
    RatingScale("contextual coherence", "语境连贯性", (0.0, 0.5, 1.0)),
)
CODE = "Code of this sheet 本表代码"

_HEAD = PatternFill("solid", fgColor="DDE6F0")
_TO_FILL = PatternFill("solid", fgColor="FFF9E5")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class SheetColumn:
    """A column of a sheet.

    Its English name and what stands under it, and whether a person fills it in.
    """

    name: str
    chinese: str
    width: int
    to_fill: bool = False
    choices: tuple[str, ...] = ()
    """What may be entered; anything if empty."""


_COLUMNS = (
    SheetColumn(ITEM, "编号", 9),
    *(
        SheetColumn(name, chinese, width)
        for (name, chinese), width in zip(TEXTS.items(), (62, 42, 62, 46), strict=True)
    ),
    *(SheetColumn(scale.name, scale.heading, 13, True, scale.choices) for scale in SCALES),
    SheetColumn(COMMENT, "备注", 30, True),
)


def workbook(items: Iterable[tuple[str, ItemTexts]], code: str) -> bytes:
    """A rater's sheet as a file, the same bytes for the same items."""
    last = f"{CODE}: {code}"
    return build_workbook(
        "Ratings 评分", "rating", _COLUMNS, [(name, *texts) for name, texts in items], last
    )


def build_workbook(
    title: str,
    section: str,
    columns: Sequence[SheetColumn],
    rows: Sequence[Sequence[str]],
    last: str = "",
) -> bytes:
    """A workbook with a page of instructions and one of items.

    Args:
        title: Of the page of items.
        section: Of the locale files, with the instructions.
        columns: In their order; those to be filled in come after the others.
        rows: The texts of the columns that are not to be filled in.
        last: A line below the instructions.
    """
    book = Workbook()
    page = book.active
    assert isinstance(page, Worksheet)
    _instruct(page, section, last)
    _list(book.create_sheet(title), columns, rows)
    # Who made it and when would tell one export from another.
    book.properties.creator = "osler"
    book.properties.created = book.properties.modified = _EPOCH
    made = io.BytesIO()
    ExcelWriter(book, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED)).save()
    return _without_times(made)


def _instruct(page: Worksheet, section: str, last: str) -> None:
    page.title = "Instructions 说明"
    page.sheet_view.showGridLines = False
    page.column_dimensions["A"].width = 110
    english, chinese = (
        load_texts(language, section)["instructions"].split("\n") for language in Language
    )
    for number, line in enumerate((*english, "", *chinese, "", last), 1):
        cell = _write(page, number, 1, line)
        if line in (english[0], chinese[0]):
            cell.font = Font(bold=True, size=14)


def _list(page: Worksheet, columns: Sequence[SheetColumn], rows: Sequence[Sequence[str]]) -> None:
    for place, column in enumerate(columns, 1):
        head = _write(page, 1, place, f"{column.name}\n{column.chinese}")
        head.font = Font(bold=True)
        head.fill = _HEAD
        page.column_dimensions[get_column_letter(place)].width = column.width
    # The header and the id stay in sight.
    page.freeze_panes = "B2"
    for number, texts in enumerate(rows, 2):
        for place, text in enumerate(texts, 1):
            _write(page, number, place, text)
    for place, column in enumerate(columns, 1):
        if column.to_fill:
            _fill_in(page, place, column, len(rows) + 1)


def _fill_in(page: Worksheet, place: int, column: SheetColumn, last_row: int) -> None:
    """Mark a column as one to fill in, with a drop-down if it has choices."""
    for row in range(2, last_row + 1):
        cell = page.cell(row, place)
        cell.fill = _TO_FILL
        cell.alignment = Alignment(wrap_text=True, vertical="top")
    if column.choices and last_row > 1:
        listed = ",".join(column.choices)
        rule = DataValidation(
            "list", formula1=f'"{listed}"', allow_blank=True, showErrorMessage=True
        )
        rule.errorTitle = column.name
        rule.error = f"Use one of 请填 {', '.join(column.choices)}"
        letter = get_column_letter(place)
        rule.add(f"{letter}2:{letter}{last_row}")
        page.add_data_validation(rule)


def _write(page: Worksheet, row: int, column: int, text: str) -> Cell:
    """Write a text that never becomes a formula, whatever it begins with, even after an edit."""
    cell = page.cell(row, column)
    assert isinstance(cell, Cell)
    cell.value = text
    cell.data_type = "s"
    cell.quotePrefix = text.startswith(("=", "+", "-", "@"))
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    return cell


def _without_times(made: io.BytesIO) -> bytes:
    """The archive with no time of its making in it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(
                zipfile.ZipInfo(name, _EPOCH.timetuple()[:6]), old.read(name), zipfile.ZIP_DEFLATED
            )
    return packed.getvalue()
