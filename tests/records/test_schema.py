from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from osler.language import Language
from osler.records.fields import Age
from osler.records.schema import Part, PatientRecord, Status
from tests.conftest import small_record


def record(**changes: Any) -> PatientRecord:
    return PatientRecord.model_validate(small_record(**changes))


def test_a_record_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        record().age = Age(1)  # type: ignore[misc]


def test_defaults_that_follow_from_other_fields() -> None:
    made = record()
    assert made.patient == "sprain"
    assert [entry.part for entry in made.entries] == [Part.DIAGNOSIS] * 3 + [Part.TREATMENT]


def test_entries_are_found_by_name_and_alias() -> None:
    assert record().entry("x-RAY").name == "Radiograph"
    with pytest.raises(ValueError, match="no entry is called 'MRI'"):
        record().entry("MRI")


def test_the_exam_order_is_in_names_of_entries() -> None:
    assert record().order_pairs() == {("Palpation", "Radiograph")}


def test_a_circle_through_an_alias_is_found() -> None:
    with pytest.raises(ValidationError, match="circle"):
        record(exam_order="X-ray > Palpation > Radiograph")


def test_the_four_statuses_are_apart() -> None:
    assert {status.value for status in Status} == {"present", "absent", "normal", "not_done"}


@pytest.mark.parametrize(
    ("written", "years", "en", "zh"),
    [
        (84, 84, "84 years", "84岁"),
        ("8 months", 8 / 12, "8 months", "8个月"),
        ("8-month-old", 8 / 12, "8 months", "8个月"),
        ("1 week", 7 / 365.25, "1 week", "1周"),
        ("84岁", 84, "84 years", "84岁"),
        ("10月龄", 10 / 12, "10 months", "10个月"),
        ("84 Years Old", 84, "84 years", "84岁"),
        ("0 days", 0, "0 days", "0天"),
    ],
)
def test_ages(written: int | str, years: float, en: str, zh: str) -> None:
    age = record(age=written).age
    assert age.years == pytest.approx(years)
    assert (age.label(Language.EN), age.label(Language.ZH)) == (en, zh)
    assert record(age=record(age=written).model_dump(mode="json")["age"]).age == age


@pytest.mark.parametrize("written", [-1, 126, "old", "", True, 3.5, "12 fortnights", None])
def test_ages_nobody_has(written: object) -> None:
    with pytest.raises(ValidationError):
        PatientRecord.model_validate({**small_record(), "age": written})


def test_text_is_one_clean_line() -> None:
    assert record(complaint="  I fell\n\tdown  ").complaint == "I fell down"
    with pytest.raises(ValidationError, match=r"U\+001B"):
        record(complaint="\x1b[31mred")


def test_the_json_schema_tells_what_every_field_means() -> None:
    schema = PatientRecord.model_json_schema()
    assert "opening complaint" in schema["properties"]["complaint"]["description"]
    assert json.dumps(schema)
    assert schema["$defs"]["Category"]["enum"][0] == "symptom"
