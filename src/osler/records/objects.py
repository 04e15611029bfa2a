"""The objects of a JSON, JSONL, CSV or TSV file, and the records that a format of stories makes of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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


def read_objects(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """Read the objects as they are: one a line, one a row of a table, or those of a JSON list."""
    suffix = path.suffix.lower()
    if suffix in LINES:
        yield from _lines(path, shown)
        return
    text = read_text(path, MAX_DOCUMENT, shown)
    if suffix == ".json":
        data = parse_json(text, shown)
        cases = [(item, f"case {number}") for number, item in enumerate(data, 1)] if isinstance(data, list) else []
        for item, place in cases or [(data, "")]:
            yield RecordDraft(item, place)
        return
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if suffix == ".tsv" else ",")
    for row in rows:
        yield RecordDraft({key: cell for key, cell in row.items() if key}, f"row {rows.line_num}")


def _lines(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """Read line by line; only the current line is in memory."""
    is_empty = True
    with path.open("rb") as file:
        for number, raw in enumerate(iter(partial(file.readline, MAX_RECORD + 1), b""), 1):
            place, is_long = f"line {number}", len(raw) > MAX_RECORD
            if is_long:
                yield Problem(shown, f"is longer than {MAX_RECORD // 2**20} MB; a line holds one record", place)
            elif raw.strip():
                try:
                    yield RecordDraft(parse_json(decode(raw, shown, place), shown, place), place)
                except RecordError as error:
                    yield error.problem
            while is_long and raw and not raw.endswith(b"\n"):
                raw = file.readline(MAX_RECORD)
            is_empty = is_empty and not is_long and not raw.strip()
    if is_empty:
        yield Problem(shown, "the file is empty; write one record a line into it or remove it")


class ImportedFields(NamedTuple):
    """The fields of a record that was read from free text."""

    data: dict[str, Any]
    unread: Sequence[str] = ()
    """Texts of the source that no entry has."""


def importer(fields: Callable[[Any, str], ImportedFields]) -> Callable[[Path, str], Iterator[RecordDraft | Problem]]:
    """Return the reader of a format whose `fields` turns one object, and its number, into a record.

    The only object of a file has the file's name instead of a number.
    """

    def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
        for number, item in enumerate(read_objects(path, shown), 1):
            if isinstance(item, RecordDraft):
                name = str(number) if item.place else path.stem
                item = imported(item, partial(fields, item.data, name), shown)
            yield item

    return read


def imported(item: RecordDraft, fields: Callable[[], ImportedFields], shown: str) -> RecordDraft | Problem:
    """Return the draft of one object, or the problem if it has not the shape of its format.

    The draft keeps the object, has no diagnosis in its opening words and names, and notes what is not in it.
    """
    try:
        found = fields()
        data, left_out = withhold_diagnosis(found.data)
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        detail = short(str(error)) or type(error).__name__
        return Problem(shown, f"has not the shape of its format ({detail}); export it again", item.place)
    notes = []
    if found.unread:
        lines = "; ".join(f"“{short(text)}”" for text in found.unread)
        notes.append(f"{len(found.unread)} text(s) could not be read: {lines}")
    if left_out:
        notes.append(f"{left_out} entry(s) that only name the diagnosis were left out")
    return RecordDraft(data, item.place, notes=tuple(notes), item=item.data)
