"""Patient records: the record, the pool it comes from, and the formats it is stored in."""

from osler.language import Language, Speaker
from osler.records.pool import RecordPool
from osler.records.schema import (
    Category,
    Diagnosis,
    Entry,
    PatientRecord,
    Persona,
    Relevance,
    Sex,
    Status,
    Treatment,
)
from osler.records.validation import RecordError, RecordWarning

__all__ = [
    "Category",
    "Diagnosis",
    "Entry",
    "Language",
    "PatientRecord",
    "Persona",
    "RecordError",
    "RecordPool",
    "RecordWarning",
    "Relevance",
    "Sex",
    "Speaker",
    "Status",
    "Treatment",
]
