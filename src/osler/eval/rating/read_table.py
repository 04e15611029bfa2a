"""A file that a rater sent back as rows of text, whichever program saved it."""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from contextlib import closing
from pathlib import Path

from osler.errors import UserError

_LARGEST, _UNPACKED = 16 * 2**20, 128 * 2**20
Page = list[list[str]]


def read_pages(path: Path) -> list[Page]:
    """The sheets of a workbook, or the one table of a CSV file.

    Raises:
        UserError: It cannot be read.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise UserError(f"{path} is too large for a sheet of ratings", "give the file that the rater filled in")
        return _workbook(path) if path.suffix.lower() == ".xlsx" else [_csv(path)]
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error})", "check its name") from None


def _csv(path: Path) -> Page:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        # Where the comma is the decimal point, programs write semicolons between the columns.
        readings = [list(csv.reader(io.StringIO(text, newline=""), delimiter=mark)) for mark in ",;\t"]
        return max(readings, key=lambda rows: len(rows[0]) if rows else 0)
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8", "save it as .xlsx, or as “CSV UTF-8”") from None
    except csv.Error as error:
        raise UserError(f"{path} is not a readable CSV file ({error})", "save it as .xlsx") from None


def _workbook(path: Path) -> list[Page]:
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > _UNPACKED:  # a small file can hold gigabytes
            raise UserError(f"{path} unpacks to {size / 2**20:.0f} MB", "give the file that the rater filled in")
        with (
            warnings.catch_warnings(action="ignore"),  # what openpyxl cannot show of a sheet does not matter here
            path.open("rb") as file,  # opened here: openpyxl leaves it open where a part is broken
            closing(load_workbook(file, read_only=True, data_only=True)) as book,
        ):
            return [[[_text(value) for value in row] for row in page.values] for page in book.worksheets]
    except (OSError, UserError):
        raise
    except Exception as error:  # openpyxl raises whatever the broken part made it raise
        raise UserError(f"{path} is not a readable workbook ({type(error).__name__})", "save it as .xlsx") from None


def _text(value: object) -> str:
    return "" if value is None else str(value)
