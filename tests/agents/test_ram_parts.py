"""Questions for a whole part of the record: the complaint, everything else, all medicines; and what
only looks like one."""

from __future__ import annotations

import pytest

from osler.records.schema import Category
from tests.agents.ram_index import found, index_of


@pytest.mark.parametrize(
    ("record", "question", "chief"),
    [
        ("gout-en", "When did it all begin?", "Joint pain"),
        ("gout-en", "Is it there all the time or does it come and go?", "Joint pain"),
        ("gout-en", "Please sit down and take your time.", None),
        ("gout-zh", "这样多久了？", "关节疼痛"),
        ("gout-zh", "是一直这样还是一阵一阵的？", "关节疼痛"),
        ("gout-zh", "咳嗽多久了？", None),
        ("gout-zh", "您好，请坐，慢慢说。", None),
    ],
)
def test_since_when_asks_for_the_chief_symptom_where_nothing_is_named(
    record: str, question: str, chief: str | None
) -> None:
    got = found(record, question)
    assert got == set() if chief is None else chief in got


@pytest.mark.parametrize(
    ("record", "question", "asked"),
    [
        ("acute-pancreatitis-en", "How often does your husband have a drink?", {"Alcohol"}),
        ("heart-failure-en", "Have the scales gone up?", {"Weight change"}),
        ("aortic-dissection-zh", "不舒服是突然来的还是慢慢来的？", {"起病情况"}),
        ("pyelonephritis-zh", "您父母身体怎么样，有什么慢性病吗？", {"家族史"}),
    ],
)
def test_one_thing_that_is_clearly_meant_is_not_a_question_for_a_whole_part(
    record: str, question: str, asked: set[str]
) -> None:
    assert found(record, question) == asked


@pytest.mark.parametrize(
    ("record", "question"),
    [
        ("acute-cholecystitis-en", "Is there any blood when you open your bowels?"),
        ("lung-cancer-en", "Can a tablet target the tumour, did they look for a mutation?"),
        ("copd-exacerbation-zh", "待会儿先给您做个雾化，您别紧张，慢慢来，好吧？"),
        ("intussusception-zh", "放空气或者水灌肠做过没有？"),
    ],
)
def test_a_word_of_medicine_does_not_ask_for_the_list(record: str, question: str) -> None:
    kinds = {match.entry.category for match in index_of(record).search(question)}
    assert Category.MEDICATION_HISTORY not in kinds


@pytest.mark.parametrize(
    ("record", "question", "listed"),
    [
        ("gout-en", "Are you allergic to penicillin or amoxicillin?", "Drug allergy"),
        ("pneumonia-en", "Do you take a blood thinner such as warfarin?", "Regular medication"),
        ("gout-zh", "对青霉素或者阿莫西林过敏吗？", "药物过敏"),
        ("gout-zh", "在吃硝酸甘油或者西地那非吗？", "其他长期用药"),
    ],
)
def test_lists_of_medicines_and_allergies_answer_for_every_one(
    record: str, question: str, listed: str
) -> None:
    assert listed in found(record, question)


@pytest.mark.parametrize(
    ("record", "question", "told"),
    [
        ("osteoarthritis-zh", "您平时在吃哪些药？", {"抗凝药", "用过的止痛药"}),
    ],
)
def test_who_asks_for_the_medicines_is_told_each_where_none_lists_them(
    record: str, question: str, told: set[str]
) -> None:
    assert told <= found(record, question)


@pytest.mark.parametrize(
    ("record", "question"),
    [
        ("angle-closure-glaucoma-en", "Do you use any eye drops?"),
        ("angle-closure-glaucoma-zh", "平时滴眼药水吗？"),
    ],
)
def test_one_medicine_is_no_list_of_all(record: str, question: str) -> None:
    assert not found(record, question) & {"Inhaler", "Cold remedy", "吸入剂", "感冒药"}


@pytest.mark.parametrize(
    ("record", "question"),
    [
        ("pneumonia-en", "What brings you in today?"),
        ("pneumonia-en", "So what is troubling you most?"),
        ("pneumonia-zh", "您哪里不舒服？"),
        ("pneumonia-zh", "今天来是哪儿不舒服？"),
    ],
)
def test_who_asks_what_is_wrong_is_told_what_the_patient_came_with(
    record: str, question: str
) -> None:
    assert found(record, question) & {"Cough", "咳嗽"}


@pytest.mark.parametrize(
    ("record", "question"),
    [
        ("pneumonia-en", "Anything else wrong?"),
        ("pneumonia-en", "What else have you noticed since it began?"),
        ("pneumonia-zh", "还有别的不舒服吗？"),
        ("pneumonia-zh", "除了这个，还有什么不舒服？"),
    ],
)
def test_who_asks_what_else_is_told_all_but_what_the_patient_came_with(
    record: str, question: str
) -> None:
    others = found(record, question)
    assert len(others) > 2 and not others & {"Cough", "咳嗽"}


@pytest.mark.parametrize(
    ("question", "all_of_them"),
    [
        ("What did the bloods show?", True),
        ("Were the bloods abnormal?", True),
        ("Did you see any blood?", False),
    ],
)
def test_bloods_are_the_blood_tests_and_blood_is_not(question: str, all_of_them: bool) -> None:
    tests = {
        "Renal function",
        "Triglycerides",
        "Complete blood count",
        "Liver function",
        "Serum lipase and amylase",
    }
    assert (tests <= found("acute-pancreatitis-en", question)) is all_of_them
