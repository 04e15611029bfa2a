"""JSONL: one record a line, for pools of any size."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from osler.records.objects import LINES, read_objects
from osler.records.registry import Format
from osler.records.schema import PatientRecord


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write all records, one a line."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(map(line, records))


def line(record: PatientRecord) -> str:
    """One record as a line of JSON."""
    data = record.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(data, ensure_ascii=False) + "\n"


FIELDS = ("id", "language", "age", "sex", "complaint", "diagnosis", "entries")
"""Fields that every record has."""
FORMAT = Format(
    "jsonl", LINES, "one record a line as JSON", read_objects, write=write, fields=FIELDS
)
