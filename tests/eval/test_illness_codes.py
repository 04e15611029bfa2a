"""ICD-10 codes by exact name, and diagnoses that are known as illnesses."""

from __future__ import annotations

import pytest

from osler.eval.illness_codes import codes_of
from osler.eval.known_illness import inspect_diagnosis
from osler.records import Diagnosis, RecordPool


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Gout", "M10.9"),
        ("GOUT ", "M10.9"),
        ("痛风", "M10.9"),
        ("Bronchopneumonia, unspecified", "J18.0"),
        ("Dementia", "F03"),
        ("Ｃｒｏｕｐ", "J05.0"),
        ("Crohn's disease", "K50.9"),
        ("Crohn’s disease", "K50.9"),
    ],
)
def test_a_name_has_its_code_whatever_its_case_width_and_marks(name: str, code: str) -> None:
    assert code in codes_of(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Gout, ruled out",
        "No gout",
        "Gout or pseudogout",
        "痛风（父亲）",
        "gou",
        "disease",
        "medical condition",
    ],
)
def test_what_is_not_exactly_a_name_has_no_code(name: str) -> None:
    assert not codes_of(name)


def test_the_bundled_diagnoses_are_known() -> None:
    assert not [record.id for record in RecordPool.open() if inspect_diagnosis(record.diagnosis)]


@pytest.mark.parametrize(
    ("name", "aliases", "icd10", "is_known"),
    [
        ("Ankle sprain", (), None, True),
        ("支气管扩张症", (), None, True),
        ("Housemaid's joint", ("Prepatellar bursitis",), None, True),
        ("Quux of the zorp", (), "K35.8", True),
        ("Quux of the zorp", (), "R10.4", False),
        ("Quux of the zorp", (), None, False),
        ("Normal behaviour", (), None, False),
        ("Headache", (), None, False),
        ("Appendectomy", (), None, False),
        ("手术知情同意", (), None, False),
        ("Acute appendicitis requiring appendectomy", (), None, False),
    ],
)
def test_a_diagnosis_is_known_by_its_code_or_by_exactly_its_name(
    name: str, aliases: tuple[str, ...], icd10: str | None, is_known: bool
) -> None:
    remark = inspect_diagnosis(Diagnosis(name=name, aliases=aliases, icd10=icd10))
    assert (remark is None) is is_known
    assert remark is None or (repr(name) in remark and "give its ICD-10 code" in remark)
