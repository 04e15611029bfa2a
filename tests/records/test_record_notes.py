"""Notes on records: what is no error, and may still give a wrong figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from osler.language import Language
from osler.records import RecordPool
from osler.records.visit_notes import visit_notes
from tests.conftest import Run
from tests.records.test_formats import there_and_back
from tests.returning import KEY_FACTS, returning
from tests.simulator.asking import hear

LANGUAGES = pytest.mark.parametrize("language", list(Language))


def fact(language: Language, **changes: Any) -> dict[str, Any]:
    return {**KEY_FACTS[language][0], **changes}


def notes_on(language: Language, **changes: Any) -> list[str]:
    changes = {"key_facts": [KEY_FACTS[language][0]], **changes}
    return list(visit_notes(returning(language, **changes)))


@LANGUAGES
def test_the_bundled_records_need_no_note(language: Language) -> None:
    records = RecordPool.open().only(languages=[language])
    assert not [f"{record.id}: {note}" for record in records for note in visit_notes(record)]


@LANGUAGES
def test_a_key_fact_says_which_exchange_tells_it(language: Language) -> None:
    (note,) = notes_on(language, key_facts=[fact(language, exchanges=[])])
    assert KEY_FACTS[language][0]["question"] in note and "add exchanges" in note
    assert not notes_on(language)


@pytest.mark.parametrize(
    ("language", "of_today", "of_then"),
    [
        (Language.EN, "Warfarin 3 mg, last dose yesterday.", "Warfarin 3 mg for 5 years now."),
        (Language.EN, "No antibiotic so far.", "No antibiotic in 2019."),
        (Language.ZH, "华法林3 mg，末次服药为昨晚。", "华法林3 mg，已服5年。"),
        (Language.ZH, "本次病后未用抗生素。", "2019年未用抗生素。"),
    ],
)
def test_an_earlier_entry_that_speaks_of_today_is_noted(
    language: Language, of_today: str, of_then: str
) -> None:
    entries = [entry.model_dump(mode="json") for entry in returning(language).entries]
    name = returning(language).earlier[0]
    for report, count in ((of_today, 1), (of_then, 0)):
        changed = [
            {**entry, "report": report} if entry["name"] == name else entry for entry in entries
        ]
        assert len(notes_on(language, entries=changed)) == count, report


@LANGUAGES
def test_the_command_prints_the_notes_and_accepts_the_record(
    language: Language, tmp_path: Path, osler: Run
) -> None:
    question = KEY_FACTS[language][0]["question"]
    there_and_back(returning(language, key_facts=[fact(language, exchanges=[])]), "jsonl", tmp_path)
    checked = osler("records", "validate", tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert "note: " in checked.stderr and question in checked.stderr


TODAY = [
    (
        "subarachnoid-haemorrhage-en",
        "When did she take the last dose of warfarin?",
        "yesterday evening",
    ),
    ("subarachnoid-haemorrhage-zh", "她最后一次吃华法林是什么时候？", "昨天晚上"),
    ("bladder-stone-en", "When did you take the last dose of apixaban?", "this morning"),
    ("bladder-stone-zh", "您最后一次吃阿哌沙班是什么时候？", "今早"),
    (
        "pneumonia-en",
        "Has he taken any antibiotics in this illness so far?",
        "hasn't had any antibiotics",
    ),
    ("pneumonia-zh", "这次生病以后用过抗生素吗？", "没用过抗生素"),
    ("hypothyroidism-en", "Do you still get chest tightness on the stairs?", "gets tight"),
    ("hypothyroidism-zh", "现在爬楼还胸闷吗？", "闷"),
    (
        "ectopic-pregnancy-en",
        "Have you been to the liver clinic for a check-up lately?",
        "haven't been",
    ),
    ("ectopic-pregnancy-zh", "最近去肝病门诊复查过肝脏吗？", "没去复查"),
]


@pytest.mark.parametrize(("case", "question", "words"), TODAY)
async def test_what_is_of_today_is_told_today(case: str, question: str, words: str) -> None:
    record = RecordPool.open().get(case)
    for visits in (True, False):
        heard = await hear(record, question, visits=visits)
        assert words in heard.answered[0].reply, heard.answered[0].reply


NORMAL_SHEET = {Language.EN: ("0.74", "surname"), Language.ZH: ("0.74", "一个姓")}
BROTHER = {Language.EN: "brother", Language.ZH: "弟"}


@LANGUAGES
def test_the_brother_with_oxygen_at_home_is_not_the_man_with_normal_spirometry(
    language: Language,
) -> None:
    record = RecordPool.open().get(f"copd-exacerbation-{language}")
    about_the_sheet = [
        one.text for one in record.past if any(word in one.text for word in NORMAL_SHEET[language])
    ]
    assert len(about_the_sheet) == 2
    assert not [text for text in about_the_sheet if BROTHER[language] in text]
    ill = {Language.EN: "fibrosis", Language.ZH: "肺纤维化"}[language]
    (oxygen,) = [one.text for one in record.past if ill in one.text]
    assert BROTHER[language] in oxygen
    (family,) = [entry.report for entry in record.entries if entry.category == "family_history"]
    assert ill in family


def test_records_of_one_patient_have_as_many_unsafe_treatments_in_both_languages() -> None:
    by_patient: dict[str, set[int]] = {}
    for record in RecordPool.open():
        assert record.treatment is not None
        by_patient.setdefault(record.patient, set()).add(len(record.treatment.unsafe))
    assert not [patient for patient, counts in by_patient.items() if len(counts) > 1]


def test_a_record_without_treatment_and_visits_has_no_notes() -> None:
    plain = returning(
        Language.EN, treatment=None, date=None, visits=None, earlier=None, key_facts=None
    )
    assert not list(visit_notes(plain))
