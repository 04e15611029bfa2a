from __future__ import annotations

import pytest

from osler.agents.guards import check_question
from osler.agents.guards.address import addressed
from osler.agents.guards.doctor import one_question
from osler.agents.participant import Briefing, Case
from osler.agents.ram import read_intent
from osler.agents.rules.voice import voice
from osler.records import Language, RecordPool
from osler.records.schema import Sex, Speaker
from osler.simulator.build import case_of

POOL = RecordPool.open()


CASE: Case = case_of(POOL.get("migraine-en"))
RECALL = "Turn 1\nDoctor: Have you had a fever or chills?\nPatient: No, no fever at all."


def briefing(recall: str, question: str = "") -> Briefing:
    return Briefing(case=CASE, turn=3, turns_left=5, question=question, reply="It throbs.", recall=recall)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What is the patient's current medical history?", "nothing in particular"),
        ("Can you describe your symptoms in more detail?", "nothing in particular"),
        ("your question", "nothing in particular"),
        ("Have you had any fever or chills?", "already know"),
        ("Did you have fever or chills, or both?", "already know"),
    ],
)
def test_questions_that_should_not_be_asked(question: str, reason: str) -> None:
    assert any(reason in told for told in check_question(question, briefing(RECALL))), question


ONSET = {
    "migraine-en": "Turn 1\nDoctor: When did this start, and what makes it better or worse?\nPatient: Yesterday.",
    "migraine-zh": "第1轮\n医生：这是什么时候开始的，什么情况下会加重或减轻？\n患者：昨天。",
}


@pytest.mark.parametrize(
    ("record_id", "question", "known"),
    [
        ("migraine-en", "Does anything make the headache worse?", True),
        ("migraine-en", "When did the vomiting start?", False),
        ("migraine-en", "Where is the headache?", False),
        ("migraine-zh", "头痛什么时候会加重？", True),
        ("migraine-zh", "呕吐是什么时候开始的？", False),
        ("migraine-zh", "头痛在哪个部位？", False),
        ("migraine-zh", "您是否有头痛加剧的情况？", True),
    ],
)
def test_the_same_may_be_asked_of_another_thing_and_another_of_the_same(
    record_id: str, question: str, known: bool
) -> None:
    seen = Briefing(case=case_of(POOL.get(record_id)), turn=3, turns_left=5, reply="", recall=ONSET[record_id])
    assert bool(check_question(question, seen)) is known


def test_without_memory_a_repeat_is_allowed() -> None:
    assert check_question("Have you had a fever or chills?", briefing("")) == ()
    assert check_question("Have you had a fever or chills?", briefing("", "Have you had a fever or chills?"))


def test_one_question_of_many() -> None:
    assert one_question("Does it throb? And where? Since when?") == "Does it throb?"
    assert one_question("头痛多久了？还恶心吗？") == "头痛多久了？"
    assert one_question("You take warfarin, 3.5 mg a day. Are you bleeding?") == "Are you bleeding?"
    assert one_question("你平时吃华法林，已经5年了。你有肾病吗？") == "你有肾病吗？"
    assert one_question("Did Dr. Smith find a lump of 3.5 cm?") == "Did Dr. Smith find a lump of 3.5 cm?"


def test_these_symptoms_are_nothing_in_particular() -> None:
    known = Briefing(case=case_of(POOL.get("gout-zh")), turn=3, turns_left=5, reply="")
    assert check_question("你有这些症状吗？", known) == ("问得太笼统",)


def test_a_question_for_one_test_is_not_broad() -> None:
    assert not any(ask.parts for ask in read_intent("What did the breathing test show?", Language.EN).asks)
    assert read_intent("What did the blood tests show?", Language.EN).asks[0].parts == {"test"}


@pytest.mark.parametrize(
    ("drafted", "spoken"),
    [
        ("What is the patient's main worry?", "What is your main worry?"),
        ("Has the patient had a fever?", "Have you had a fever?"),
        ("Since when is the patient tired?", "Since when are you tired?"),
        ("How long has the pain been there?", "How long has the pain been there?"),
        ("患者有没有发热？", "您有没有发热？"),
        ("这位患者的大便怎么样？", "您的大便怎么样？"),
    ],
)
def test_a_question_speaks_to_the_person_who_answers(drafted: str, spoken: str) -> None:
    language = Language.ZH if "？" in drafted else Language.EN
    assert addressed(drafted, Speaker.PATIENT, Sex.MALE, language) == spoken


@pytest.mark.parametrize(
    ("drafted", "spoken"),
    [
        ("Do you have a fever?", "Does she have a fever?"),
        ("Have you had a fever, and are you tired?", "Has she had a fever, and is she tired?"),
        ("What is your temperature?", "What is her temperature?"),
        ("What is the patient's current diet?", "What is her current diet?"),
        ("Has the patient had a fever?", "Has she had a fever?"),
        ("患者有没有发热？", "她有没有发热？"),
        ("Does it hurt when you exert yourself?", "Does it hurt when she exerts herself?"),
        ("Has a doctor examined you, and what did they say?", "Has a doctor examined her, and what did they say?"),
        ("Does light bother you when you are outside?", "Does light bother her when she is outside?"),
        ("What did you eat before you felt sick?", "What did she eat before she felt sick?"),
        ("Does your daughter cough when you lift her?", "Does your daughter cough when you lift her?"),
        ("您最近有没有发热？", "她最近有没有发热？"),
        ("您女儿咳嗽吗？", "您女儿咳嗽吗？"),
        ("您好，您平时吃什么药？", "您好，她平时吃什么药？"),
    ],
)
def test_who_answers_for_another_is_asked_about_that_one(drafted: str, spoken: str) -> None:
    language = Language.ZH if "？" in drafted else Language.EN
    assert addressed(drafted, Speaker.MOTHER, Sex.FEMALE, language) == spoken


@pytest.mark.parametrize(
    "question",
    [
        "What is your age?",
        "How old are you?",
        "What is your gender?",
        "What is his current age?",
        "您多大年纪？",
        "你的性别？",
        "他几岁了？",
    ],
)
def test_age_and_sex_are_known_from_the_start(question: str) -> None:
    language = Language.ZH if "？" in question else Language.EN
    record = POOL.get(f"pneumonia-{language.value}")
    briefing = Briefing(case=case_of(record), turn=1, turns_left=5, reply=record.complaint)
    assert check_question(question, briefing)
    assert not check_question("肿块有多大？" if language is Language.ZH else "How big is the lump?", briefing)


@pytest.mark.parametrize(
    ("language", "question", "refused"),
    [
        ("en", "What is your main worry about the cough?", True),
        ("en", "What is the main symptom?", True),
        ("en", "Is the cough worse at night?", False),
        ("en", "Do you have any other symptoms besides the cough?", False),
        ("zh", "您的主要症状是什么？", True),
        ("zh", "您最担心咳嗽的什么问题？", True),
        ("zh", "有没有发热？", False),
    ],
)
def test_a_question_that_only_names_the_complaint_asks_for_nothing(language: str, question: str, refused: bool) -> None:
    case = case_of(POOL.get(f"pneumonia-{language}")).model_copy(
        update={"complaint": "咳嗽一周。" if language == "zh" else "A cough for a week."}
    )
    briefing = Briefing(case=case, turn=1, turns_left=5, reply=case.complaint)
    assert bool(check_question(question, briefing)) is refused


@pytest.mark.parametrize(
    ("language", "question", "known"),
    [
        ("en", "What is your main worry about the cough?", "it names only what you know already"),
        ("zh", "您有咳嗽的症状吗？", "问的都是已经知道的情况"),
    ],
)
def test_a_question_for_the_complaint_itself_is_told_so(language: str, question: str, known: str) -> None:
    case = case_of(POOL.get(f"pneumonia-{language}")).model_copy(
        update={"complaint": "咳嗽一周。" if language == "zh" else "A cough for a week."}
    )
    reasons = check_question(question, Briefing(case=case, turn=1, turns_left=5, reply=case.complaint))
    assert known in reasons


@pytest.mark.parametrize(
    ("language", "recall", "asked", "fresh"),
    [
        (
            "en",
            "Fact #2: it gets worse after effort [other symptoms double vision; start makes better worse] (turn 1, 2)\n"
            "Fact #3: level of abdominal pain has not been done (turn 3)",
            ("When did this start, and what makes it better or worse?", "What is your level of abdominal pain?"),
            "Have you had a fever?",
        ),
        (
            "zh",
            "事实#2：活动后加重［其他症状；开始加重减轻］（第1、2轮）",
            ("这是什么时候开始的，什么情况下会加重或减轻？", "还伴有哪些其他症状？"),
            "有没有发热？",
        ),
    ],
)
def test_one_fact_that_answered_several_questions_shows_them_all(
    language: str, recall: str, asked: tuple[str, ...], fresh: str
) -> None:
    case = case_of(POOL.get(f"pneumonia-{language}"))
    briefing = Briefing(case=case, turn=4, turns_left=5, reply="-", recall=recall)
    assert all(check_question(question, briefing) for question in asked)
    assert not check_question(fresh, briefing)


def test_an_imported_report_is_told_in_the_first_person() -> None:
    record = POOL.get("pneumonia-en")
    case = case_of(record).model_copy(update={"speaker": Speaker.PATIENT})
    entry = record.entries[0].model_copy(
        update={"said": "", "report": "The patient reports experiencing chills, and reports swelling of her ankle."}
    )
    assert voice((entry,), "?", case) == "I have been experiencing chills, and report swelling of my ankle."
