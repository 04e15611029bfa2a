"""Who a standard question speaks to, and about whom."""

from __future__ import annotations

import re

import pytest

from osler.agents.rules.address import rephrase_for_speaker
from osler.agents.rules.knowledge import knowledge
from osler.language import Speaker
from osler.prompts import prompt
from osler.records import Language
from osler.records.schema import Sex


@pytest.mark.parametrize("question", ["Have you had a fever?", "您有没有发热？"])
def test_the_patient_is_asked_as_it_is_written(question: str) -> None:
    language = Language.ZH if "？" in question else Language.EN
    assert rephrase_for_speaker(question, Speaker.PATIENT, Sex.MALE, language) == question


@pytest.mark.parametrize(
    ("drafted", "spoken"),
    [
        ("Do you have a fever?", "Does she have a fever?"),
        ("Have you had a fever, and are you tired?", "Has she had a fever, and is she tired?"),
        ("What is your temperature?", "What is her temperature?"),
        ("Does it hurt when you exert yourself?", "Does it hurt when she exerts herself?"),
        (
            "Has a doctor examined you, and what did they say?",
            "Has a doctor examined her, and what did they say?",
        ),
        (
            "Does light bother you when you are outside?",
            "Does light bother her when she is outside?",
        ),
        ("What did you eat before you felt sick?", "What did she eat before she felt sick?"),
        ("您最近有没有发热？", "她最近有没有发热？"),
        ("您好，您平时吃什么药？", "您好，她平时吃什么药？"),
    ],
)
def test_who_answers_for_another_is_asked_about_that_one(drafted: str, spoken: str) -> None:
    language = Language.ZH if "？" in drafted else Language.EN
    assert rephrase_for_speaker(drafted, Speaker.MOTHER, Sex.FEMALE, language) == spoken


@pytest.mark.parametrize("language", Language)
def test_none_of_our_questions_asks_a_mother_about_herself(language: Language) -> None:
    """Every question of the rules doctor and of the checklist."""
    checklist = prompt("checklist", language).text.replace("|", "\n").strip().splitlines()
    for question in [*(item.ask[language] for item in knowledge().items.values()), *checklist]:
        about = rephrase_for_speaker(question, Speaker.MOTHER, Sex.FEMALE, language)
        assert not re.search(r"\byou|[您你]", about, re.IGNORECASE), about
