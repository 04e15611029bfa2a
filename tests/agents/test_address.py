"""Who a standard question speaks to, and about whom."""

from __future__ import annotations

import pytest

from osler.agents.rules.address import addressed
from osler.language import Speaker
from osler.records import Language
from osler.records.schema import Sex


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
