"""A question for a whole category of the record hands out all of it; a question for one thing does
not."""

from __future__ import annotations

import pytest

from osler.agents.ram.agent import Ram
from osler.records import Category, Language, PatientRecord, RecordPool, Status
from osler.simulator.build import case_of
from tests.agents.category_questions import wordings
from tests.conftest import small_record

pytestmark = pytest.mark.xdist_group("ram")  # one process: every record is laid out once

POOL = list(RecordPool.open())
EN, ZH = Language.EN, Language.ZH
REPORTED = [
    (EN, Category.MEDICATION_HISTORY, "What medicines do you take?"),
    (EN, Category.MEDICATION_HISTORY, "Do you take any medication?"),
    (EN, Category.MEDICATION_HISTORY, "Are you on any regular medication?"),
    (EN, Category.MEDICATION_HISTORY, "What tablets do you take at home?"),
    (EN, Category.MEDICAL_HISTORY, "Any other illnesses?"),
    (ZH, Category.MEDICATION_HISTORY, "您平时吃什么药？"),
    (ZH, Category.MEDICAL_HISTORY, "有没有其他病？"),
]
"""Wordings that once left out what decides the treatment."""
FIRST = [
    (language, Category(category), questions[0])
    for language, listed in wordings("tuning").items()
    for category, questions in listed.items()
    if category in set(Category)
]
"""One wording for every category: that the others are read alike is tested without the records."""


def handed_out(record: PatientRecord, question: str) -> set[str]:
    selection = Ram(record, case_of(record)).select(question)
    return {entry.name for entry in selection.entries}


@pytest.mark.parametrize(("language", "category", "question"), [*REPORTED, *FIRST])
def test_a_question_for_a_category_hands_out_all_its_present_entries(
    language: Language, category: Category, question: str
) -> None:
    left_out = []
    for record in POOL:
        present = {
            e.name for e in record.entries if e.category is category and e.status is Status.PRESENT
        }
        if record.language is language and present:
            left_out += [(record.id, name) for name in present - handed_out(record, question)]
    assert left_out == []


@pytest.mark.parametrize(("language", "category", "question"), REPORTED)
def test_who_has_nothing_of_a_category_denies_it(
    language: Language, category: Category, question: str
) -> None:
    for record in POOL:
        entries = [entry for entry in record.entries if entry.category is category]
        if (
            record.language is language
            and entries
            and all(e.status is Status.ABSENT for e in entries)
        ):
            assert handed_out(record, question) & {entry.name for entry in entries}, record.id


@pytest.mark.parametrize(
    ("record", "question", "asked"),
    [
        ("gout-en", "Do you take warfarin?", {"Anticoagulant"}),
        ("gout-en", "Do you take a water tablet?", {"Other regular medication"}),
        (
            "hyperosmolar-state-en",
            "Has she been taking her diabetes tablets as she should?",
            {"Diabetes tablets"},
        ),
        ("hyperosmolar-state-en", "Does she have diabetes?", {"Type 2 diabetes"}),
        ("tuberculosis-en", "Has an HIV test been done?", {"HIV test"}),
        ("gout-zh", "您吃华法林吗？", {"抗凝药"}),
        ("hyperosmolar-state-zh", "她有糖尿病吗？", {"2型糖尿病"}),
        ("stemi-zh", "他吃过西地那非吗？", {"西地那非"}),
    ],
)
def test_a_question_for_one_thing_hands_out_that_thing(
    record: str, question: str, asked: set[str]
) -> None:
    found = RecordPool.open().get(record)
    same_category = {found.entry(name).category for name in asked}
    entries = {entry.name for entry in found.entries if entry.category in same_category}
    assert handed_out(found, question) & entries == asked


@pytest.mark.parametrize(
    ("record", "question", "categories"),
    [
        (
            "gout-en",
            "Do you have any allergies or regular medicines?",
            {"allergy", "medication_history"},
        ),
        (
            "gout-en",
            "Thank you. What medicines do you take? Any operations?",
            {"medication_history", "surgical_history"},
        ),
        ("gout-zh", "平时吃什么药？有没有过敏？", {"medication_history", "allergy"}),
        ("gout-zh", "做过手术没有，有没有慢性病？", {"surgical_history", "medical_history"}),
    ],
)
def test_two_categories_in_one_question_are_both_handed_out(
    record: str, question: str, categories: set[str]
) -> None:
    found = RecordPool.open().get(record)
    asked = {entry.name for entry in found.entries if entry.category in categories}
    assert asked <= handed_out(found, question)


@pytest.mark.parametrize("number", [12, 30])
def test_a_long_list_of_medicines_is_handed_out_whole(number: int) -> None:
    names = {f"Ramipril {place}" for place in range(number)}
    entries = [
        {"category": "medication_history", "name": name, "report": "Daily."}
        for name in sorted(names)
    ]
    record = PatientRecord.model_validate(
        small_record(entries=entries, exam_order=None, treatment=None)
    )
    assert handed_out(record, "What medicines do you take?") == names
