"""What passes between a run's desk and a worker in another process: one JSON text a line."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from osler.records.schema import PatientRecord
from osler.simulator.plan import Cell
from osler.simulator.worker import Unit

LONGEST = 64 * 1024 * 1024
"""In bytes: a record, or a transcript with all its prompts, is far shorter."""


def pack(**frame: Any) -> bytes:
    """A frame as a line."""
    return json.dumps(frame, ensure_ascii=True).encode() + b"\n"


def unit_frame(unit: Unit) -> dict[str, Any]:
    """A unit of work as plain data."""
    return {
        "number": unit.number,
        "cell": asdict(unit.cell),
        "record": unit.record.model_dump(mode="json", exclude_none=True),
        "kept": unit.kept,
    }


def unit_of(frame: dict[str, Any]) -> Unit:
    """The unit that `unit_frame` packed."""
    kept = tuple((key, body) for key, body in frame["kept"])
    return Unit(frame["number"], Cell(**frame["cell"]), PatientRecord.model_validate(frame["record"]), kept)
