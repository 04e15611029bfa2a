"""Remove the diagnosis from a record's reports before any participant is given them."""

from __future__ import annotations

from functools import lru_cache

from osler.records.redact import Redactor
from osler.records.schema import PatientRecord


@lru_cache(maxsize=256)
def without_diagnosis(record: PatientRecord) -> PatientRecord:
    """Return the record without what gives the diagnosis away; the same if nothing does."""
    redactor = Redactor(record.diagnosis.names, record.language, record.complaint)
    entries = tuple(
        entry.model_copy(
            update={"report": redactor.redact(entry.report), "said": redactor.redact(entry.said)}
        )
        for entry in record.entries
    )
    return record if entries == record.entries else record.model_copy(update={"entries": entries})
