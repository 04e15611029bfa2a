"""JSONL: one record a line, for pools of any size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from osler.records.file_limits import MAX_LINE, decode, parse_json
from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.validation import Problem, RecordDraft


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """Drafts line by line; nothing but the current line is held."""
    empty = True
    with path.open("rb") as file:
        for number in count(1):
            if not (raw := file.readline(MAX_LINE + 1)):
                break
            if len(raw) > MAX_LINE:
                yield Problem(
                    shown, f"is longer than {MAX_LINE // 2**20} MB; a line holds one record", f"line {number}"
                )
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(MAX_LINE)
                empty = False
            elif raw.strip():
                yield _draft(raw, shown, f"line {number}")
                empty = False
    if empty:
        yield Problem(shown, "the file is empty; write one record a line into it or remove it")


def _draft(raw: bytes, shown: str, place: str) -> RecordDraft | Problem:
    text = decode(raw, shown, place)
    if isinstance(text, Problem):
        return text
    data = parse_json(text, shown, place, "write one complete record a line")
    return data if isinstance(data, Problem) else RecordDraft(data, place)


def dump(record: PatientRecord) -> str:
    """A record as one line of JSON."""
    return json.dumps(record.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write all records, one a line."""
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(dump(record) + "\n")


FORMAT = Format("jsonl", (".jsonl", ".ndjson"), "one record a line as JSON", read, write=write)
