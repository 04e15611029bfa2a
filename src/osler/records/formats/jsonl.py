"""JSONL: one record a line, for pools of any size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from osler.records.file_limits import MAX_LINE, decode, parse_json
from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.validation import Problem, RecordDraft


def raw_lines(path: Path) -> Iterator[tuple[int, int, bytes | None]]:
    """Number, offset and bytes of each line that is not blank; None for a line over the limit, which is never held."""
    with path.open("rb") as file:
        number = 0
        while True:
            offset = file.tell()
            raw = file.readline(MAX_LINE + 1)
            if not raw:
                return
            number += 1
            if len(raw) > MAX_LINE:
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(MAX_LINE)
                yield number, offset, None
            elif raw.strip():
                yield number, offset, raw


def parse_line(number: int, raw: bytes | None, shown: str) -> RecordDraft | Problem:
    """One line as a draft."""
    place = f"line {number}"
    if raw is None:
        return Problem(shown, f"is longer than {MAX_LINE // 2**20} MB; a line holds one record", place)
    text = decode(raw, shown, place)
    if isinstance(text, Problem):
        return text
    data = parse_json(text, shown, place, "write one complete record a line")
    return data if isinstance(data, Problem) else RecordDraft(data, place)


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """Drafts line by line; nothing but the current line is held."""
    empty = True
    for number, _, raw in raw_lines(path):
        empty = False
        yield parse_line(number, raw, shown)
    if empty:
        yield Problem(shown, "the file is empty; write one record a line into it or remove it")


def dump(record: PatientRecord) -> str:
    """A record as one line of JSON."""
    return json.dumps(record.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write all records, one a line."""
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(dump(record) + "\n")


FORMAT = Format("jsonl", (".jsonl", ".ndjson"), "one record a line as JSON", read, write=write)
