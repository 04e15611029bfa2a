"""The ordinary questions of a clerking bring every present entry that they ask for, of every record.

`python benchmarks/clerking.py` prints the same, topic by topic.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from osler.agents.messages import Selection
from osler.agents.ram.agent import Ram
from osler.agents.rules.patient import reply_by_rules
from osler.language import Language, Speaker
from osler.language.lexicon.categories import CHIEF, OTHERS, parts_asked
from osler.records import Category, PatientRecord, RecordPool, Status
from osler.simulator.build import case_of
from tests.agents.clerking import Clerked, Wording, clerked

pytestmark = pytest.mark.xdist_group("ram")  # one process: every record is laid out once

POOL = list(RecordPool.open())
EN, ZH = Language.EN, Language.ZH
TOPICS = sorted({row.topic for row in clerked(Wording.ORDINARY, POOL)})


@cache
def by_topic(wording: Wording) -> dict[str, list[Clerked]]:
    rows: dict[str, list[Clerked]] = defaultdict(list)
    for row in clerked(wording, POOL):
        rows[row.topic].append(row)
    return rows


def select(record: PatientRecord, question: str) -> Selection:
    return Ram(record, case_of(record)).select(question)


def left_out(row: Clerked) -> list[str]:
    handed_out = {entry.name for entry in select(row.record, row.question).entries}
    return sorted(row.entries - handed_out)


@pytest.mark.parametrize("topic", TOPICS)
def test_an_ordinary_question_brings_every_present_entry(topic: str) -> None:
    rows = by_topic(Wording.ORDINARY)[topic]
    missing = [(row.record.id, row.question, left_out(row)) for row in rows if left_out(row)]
    assert missing == []


def test_each_topic_is_asked_in_both_languages_and_three_wordings() -> None:
    for topic in TOPICS:
        for language in Language:
            rows = [
                row for row in by_topic(Wording.ORDINARY)[topic] if row.record.language is language
            ]
            assert len({row.question for row in rows}) >= 3, (topic, language)


def test_wordings_that_nothing_was_mended_with_bring_nearly_as_much() -> None:
    rows = [row for topic in TOPICS for row in by_topic(Wording.HELD_OUT)[topic]]
    there = sum(len(row.entries) for row in rows)
    missing = sum(len(left_out(row)) for row in rows)
    assert there >= 4000
    assert 1 - missing / there >= 0.95


@pytest.mark.parametrize(
    ("record", "question", "told"),
    [
        ("gout-en", "Do you take anything over the counter?", "Warfarin"),
        ("gout-zh", "有没有吃非处方药？", "华法林"),
        ("gout-en", "Any herbal remedies or supplements?", "Furosemide"),
    ],
)
def test_the_patient_without_a_model_tells_it(record: str, question: str, told: str) -> None:
    assert told in reply_by_rules(select(RecordPool.open().get(record), question))


@pytest.mark.parametrize(
    ("language", "question", "parts"),
    [
        (EN, "What brings you in today?", {CHIEF}),
        (EN, "Hello, my name is Dr Lee. What seems to be the problem?", {CHIEF}),
        (EN, "Is there anything else wrong?", {OTHERS}),
        (EN, "Any cough, or any other symptoms?", {OTHERS}),
        (EN, "How long has the cough been there?", set()),
        (EN, "Does your chest hurt?", set()),
        (EN, "Calf swollen? Since when?", set()),
        (EN, "It says penicillin allergy here. What actually happened to you?", set()),
        (EN, "And his blood pressure, what was it when they checked?", set()),
        (EN, "Do you have a girlfriend, and has she been checked over?", set()),
        (EN, "May I examine your knee?", set()),
        (ZH, "您怎么了？", {CHIEF}),
        (ZH, "您好，我是李医生。您哪里不舒服？", {CHIEF}),
        (ZH, "还有别的不舒服吗？", {OTHERS}),
        (ZH, "咳嗽多久了？", set()),
        (ZH, "胸口疼不疼？", set()),
        (ZH, "痰里见过红没有？多久了？", set()),
    ],
)
def test_a_narrow_question_asks_for_no_part_of_the_record(
    language: Language, question: str, parts: set[str]
) -> None:
    assert parts_asked(question, language) == parts


@pytest.mark.parametrize("question", ["What did the scans show?", "Have you had any blood tests?"])
def test_tests_before_an_operation_come_only_with_all_tests(question: str) -> None:
    record = RecordPool.open().get("ectopic-pregnancy-en")
    before = {
        entry.name
        for entry in record.entries
        if entry.category is Category.PREOPERATIVE_TEST and entry.status is Status.PRESENT
    }
    everything = select(record, "What tests have been done so far?")
    assert before <= {entry.name for entry in everything.entries}
    assert Category.PREOPERATIVE_TEST.value not in parts_asked(question, EN, Speaker.PATIENT)
