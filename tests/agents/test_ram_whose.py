"""Questions about somebody else, and talk that only looks like a question."""

from __future__ import annotations

import pytest

from osler.agents.ram.index import asks_about_another
from osler.language import Speaker
from osler.records import Language
from tests.agents.ram_index import found


@pytest.mark.parametrize(
    ("speaker", "question", "language"),
    [
        (Speaker.PATIENT, "Does your husband smoke?", Language.EN),
        (Speaker.PATIENT, "What is your father's blood pressure like?", Language.EN),
        (Speaker.DAUGHTER, "Do her brothers and sisters have high blood pressure?", Language.EN),
        (Speaker.PATIENT, "您老公抽烟吗？", Language.ZH),
        (Speaker.MOTHER, "孩子爸爸对什么药过敏吗？", Language.ZH),
        (Speaker.WIFE, "您自己有高血压吗？", Language.ZH),
    ],
)
def test_somebody_else_is_asked_about(speaker: Speaker, question: str, language: Language) -> None:
    assert asks_about_another(question, language, speaker)


@pytest.mark.parametrize(
    ("speaker", "question", "language"),
    [
        (Speaker.WIFE, "Does your husband smoke?", Language.EN),
        (Speaker.PATIENT, "Has your husband noticed that you snore?", Language.EN),
        (Speaker.PATIENT, "Do you smoke?", Language.EN),
        (Speaker.SON, "Is your mum on any tablets?", Language.EN),
        (Speaker.WIFE, "您老公抽烟吗？", Language.ZH),
        (Speaker.PATIENT, "您爱人说您晚上打呼噜吗？", Language.ZH),
        (Speaker.MOTHER, "孩子发烧吗？", Language.ZH),
    ],
)
def test_the_patient_is_asked_about(speaker: Speaker, question: str, language: Language) -> None:
    assert not asks_about_another(question, language, speaker)


@pytest.mark.parametrize(
    ("record", "question", "own"),
    [
        (
            "bladder-cancer-en",
            "Do her brothers and sisters have high blood pressure?",
            "Hypertension",
        ),
        ("bladder-cancer-en", "Does she have high blood pressure?", None),
        ("bladder-cancer-zh", "她儿子有高血压吗？", "高血压"),
        ("bladder-cancer-zh", "她有高血压吗？", None),
    ],
)
def test_what_another_has_is_not_answered_with_what_the_patient_has(
    record: str, question: str, own: str | None
) -> None:
    assert (
        own not in found(record, question)
        if own
        else found(record, question) & {"Hypertension", "高血压"}
    )


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("pneumonia-en", "Good morning, please sit down."),
        ("heart-failure-en", "You should take the tablets for two weeks. Does that make sense?"),
        ("major-depression-zh", "我建议她先住院观察几天，您看她本人同意这么安排吗？"),
        ("pneumonia-zh", "您好，请坐。"),
    ],
)
def test_talk_asks_for_nothing(record: str, said: str) -> None:
    assert found(record, said) == set()
