"""JSONL: one record a line, for pools of any size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.validation import MAX_RECORD, Problem, RecordDraft, decode, drafted, parse_json


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """Drafts line by line; only the current line is in memory."""
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


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write all records, one a line."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(map(line, records))


def line(record: PatientRecord) -> str:
    """One record as a line of JSON."""
    return json.dumps(record.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False) + "\n"


FIELDS = ("id", "language", "age", "sex", "complaint", "diagnosis", "entries")
"""Fields that every record has."""
FORMAT = Format("jsonl", (".jsonl", ".ndjson"), "one record a line as JSON", read, write=write, fields=FIELDS)
