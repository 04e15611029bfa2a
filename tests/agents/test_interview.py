"""Which parts of an interview a doctor still asks for, whatever it has been told."""

from __future__ import annotations

import pytest

from osler.agents.guards import check_question
from osler.agents.guards.address import addressed
from osler.agents.interview import areas, open_areas
from osler.agents.participant import Briefing
from osler.agents.ram import read_intent
from osler.memory.tim.bank import topic
from osler.records import Language, RecordPool
from osler.records.schema import Sex, Speaker
from osler.simulator.build import case_of

POOL = RecordPool.open()


def briefing(recall: str, question: str = "", reply: str = "", record_id: str = "migraine-en") -> Briefing:
    case = case_of(POOL.get(record_id))
    return Briefing(case=case, turn=3, turns_left=5, question=question, reply=reply, recall=recall)


@pytest.mark.parametrize("language", Language)
def test_the_checklist_asks_for_the_parts_it_names(language: Language) -> None:
    """Or a doctor's standard question would bring nothing."""
    every = [*areas(language), *areas(language, child=True)]
    for area, speaker in ((area, speaker) for area in every for speaker in (Speaker.PATIENT, Speaker.MOTHER)):
        question = addressed(area.question, speaker, Sex.MALE, language)
        parts = {part for ask in read_intent(question, language).asks for part in ask.parts}
        assert area.key in parts, area


@pytest.mark.parametrize("language", Language)
def test_whatever_else_was_asked_leaves_each_part_of_the_checklist_to_ask(language: Language) -> None:
    doctor, patient, unknown = (
        ("Doctor: ", "Patient: ", "I don't know.") if language is Language.EN else ("医生：", "患者：", "不清楚。")
    )
    case = case_of(POOL.get(f"gout-{language.value}"))
    for area in areas(language):
        others = [one.question for one in areas(language) if one != area]
        talk = "\n".join(f"{doctor}{question}\n{patient}{unknown}" for question in others)
        known = Briefing(case=case, turn=9, turns_left=5, question=others[-1], reply=unknown, recall=talk)
        assert check_question(area.question, known) == () and [one.key for one in open_areas(known)] == [area.key], area


@pytest.mark.parametrize(
    ("language", "fact"),
    [
        (Language.EN, "Fact #1: physical examination shows it hurts when they press on the knee (turn 1)"),
        (Language.ZH, "事实 #1：体格检查 显示 按着膝盖疼（第1轮）"),
    ],
)
def test_a_finding_of_the_examination_leaves_the_scans_to_ask(language: Language, fact: str) -> None:
    left = {area.key for area in open_areas(briefing(fact, record_id=f"gout-{language}"))}
    assert "examination" in left and "sign" not in left


@pytest.mark.parametrize(
    ("record_id", "question", "part"),
    [
        ("gout-en", "Have you had an X-ray of your knee?", "examination"),
        ("gout-zh", "您有没有做过胃镜检查？", "examination"),
        ("gout-zh", "做过甲状腺功能化验吗？", "test"),
    ],
)
def test_a_question_for_one_result_leaves_the_others_to_ask(record_id: str, question: str, part: str) -> None:
    known = briefing("", question, record_id=record_id)
    standard = next(area for area in open_areas(known) if area.key == part)
    assert check_question(standard.question, known) == ()


@pytest.mark.parametrize("language", list(Language))
def test_a_part_counts_as_asked_for_where_a_memory_keeps_its_words_of_weight(language: Language) -> None:
    marks = "Fact #1: patient is well [{}] (turn 1)" if language is Language.EN else "事实 #1：患者 好［{}］（第1轮）"
    for area in areas(language):
        recall = marks.format(topic(area.question, language))
        left = open_areas(briefing(recall, record_id=f"gout-{language}"))
        assert area.key not in {one.key for one in left}, recall


@pytest.mark.parametrize(
    ("record_id", "fact"),
    [
        ("diabetic-ketoacidosis-en", "Fact #3: patient does not have blood (turn 1)"),
        ("diabetic-ketoacidosis-en", "Fact #3: patient has thrown up, there was no blood in it (turn 1)"),
        ("diabetic-ketoacidosis-zh", "事实 #3：患者 没有 血（第1轮）"),
    ],
)
def test_no_blood_is_not_the_blood_tests(record_id: str, fact: str) -> None:
    known = briefing(fact, record_id=record_id)
    tests = next(area for area in open_areas(known) if area.key == "test")
    assert check_question(tests.question, known) == ()


def test_a_question_about_bleeding_leaves_the_blood_tests_open() -> None:
    seen = briefing("Turn 1\nDoctor: Is there blood in your stool?\nPatient: No.", "Do you have high blood pressure?")
    assert "test" in {area.key for area in open_areas(seen)}
    for question in ("What did the bloods show?", "Have you had your blood checked?"):
        assert "test" not in {area.key for area in open_areas(briefing("", question))}


@pytest.mark.parametrize(
    ("record_id", "reply"),
    [
        ("stemi-zh", "医生，抽血化验结果正常，D-二聚体是0.31 mg/L FEU。"),
        ("stemi-en", "The blood test results are normal, the D-dimer is 0.31."),
    ],
)
def test_a_result_of_the_blood_leaves_the_scans_to_ask(record_id: str, reply: str) -> None:
    parts = {area.key: area.question for area in areas(POOL.get(record_id).language)}
    known = briefing("", parts["test"], reply, record_id)
    assert check_question(parts["examination"], known) == () and check_question(parts["test"], known)


@pytest.mark.parametrize(("record_id", "work"), [("croup-en", "smoke"), ("croup-zh", "烟")])
def test_a_child_is_not_asked_about_smoking_and_work(record_id: str, work: str) -> None:
    case = case_of(POOL.get(record_id))
    child = Briefing(case=case, turn=3, turns_left=5, reply="")
    grown_up = Briefing(case=case.model_copy(update={"years": 40.0}), turn=3, turns_left=5, reply="")
    assert [area.key for area in open_areas(child)] == [area.key for area in open_areas(grown_up)]
    assert not any(work in area.question for area in open_areas(child))
    assert any(work in area.question for area in open_areas(grown_up))


def test_areas_are_open_as_far_as_the_memory_shows() -> None:
    every = [area.key for area in areas(Language.EN)]
    assert [area.key for area in open_areas(briefing(""))] == every
    seen = briefing(
        "Turn 1\nDoctor: What did the physical examination show?\nPatient: Nothing.",
        "Are you allergic to any medicine?",
    )
    assert {"sign", "allergy"}.isdisjoint(area.key for area in open_areas(seen))


def test_the_physical_examination_and_a_blood_pressure_leave_tests_and_scans_open() -> None:
    known = briefing(
        "Turn 1\nDoctor: What did the physical examination show?\nPatient: Blood Pressure: 120/80 mmHg.", "Any cough?"
    )
    keys = [area.key for area in open_areas(known)]
    assert "sign" not in keys and {"test", "examination"} <= set(keys)
    for area in (area for area in areas(Language.EN) if area.key in {"test", "examination"}):
        assert check_question(area.question, known) == ()


@pytest.mark.parametrize(
    ("record_id", "told"),
    [
        (
            "gout-en",
            "Fact #1: patient has knee pain [other symptoms] (turn 1)\nFact #2: blood tests are normal (turn 1)",
        ),
        ("gout-zh", "事实#1：患者 有 膝盖疼［其他症状］（第1轮）\n事实#2：抽血 是 正常（第1轮）"),
    ],
)
def test_what_was_told_of_the_tests_unasked_leaves_them_to_ask(record_id: str, told: str) -> None:
    known = briefing(told, record_id=record_id)
    tests = next(area for area in open_areas(known) if area.key == "test")
    assert check_question(tests.question, known) == ()
