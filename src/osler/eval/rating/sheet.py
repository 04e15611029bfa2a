"""A rater's sheet as a workbook: the three scales of the papers, instructions in both languages, the items.

The instructions say nothing of what is compared.
"""

from __future__ import annotations

import io
import math
import unicodedata
import zipfile
from collections.abc import Iterable
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

ITEM = "item"
COMMENT = "comment"
TEXTS = ("said before", "last exchange", "recalled", "doctor's step")
"""What the rater reads, in the order of the columns."""


@dataclass(frozen=True)
class RatingScale:
    """One question to the rater, and the answers it takes."""

    name: str
    chinese: str
    values: tuple[float, ...]

    @property
    def choices(self) -> tuple[str, ...]:
        """The values as they are written."""
        return tuple(f"{value:g}" for value in self.values)

    def read(self, entered: str) -> float | None:
        """The value a rater entered, also in full-width digits or with a decimal comma; None: nothing was entered.

        Raises:
            ValueError: It is not on the scale.
        """
        text = unicodedata.normalize("NFKC", entered).strip().replace(",", ".")
        if text and float(text) not in self.values:
            raise ValueError(text)
        return float(text) if text else None


SCALES = (
    RatingScale("retrieval accuracy", "检索准确性", (0.0, 1.0)),
    RatingScale("response correctness", "回应正确性", (0.0, 0.5, 1.0)),
    RatingScale("contextual coherence", "语境连贯性", (0.0, 0.5, 1.0)),
)

TITLE = "Instructions 说明"
RATINGS = "Ratings 评分"
CODE = "Code of this sheet 本表代码"
WRONG_VALUE = "Use one of 请填 {choices}"

HEADINGS = {
    "item": "编号",
    "said before": "此前的对话",
    "last exchange": "最近一轮对话",
    "recalled": "医生回忆到的内容",
    "doctor's step": "医生的这一步",
    "comment": "备注",
}
"""The Chinese name under each column's English one."""

ENGLISH = (
    "How to rate",
    "Each row of the sheet “Ratings 评分” is one moment of a consultation between a doctor and a patient. Read what was"
    " said before (longer passages are shortened), the last exchange, what the doctor's notes brought back at that"
    " moment, and what the doctor did next: a question, or the conclusion. Then choose a value in each of the three"
    " columns.",
    "Retrieval accuracy: 1, if the recalled notes hold what was said before and matters for this step, or if nothing"
    " said before matters for it; 0, if something that matters is missing or told wrongly. The last exchange is known"
    " to the doctor in any case.",
    "Response correctness: 1, if the step is medically right: a question that a good doctor would ask now, or a"
    " diagnosis and treatment that fit what is known; 0.5, if it is partly right, or right but of little use; 0, if it"
    " is wrong, unsafe, or asks for what the patient has told already.",
    "Contextual coherence: 1, if the step follows from what was said and contradicts nothing of it; 0.5, if it only"
    " loosely hangs together with it; 0, if it is out of place or contradicts what was said.",
    "Judge every row by itself. Rows are in random order and many look alike; that is intended. Leave a value empty if"
    " you cannot judge it. Do not talk with other raters before all have finished.",
    "Change nothing but the three values and the comment. You may sort the sheet, as long as whole rows move."
    " “[…]” stands for a name that was taken out.",
)

CHINESE = (
    "评分方法",
    "“Ratings 评分”表中的每一行是医患问诊中的一个时刻。请先阅读此前的对话（较长的内容已缩短）、最近一轮对话、"
    "医生此刻回忆到的内容，以及医生接下来的一步：一个提问，或最后的结论。然后在三列中各选一个分值。",
    "检索准确性：回忆到的内容包含此前说过且与这一步有关的信息，或此前没有与这一步有关的信息，记1；有关的信息缺失或记错，记0。"
    "最近一轮对话医生总是知道的。",
    "回应正确性：这一步在医学上正确，即好医生此时会问的问题，或与已知情况相符的诊断和治疗，记1；部分正确，或正确但用处不大，记0.5；"
    "错误、不安全，或再问患者已经说过的内容，记0。",
    "语境连贯性：这一步承接前面的对话且不与之矛盾，记1；只是勉强相关，记0.5；脱离语境或与前文矛盾，记0。",
    "请逐行独立判断。各行顺序随机，许多行看起来相似，这是有意安排的。无法判断的分值请留空。所有评分者完成之前请勿相互讨论。",
    "除三个分值和备注外请勿改动其他内容。可以排序，但必须整行一起移动。“[…]”代表被隐去的名称。",
)

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
