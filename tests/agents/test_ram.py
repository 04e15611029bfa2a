"""The retrieval module: what it finds, and what it leaves."""

from __future__ import annotations

import pytest

from osler.agents.ram import RecordIndex
from osler.agents.ram.redact import without_diagnosis
from osler.records import PatientRecord
from tests.agents.ram_index import found
from tests.conftest import small_record


@pytest.mark.parametrize(
    ("record", "question", "there"),
    [
        ("heart-failure-en", "Does she like a glass of wine with her dinner?", None),
        ("heart-failure-en", "Did she ever light up a cigarette?", "Smoking"),
        ("ulcerative-colitis-zh", "您平时爱喝两口白酒吗？", None),
        ("ulcerative-colitis-zh", "您现在还抽烟吗？", "吸烟"),
        ("stemi-en", "Did they do a CT of his lungs?", None),
        ("stemi-zh", "他拍过胸片吗？", "胸部X线"),
        ("rheumatoid-arthritis-zh", "血沉快不快？", "血沉"),
        ("acute-cholecystitis-zh", "我去给您拿杯水。", None),
    ],
)
def test_a_neighbour_of_what_the_record_has_is_not_what_was_asked_for(
    record: str, question: str, there: str | None
) -> None:
    assert found(record, question) == ({there} if there else set())


@pytest.mark.parametrize(
    ("record", "question", "family"),
    [
        ("acute-cholecystitis-en", "Did your father have diabetes?", "Family history"),
        ("bppv-zh", "您父亲得过中风吗？", "家族史"),
    ],
)
def test_a_relative_s_illness_is_not_the_patient_s(record: str, question: str, family: str) -> None:
    assert family in found(record, question)


@pytest.mark.parametrize(
    ("record", "question", "entries"),
    [
        (
            "bladder-cancer-en",
            "Have you had an ultrasound of the urinary tract?",
            {"Urinary ultrasound"},
        ),
        ("bladder-cancer-en", "Does she have to rush to the toilet?", {"Urgency"}),
        ("bladder-cancer-zh", "膀胱磁共振做过吗？", {"膀胱增强磁共振"}),
        ("bladder-cancer-zh", "她平时吃什么药？", {"长期用药"}),
        ("bladder-cancer-en", "Hello, please sit down.", set()),
        ("bladder-cancer-zh", "您好，请坐。", set()),
    ],
)
def test_plain_questions(record: str, question: str, entries: set[str]) -> None:
    assert found(record, question) == entries


@pytest.mark.parametrize(
    ("record", "question", "entry"),
    [
        ("copd-exacerbation-en", "How many pillows do you sleep on?", "Breathlessness lying flat"),
        ("migraine-zh", "这次头疼您已经吃了什么止痛药？", "已用止痛药"),
    ],
)
def test_a_name_in_the_question_is_not_always_what_is_asked_for(
    record: str, question: str, entry: str
) -> None:
    """Nobody asks for the sleep here, nor for the headache."""
    assert found(record, question) == {entry}


def test_a_question_for_two_things_brings_both() -> None:
    assert {"Fever", "Urgency"} <= found(
        "bladder-cancer-en", "Has she had a fever, and is there any urgency?"
    )


def test_a_record_with_one_entry_and_an_empty_question() -> None:
    record = PatientRecord.model_validate(
        small_record(entries=small_record()["entries"][:1], exam_order=None, treatment=None)
    )
    assert RecordIndex(record).search("") == []
    assert [match.entry.name for match in RecordIndex(record).search("Does your ankle hurt?")] == [
        "Ankle pain"
    ]


def test_a_report_that_names_the_diagnosis_is_redacted() -> None:
    entries = small_record()["entries"]
    entries[0]["report"] = "Swelling of the outer ankle, consistent with ankle sprain."
    record = without_diagnosis(PatientRecord.model_validate(small_record(entries=entries)))
    assert record.entries[0].report == "Swelling of the outer ankle."


def test_an_interpretation_with_a_telling_word_of_the_diagnosis_is_cut() -> None:
    entries = small_record()["entries"]
    entries[0]["report"] = (
        "Narrowing of the great vessel with a gradient, consistent with coarctation. Function is normal."
    )
    made = small_record(
        entries=entries, diagnosis={"name": "Coarctation of the aorta", "icd10": "Q25.1"}
    )
    record = without_diagnosis(PatientRecord.model_validate(made))
    assert (
        record.entries[0].report
        == "Narrowing of the great vessel with a gradient. Function is normal."
    )


@pytest.mark.parametrize(
    ("record", "question", "entry"),
    [
        ("gout-zh", "你最近有吸烟或饮酒的习惯吗？", "饮酒与饮食"),
        ("gout-en", "Have you been smoking or drinking lately?", "Alcohol and diet"),
        ("bladder-cancer-zh", "有没有咳嗽、发烧这些情况？", "发热"),
        ("bladder-cancer-en", "Has she had a cough or a fever?", "Fever"),
    ],
)
def test_of_two_things_the_one_that_is_there_is_found(
    record: str, question: str, entry: str
) -> None:
    assert found(record, question) == {entry}


@pytest.mark.parametrize(
    ("record", "question"),
    [
        ("gout-en", "Has your vitamin D been measured?"),
        ("heart-failure-zh", "血里的维生素B12测了没有？"),
        ("stemi-en", "Were his calcium and magnesium measured?"),
    ],
)
def test_what_was_measured_is_no_medicine(record: str, question: str) -> None:
    assert found(record, question) == set()
