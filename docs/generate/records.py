"""The fields of a patient record, from its JSON schema."""

from __future__ import annotations

from docs.generate.json_schema import fields_table, parts
from osler.records.schema import PatientRecord


def records_page() -> str:
    """The record, then its parts."""
    schema = PatientRecord.model_json_schema()
    return f"## The record\n\n{fields_table(schema)}## Its parts\n\n{parts(schema['$defs'])}"
