"""A reply rests on what was given, and a question on what the doctor's memory shows."""

from __future__ import annotations

import pytest

from osler.agents.guards import check_question, fabrications
from osler.agents.interview import areas, open_areas
from osler.agents.participant import Briefing, Selection
from osler.agents.rules.voice import voice
from osler.records import Language, RecordPool
from osler.records.schema import Category, Entry, Part, Status
from osler.simulator.build import case_of

POOL = RecordPool.open()


def test_the_rules_never_invent_whatever_the_entry() -> None:
    """Their words are the record's own: a guard that refuses them would refuse the truth."""
    for record in POOL:
        case = case_of(record)
        for entry in record.entries:
            chosen = Selection(case=case, question=entry.name, entries=(entry,))
            assert fabrications(voice((entry,), entry.name, case), chosen) == (), (record.id, entry.name)


@pytest.mark.parametrize(
    ("record_id", "name", "alone"), [("gout-en", "Uric acid", "586. High."), ("gout-zh", "血尿酸", "586，高。")]
)
def test_of_several_results_each_has_its_name(record_id: str, name: str, alone: str) -> None:
    record = POOL.get(record_id)
    results = tuple(entry for entry in record.entries if entry.category is Category.TEST)
    assert voice((record.entry(name),), "?", case_of(record)).startswith(alone)
    together = voice(results, "?", case_of(record))
    assert f"{name}: {alone}" in together or f"{name}：{alone}" in together


def test_a_report_with_nothing_left_is_not_answered_with_yes() -> None:
    record = POOL.get("gout-en")
    scan = Entry(name="MRI", part=Part.DIAGNOSIS, category=Category.EXAMINATION, status=Status.PRESENT)
    assert "don't have the report" in voice((scan,), "What did the MRI show?", case_of(record))
    pain = Entry(name="Fatigue", part=Part.DIAGNOSIS, category=Category.SYMPTOM, status=Status.PRESENT)
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
    ("record_id", "question"),
    [
        ("gout-en", "Do you have any symptoms that suggest you might have cancer?"),
        ("gout-en", "What is the main symptom that distinguishes between these conditions?"),
        ("gout-en", "What symptom do you think is causing the pain?"),
        ("gout-en", "What is the most common symptom of gout?"),
        ("gout-en", "What is your main symptom that makes the knee painful?"),
        ("gout-zh", "你左膝疼痛3天，这可能是什么病？"),
        ("gout-zh", "你认为是急性扁桃体炎还是急性喉炎？"),
        ("gout-zh", "这可能是由什么引起的？"),
        ("gout-en", "Do you have any symptoms of anemia, diabetes, or cancer?"),
        ("gout-zh", "您是否有腰椎间盘突出的症状？"),
        ("gout-zh", "这些症状在哪些疾病中常见？"),
        ("gout-en", "What symptom is the most concerning to you right now?"),
        ("gout-en", "Do you have any symptoms of a stroke?"),
        ("gout-zh", "您是否有胃溃疡的症状？"),
        ("gout-zh", "左小腿里头胀着疼，这是不是深部静脉血栓形成的症状？"),
        ("gout-zh", "这些症状在急性脑卒中和急性阑尾炎中是否都可能出现？"),
    ],
)
def test_a_patient_is_not_asked_to_judge(record_id: str, question: str) -> None:
    briefing = Briefing(case=case_of(POOL.get(record_id)), turn=1, turns_left=9, reply="")
    assert any("judge" in reason or "判断" in reason for reason in check_question(question, briefing))


@pytest.mark.parametrize(
    ("record_id", "statement"),
    [("gout-en", "You have had a cough with sputum for 3 days."), ("gout-zh", "你有咳嗽、咳痰增多3天，痰白黏。")],
)
def test_a_statement_is_no_question(record_id: str, statement: str) -> None:
    briefing = Briefing(case=case_of(POOL.get(record_id)), turn=1, turns_left=9, reply="")
    assert any("question" in reason or "问题" in reason for reason in check_question(statement, briefing))


@pytest.mark.parametrize(
    ("record_id", "question"),
    [
        ("gout-en", "Tell me about your diet."),
        ("gout-zh", "请说说您的饮食习惯。"),
        ("gout-en", "Do you have any signs of infection, such as fever or chills?"),
        ("gout-en", "What makes the pain worse?"),
        ("gout-zh", "走路的时候膝盖会不会更疼？"),
        ("gout-en", "Do you have any symptoms of nausea or vomiting?"),
        ("gout-zh", "您有没有恶心、呕吐的症状？"),
        ("gout-zh", "还伴有哪些其他症状？"),
    ],
)
def test_other_questions_are(record_id: str, question: str) -> None:
    briefing = Briefing(case=case_of(POOL.get(record_id)), turn=1, turns_left=9, reply="")
    assert check_question(question, briefing) == ()


FACTS = {
    Language.EN: "Fact #1: inspection shows a lacy rash [physical examination show] (turn 2)\n"
    "Fact #2: temperature is 37.4 °C (turn 2)\nFact #3: blood pressure is 125/80 mmHg (turn 2)\n"
    "Fact #4: patient has double vision for a month [changes vision; other symptoms] (turn 1, 3)",
    Language.ZH: "事实#1：皮肤 有 花边样皮疹［体格检查发现］（第2轮）\n事实#2：体温 为 37.4度（第2轮）\n"
    "事实#4：体格检查 显示 挺齐的（第2轮）\n事实#3：患者 有 复视［视力变化］（第1轮）",
}
RECORD = {Language.EN: "gout-en", Language.ZH: "gout-zh"}


@pytest.mark.parametrize("language", Language)
def test_facts_of_one_part_leave_the_others_open(language: Language) -> None:
    briefing = Briefing(
        case=case_of(POOL.get(RECORD[language])), turn=4, turns_left=6, reply="", recall=FACTS[language]
    )
    keys = {area.key for area in open_areas(briefing)}
    assert "sign" not in keys and {"examination", "test"} <= keys
    for area in (area for area in areas(language) if area.key in {"examination", "test"}):
        assert check_question(area.question, briefing) == ()


@pytest.mark.parametrize(
    ("language", "question"),
    [
        (Language.EN, "What is the child's temperature?"),
        (Language.EN, "Do you have double vision?"),
        (Language.EN, "What is your main complaint regarding the double vision?"),
        (Language.ZH, "您的体温是多少？"),
        (Language.ZH, "您有没有复视？"),
    ],
)
def test_a_fact_is_known_like_a_reply(language: Language, question: str) -> None:
    briefing = Briefing(
        case=case_of(POOL.get(RECORD[language])), turn=4, turns_left=6, reply="", recall=FACTS[language]
    )
    assert check_question(question, briefing) != ()


def test_several_things_are_known_when_each_is() -> None:
    talk = "Doctor: Do you have a cough?\nPatient: No.\nDoctor: Any chest pain?\nPatient: No."
    briefing = Briefing(case=case_of(POOL.get("gout-en")), turn=4, turns_left=6, reply="", recall=talk)
    assert check_question("Do you have any cough or chest pain?", briefing) != ()
    assert check_question("Do you have any cough or diarrhoea?", briefing) == ()


@pytest.mark.parametrize(
    ("language", "talk", "again", "new"),
    [
        (
            Language.EN,
            "Doctor: Which other symptoms are there?\nPatient: My legs are tired and I feel weak.\n"
            "Doctor: Any giddiness?\nPatient: I get dizzy when I stand up.",
            "Do you have any symptoms of fatigue or weakness, together with dizziness?",
            "Do you have any symptoms of fatigue or weakness, together with a fever?",
        ),
        (
            Language.ZH,
            "医生：还伴有哪些其他症状？\n患者：她喘鸣，呼气时喘鸣4天。\n医生：她咳得厉害吗？\n患者：她一直咳嗽。",
            "您女儿的咳嗽是否伴有喘鸣？",
            "您女儿的咳嗽是否伴有发热？",
        ),
    ],
)
def test_things_that_came_up_one_by_one_are_known_together(language: Language, talk: str, again: str, new: str) -> None:
    case = case_of(POOL.get(RECORD[language]))
    briefing = Briefing(case=case, turn=4, turns_left=6, question="?", reply="", recall=talk)
    assert check_question(again, briefing) != ()
    assert check_question(new, briefing) == ()


@pytest.mark.parametrize(
    ("language", "recall", "known", "open_"),
    [
        (
            Language.EN,
            "#1: cough for 4 days [cough]\nDenied: fever; chest pain\nAlso asked: allergies",
            ["Do you have a fever?", "Do you have a cough?", "Do you have any allergies?"],
            "Do you have diarrhoea?",
        ),
        (
            Language.ZH,
            "#1：咳嗽4天［咳嗽］\n否认：发热；胸痛\n还问过：过敏",
            ["您发热吗？", "您咳嗽吗？", "您有过敏吗？"],
            "您拉肚子吗？",
        ),
    ],
)
def test_a_memory_told_in_short_is_known_too(language: Language, recall: str, known: list[str], open_: str) -> None:
    briefing = Briefing(case=case_of(POOL.get(RECORD[language])), turn=4, turns_left=6, reply="", recall=recall)
    assert [question for question in known if not check_question(question, briefing)] == []
    assert check_question(open_, briefing) == ()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {"name": "Gym", "report": "The patient reports exercising in the gym some hours ago when she felt a pain."},
            "I was exercising in the gym some hours ago when I felt a pain.",
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
            {"name": "No pain with stools", "report": "No pain with stools.", "status": Status.ABSENT},
            "No, no pain with stools.",
        ),
    ],
)
def test_an_imported_report_is_told_as_a_person_would(entry: dict[str, str], said: str) -> None:
    whole = Entry.model_validate(
        {"part": Part.DIAGNOSIS, "category": Category.SYMPTOM, "status": Status.PRESENT} | entry
    )
    assert voice((whole,), "Do you smoke?", case_of(POOL.get("migraine-en"))) == said
