"""What the rules say in a patient's place."""

from __future__ import annotations

import pytest

from osler.agents.gate import check
from osler.agents.messages import Selection
from osler.agents.rules.patient import voice
from osler.language import Speaker
from osler.records import RecordPool
from osler.records.schema import Category, Entry, Part, Status
from osler.simulator.build import case_of

POOL = RecordPool.open()


def test_the_gate_lets_the_rules_pass_whatever_the_entry() -> None:
    """Their words are the record's own: a gate that refuses them would refuse the truth."""
    for record in POOL:
        case = case_of(record)
        for entry in record.entries:
            chosen = Selection(case=case, question=entry.name, entries=(entry,))
            assert check(voice((entry,), entry.name, case), chosen, record.diagnosis) == (), (
                record.id,
                entry.name,
            )


@pytest.mark.parametrize(
    ("record_id", "name", "alone"),
    [("gout-en", "Uric acid", "586. High."), ("gout-zh", "血尿酸", "586，高。")],
)
def test_of_several_results_each_has_its_name(record_id: str, name: str, alone: str) -> None:
    record = POOL.get(record_id)
    results = tuple(entry for entry in record.entries if entry.category is Category.TEST)
    assert voice((record.entry(name),), "?", case_of(record)).startswith(alone)
    together = voice(results, "?", case_of(record))
    assert f"{name}: {alone}" in together or f"{name}：{alone}" in together


def test_a_report_with_nothing_left_is_not_answered_with_yes() -> None:
    record = POOL.get("gout-en")
    scan = Entry(
        name="MRI", part=Part.DIAGNOSIS, category=Category.EXAMINATION, status=Status.PRESENT
    )
    assert "don't have the report" in voice((scan,), "What did the MRI show?", case_of(record))
    pain = Entry(
        name="Fatigue", part=Part.DIAGNOSIS, category=Category.SYMPTOM, status=Status.PRESENT
    )
    assert voice((pain,), "When did it start?", case_of(record)) == "Fatigue."
    assert voice((pain,), "Do you feel fatigue?", case_of(record)) == "Yes, fatigue."


@pytest.mark.parametrize(
    ("record_id", "question", "not_done"),
    [
        ("gout-en", "What was your ferritin level?", True),
        ("gout-en", "What is your current level of physical activity?", False),
        ("gout-en", "How are your stress levels?", False),
        ("gout-zh", "做过胃镜吗？", True),
        ("gout-zh", "平时戴眼镜吗？", False),
    ],
)
def test_only_what_is_examined_was_not_done(record_id: str, question: str, not_done: bool) -> None:
    said = voice((), question, case_of(POOL.get(record_id)))
    assert (said in {"That hasn't been done, as far as I know.", "这个没有查过。"}) is not_done


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {
                "name": "Gym",
                "report": "The patient reports exercising in the gym some hours ago when she felt a pain.",
            },
            "Exercising in the gym some hours ago when I felt a pain.",
        ),
        (
            {"name": "Radiation", "report": "She describes the pain as radiating down her leg."},
            "I describe the pain as radiating down my leg.",
        ),
        (
            {"name": "Non-smoker", "report": "Non-smoker.", "category": Category.SOCIAL_HISTORY},
            "Non-smoker.",
        ),
        (
            {
                "name": "No pain with stools",
                "report": "No pain with stools.",
                "status": Status.ABSENT,
            },
            "No pain with stools.",
        ),
    ],
)
def test_an_imported_report_is_told_as_a_person_would(entry: dict[str, str], said: str) -> None:
    whole = Entry.model_validate(
        {"part": Part.DIAGNOSIS, "category": Category.SYMPTOM, "status": Status.PRESENT} | entry
    )
    assert voice((whole,), "Do you smoke?", case_of(POOL.get("migraine-en"))) == said


FREE_TEXT = [
    (
        "gout-en",
        "Cough",
        "Cough for 5 days.",
        "present",
        "Have you had the cough for more than a month?",
    ),
    ("gout-en", "Fever", "No fever.", "absent", "Has your temperature been above 39 degrees?"),
    ("gout-en", "Weight is stable", "Weight is stable.", "present", "Have you lost any weight?"),
    ("gout-zh", "近期体重无明显变化", "近期体重无明显变化。", "present", "体重下降了吗？"),
    ("gout-zh", "5天前出现咳嗽", "5天前出现咳嗽。", "present", "咳嗽超过一个月了吗？"),
    ("gout-zh", "易消失", "不易消失。", "absent", "泡沫容易消失吗？"),
]


@pytest.mark.parametrize(("record_id", "name", "report", "status", "question"), FREE_TEXT)
def test_a_statement_of_a_text_is_told_without_yes_or_no(
    record_id: str, name: str, report: str, status: str, question: str
) -> None:
    entry = Entry(name=name, category=Category.SYMPTOM, status=Status(status), report=report)
    assert voice((entry,), question, case_of(POOL.get(record_id))) == report


@pytest.mark.parametrize(
    ("record_id", "name", "question", "opening"),
    [
        (
            "ulcerative-colitis-en",
            "Blood and mucus in the stool",
            "Is there blood in your stool?",
            "Yes, ",
        ),
        (
            "ulcerative-colitis-en",
            "Blood and mucus in the stool",
            "More than a month of blood in the stool?",
            "Most of",
        ),
        ("lung-cancer-zh", "痰中带血", "痰里有血吗？", "有，"),
        ("lung-cancer-zh", "痰中带血", "痰中带血超过三个月了吗？", "这2个星期"),
        ("osteoarthritis-en", "Night pain", "Do you have pain at night?", "No, no, once"),
        ("osteoarthritis-en", "Night pain", "Have you felt down most of the day?", "Once"),
    ],
)
def test_a_yes_or_no_answers_only_the_question_that_the_entry_settles(
    record_id: str, name: str, question: str, opening: str
) -> None:
    record = POOL.get(record_id)
    assert voice((record.entry(name),), question, case_of(record)).startswith(opening)


def test_an_imported_report_is_told_in_the_first_person() -> None:
    record = POOL.get("pneumonia-en")
    case = case_of(record).model_copy(update={"speaker": Speaker.PATIENT})
    entry = record.entries[0].model_copy(
        update={
            "said": "",
            "report": "The patient reports experiencing chills, and reports swelling of her ankle.",
        }
    )
    assert voice((entry,), "?", case) == "Experiencing chills, and report swelling of my ankle."
