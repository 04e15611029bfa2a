"""The objects of a JSON, JSONL, CSV or TSV file, and the records that a format makes of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from osler.records.redact import withhold_diagnosis
from osler.records.validation import (
    MAX_DOCUMENT,
    MAX_RECORD,
    Problem,
    RecordDraft,
    RecordError,
    decode,
    parse_json,
    read_text,
    short,
)

LINES = (".jsonl", ".ndjson")
"""Endings of files with one object a line."""
WRONG_SHAPE = (
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
)
"""What reading an object raises that has not the shape of its format."""


def read_objects(path: Path, file_name: str) -> Iterator[RecordDraft | Problem]:
    """Read the objects as they are: one a line, one a row of a table, or those of a JSON list."""
    suffix = path.suffix.lower()
    if suffix in LINES:
        yield from _lines(path, file_name)
        return
    text = read_text(path, MAX_DOCUMENT, file_name)
    if suffix == ".json":
        yield from _json_objects(text, file_name)
    else:
        yield from _table_rows(text, "\t" if suffix == ".tsv" else ",")


def _json_objects(text: str, file_name: str) -> Iterator[RecordDraft]:
    data = parse_json(text, file_name)
    if not isinstance(data, list) or not data:  # an empty list is refused as what it is: no record
        yield RecordDraft(data)
        return
    for number, item in enumerate(data, 1):
        yield RecordDraft(item, f"case {number}")


def _table_rows(text: str, delimiter: str) -> Iterator[RecordDraft]:
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    for row in rows:
        # Cells beyond the header have the key None.
        cells = {name: cell for name, cell in row.items() if name}
        yield RecordDraft(cells, f"row {rows.line_num}")


def _lines(path: Path, file_name: str) -> Iterator[RecordDraft | Problem]:
    """Read line by line; only the current line is in memory."""
    is_empty = True
    with path.open("rb") as file:
        for number, raw in enumerate(iter(partial(file.readline, MAX_RECORD + 1), b""), 1):
            place = f"line {number}"
            if len(raw) > MAX_RECORD:
                is_empty = False
                reason = f"is longer than {MAX_RECORD // 2**20} MB; a line holds one record"
                yield Problem(file_name, reason, place)
                _skip_line(file, raw)
            elif raw.strip():
                is_empty = False
                try:
                    yield RecordDraft(
                        parse_json(decode(raw, file_name, place), file_name, place), place
                    )
                except RecordError as error:
                    yield error.problem
    if is_empty:
        yield Problem(file_name, "the file is empty; write one record a line into it or remove it")


def _skip_line(file: BinaryIO, begun: bytes) -> None:
    """Read on to the end of a line that has begun, without holding it in memory."""
    while begun and not begun.endswith(b"\n"):
        begun = file.readline(MAX_RECORD)


class ImportedFields(NamedTuple):
    """The fields of a record that was read from free text."""

    data: dict[str, Any]
    unread: Sequence[str] = ()
    """Texts of the source that no entry has."""


def importer(
    fields: Callable[[Any, str], ImportedFields],
) -> Callable[[Path, str], Iterator[RecordDraft | Problem]]:
    """Return the reader of a format whose `fields` turns one object, and its number, into a record.

    The only object of a file has the file's name instead of a number.
    """

    def read(path: Path, file_name: str) -> Iterator[RecordDraft | Problem]:
        for number, item in enumerate(read_objects(path, file_name), 1):
            if isinstance(item, RecordDraft):
                name = str(number) if item.place else path.stem
                item = imported(item, partial(fields, item.data, name), file_name)
            yield item

    return read


def imported(
    item: RecordDraft, fields: Callable[[], ImportedFields], file_name: str
) -> RecordDraft | Problem:
    """Return the draft of one object, or the problem if it has not the shape of its format.

    The draft has no diagnosis in its opening words and names, and notes what is not in it.
    """
    try:
        imported_fields = fields()
        data, left_out = withhold_diagnosis(imported_fields.data)
    except WRONG_SHAPE as error:
        return shape_problem(error, file_name, item.place)
    notes = []
    unread = imported_fields.unread
    if unread:
        lines = "; ".join(f"“{short(text)}”" for text in unread)
        notes.append(f"{len(unread)} text(s) could not be read: {lines}")
    if left_out:
        notes.append(f"{left_out} entry(s) that only name the diagnosis were left out")
    return RecordDraft(data, item.place, notes=tuple(notes))


def shape_problem(error: Exception, file_name: str, place: str) -> Problem:
    """The problem of an object that has not the shape of its format."""
    detail = short(str(error)) or type(error).__name__
    reason = f"has not the shape of its format ({detail}); export it again"
    return Problem(file_name, reason, place)
