"""Check whether a record's diagnosis is known as an illness, by its ICD-10 code or exact name."""

from __future__ import annotations

from osler.eval.illness_codes import codes_of
from osler.records.schema import Diagnosis

_ILLNESSES = tuple("ABCDEFGHIJKLMNOPQST")
"""Chapters of ICD-10 without symptoms, external causes and contacts with a hospital, by the letter
of their codes."""


def inspect_diagnosis(diagnosis: Diagnosis) -> str | None:
    """Remark on a diagnosis that neither its code nor its name makes known as an illness."""
    if (diagnosis.icd10 or "").startswith(_ILLNESSES) or any(map(_is_illness, diagnosis.names)):
        return None
    return f"the diagnosis {diagnosis.name!r} is not known as an illness; give its ICD-10 code"


def _is_illness(name: str) -> bool:
    return any(code.startswith(_ILLNESSES) for code in codes_of(name))
