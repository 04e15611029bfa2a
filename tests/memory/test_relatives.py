"""Whose a fact is: what is answered to a question about a relative is the relative's, and never the patient's."""

from __future__ import annotations

import pytest

from osler.language import Language, Speaker
from osler.memory.base import Turn
from osler.memory.tim.extract import think

EN, ZH = Language.EN, Language.ZH


def facts(question: str, reply: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[tuple[str, bool]]:
    turn = Turn(number=1, question=question, reply=reply)
    return [(draft.triple, draft.negated) for draft in think(turn, language, speaker)]


@pytest.mark.parametrize(
    ("language", "question", "reply", "fact"),
    [
        (EN, "How is your mother?", "She has diabetes.", "mother has diabetes"),
        (EN, "What about your father?", "He died of a heart attack at 55.", "father died of a heart attack at 55"),
        (EN, "Did your mother have cancer?", "Yes, breast cancer at 50.", "mother has breast cancer at 50"),
        (EN, "Does anyone in your family have diabetes?", "My father does.", "father has diabetes"),
        (EN, "Has anyone in your family had a stroke?", "My grandfather has.", "grandfather has had a stroke"),
        (EN, "Do you have asthma?", "No, but my brother does.", "brother has asthma"),
        (ZH, "您母亲身体怎么样？", "她有糖尿病。", "母亲 有 糖尿病"),
        (ZH, "您父亲有什么病吗？", "他有高血压。", "父亲 有 高血压"),
        (ZH, "家里有人得糖尿病吗？", "我爸有。", "爸 有 糖尿病"),
        (ZH, "您妈妈得过乳腺癌吗？", "得过。", "妈妈 有 乳腺癌"),
    ],
)
def test_it_is_the_relative_s(language: Language, question: str, reply: str, fact: str) -> None:
    told = facts(question, reply, language)
    assert (fact, False) in told
    assert not [triple for triple, denied in told if triple.startswith(("patient has", "患者 有")) and not denied]


@pytest.mark.parametrize(
    ("language", "question", "reply", "fact"),
    [
        (EN, "Does your mother have asthma?", "No, but I have asthma.", "patient has asthma"),
        (EN, "Has your husband noticed that you snore?", "Yes, I snore.", "patient snores"),
        (EN, "Do you have asthma?", "Yes.", "patient has asthma"),
        (ZH, "您母亲有哮喘吗？", "没有，我有哮喘。", "患者 有 哮喘"),
        (ZH, "您得过肺炎吗？", "得过。", "患者 有 肺炎"),
    ],
)
def test_it_is_the_patient_s(language: Language, question: str, reply: str, fact: str) -> None:
    assert (fact, False) in facts(question, reply, language)


@pytest.mark.parametrize(
    ("speaker", "language", "question", "reply", "fact"),
    [
        (Speaker.MOTHER, EN, "Does your son have a fever?", "He has a fever.", "patient has a fever"),
        (Speaker.MOTHER, EN, "Does his father have asthma?", "Yes, he has asthma.", "father has asthma"),
        (Speaker.MOTHER, EN, "Do you smoke yourself?", "Yes, I smoke 10 a day.", "mother smokes 10 a day"),
        (Speaker.DAUGHTER, EN, "Does your mother have a cough?", "She has a cough.", "patient has a cough"),
        (Speaker.WIFE, ZH, "您自己有高血压吗？", "我有高血压。", "妻子 有 高血压"),
        (Speaker.WIFE, ZH, "您老公有高血压吗？", "他有高血压。", "患者 有 高血压"),
        (Speaker.MOTHER, ZH, "孩子爸爸抽烟吗？", "他抽烟，一天一包。", "爸爸 抽烟 一天一包"),
    ],
)
def test_who_answers_decides_whom_a_name_means(
    speaker: Speaker, language: Language, question: str, reply: str, fact: str
) -> None:
    assert (fact, False) in facts(question, reply, language, speaker)
