"""The header of a consultation that a test makes up."""

from __future__ import annotations

from typing import Any

from osler.records import PatientRecord
from osler.runs.plan import Cell
from osler.runs.transcript import Header


def header_of(cell: Cell, record: PatientRecord, **settings: Any) -> Header:
    """Of a consultation of a plan, with nothing but its column and its settings set apart."""
    return Header(
        case=cell.case,
        patient=record.patient,
        language=record.language,
        **cell.column.as_json(),
        settings=settings,
        trial=cell.trial,
        seed=1,
        turn_limit=9,
        version="0",
        prompts={},
    )
