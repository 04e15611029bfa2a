"""The objects of a JSON, JSONL, CSV or TSV file, and the records that a format of stories makes of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from osler.records.validation import (
    MAX_DOCUMENT,
    MAX_RECORD,
    ImportedFields,
    Problem,
    RecordDraft,
    decode,
    drafted,
    parse_json,
    read_text,
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
                yield drafted(partial(_parse, raw, shown, place), shown, place)
            while is_long and raw and not raw.endswith(b"\n"):
                raw = file.readline(MAX_RECORD)
            is_empty = is_empty and not is_long and not raw.strip()
    if is_empty:
        yield Problem(shown, "the file is empty; write one record a line into it or remove it")


def _parse(raw: bytes, shown: str, place: str) -> Any:
    return parse_json(decode(raw, shown, place), shown, place)


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
    """Return the draft of one object, which keeps the object, or the problem if it has another shape."""
    made = drafted(fields, shown, item.place)
    return replace(made, item=item.data) if isinstance(made, RecordDraft) else made
