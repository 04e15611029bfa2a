"""A rater's sheet as a workbook: instructions in both languages, then the items with drop-downs to rate them."""

from __future__ import annotations

import io
import math
import unicodedata
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime

from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from osler.eval.rating.instructions import CHINESE, CODE, ENGLISH, HEADINGS, RATINGS, TITLE, WRONG_VALUE
from osler.eval.rating.item_text import ItemTexts
from osler.eval.rating.scales import COMMENT, ITEM, SCALES, TEXTS

COLUMNS = (ITEM, *TEXTS, *(scale.name for scale in SCALES), COMMENT)
_WIDTHS = (9, 62, 42, 62, 46, 13, 13, 13, 30)
_FIRST_SCALE = len(TEXTS) + 2
_LINE_HEIGHT, _TALLEST = 14.5, 409.0
"""In points; Excel has no taller rows."""
_PAGE = 110
_HEAD = PatternFill("solid", fgColor="DDE6F0")
_TO_FILL = PatternFill("solid", fgColor="FFF9E5")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)


def workbook(items: Iterable[tuple[str, ItemTexts]], code: str) -> bytes:
    """The sheet as a file, the same bytes for the same items."""
    book = Workbook()
    page = book.active
    assert isinstance(page, Worksheet)
    _instruct(page, code)
    _list(book.create_sheet(RATINGS), list(items))
    # Who made it and when would tell one export from another.
    book.properties.creator = "osler"
    book.properties.created = book.properties.modified = _EPOCH
    made = io.BytesIO()
    ExcelWriter(book, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED)).save()
    return _without_times(made)


def _instruct(page: Worksheet, code: str) -> None:
    page.title = TITLE
    page.sheet_view.showGridLines = False
    page.column_dimensions["A"].width = _PAGE
    for number, line in enumerate((*ENGLISH, "", *CHINESE, "", f"{CODE}: {code}"), 1):
        cell = _write(page, number, 1, line)
        page.row_dimensions[number].height = _height([(line, _PAGE)])
        if line in (ENGLISH[0], CHINESE[0]):
            cell.font = Font(bold=True, size=14)
            page.row_dimensions[number].height = 24


def _list(page: Worksheet, items: list[tuple[str, ItemTexts]]) -> None:
    choices = {scale.name: f"{scale.chinese}\n{' / '.join(scale.choices)}" for scale in SCALES}
    for column, (name, width) in enumerate(zip(COLUMNS, _WIDTHS, strict=True), 1):
        head = _write(page, 1, column, f"{name}\n{choices.get(name) or HEADINGS[name]}")
        head.font, head.fill = Font(bold=True), _HEAD
        page.column_dimensions[get_column_letter(column)].width = width
    page.row_dimensions[1].height = 4 * _LINE_HEIGHT
    # The header and the id stay in sight.
    page.freeze_panes = "B2"
    for row, (name, texts) in enumerate(items, 2):
        for column, text in enumerate((name, *texts), 1):
            _write(page, row, column, text)
        for column in range(_FIRST_SCALE, len(COLUMNS) + 1):
            cell = page.cell(row, column)
            cell.fill = _TO_FILL
            cell.alignment = Alignment(wrap_text=True, vertical="top")
        page.row_dimensions[row].height = _height(zip(texts, _WIDTHS[1:], strict=False))
    for column, scale in enumerate(SCALES, _FIRST_SCALE):
        rule = DataValidation("list", formula1=f'"{",".join(scale.choices)}"', allow_blank=True, showErrorMessage=True)
        rule.errorTitle, rule.error = scale.name, WRONG_VALUE.format(choices=", ".join(scale.choices))
        letter = get_column_letter(column)
        rule.add(f"{letter}2:{letter}{len(items) + 1}")
        page.add_data_validation(rule)


def _write(page: Worksheet, row: int, column: int, text: str) -> Cell:
    """A text, whatever it begins with: neither now nor after an edit does it become a formula."""
    cell = page.cell(row, column)
    assert isinstance(cell, Cell)
    cell.value = text
    cell.data_type = "s"
    cell.quotePrefix = text.startswith(("=", "+", "-", "@"))
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    return cell


def _height(texts: Iterable[tuple[str, int]]) -> float:
    """What a row needs for its longest text: not every program fits rows by itself."""
    lines = max(sum(max(1, math.ceil(_breadth(line) / width)) for line in text.split("\n")) for text, width in texts)
    return min(_TALLEST, (lines + 0.5) * _LINE_HEIGHT)


def _breadth(line: str) -> int:
    """Chinese characters are twice as broad as Latin ones."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def _without_times(made: io.BytesIO) -> bytes:
    """The archive with no time of its making in it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, _EPOCH.timetuple()[:6]), old.read(name), zipfile.ZIP_DEFLATED)
    return packed.getvalue()
