"""What the rules doctor learns from what its memory recalled: facts, exchanges, or nothing but
text."""

from __future__ import annotations

import pytest

from osler.agents.messages import Briefing
from osler.agents.rules.findings import Known, known_from
from osler.language import Language, Speaker
from osler.memory.base import Fact, Recall, Turn
from osler.records import RecordPool
from osler.simulator.build import case_of

EN, ZH = Language.EN, Language.ZH
FEVER = {EN: "Have you had a fever or chills?", ZH: "有没有发烧或者怕冷寒战？"}
COUNT = {
    EN: "Have you had a full blood count, and what did it show?",
    ZH: "查过血常规吗？结果怎么样？",
}


def known(recall: Recall, language: Language, speaker: Speaker = Speaker.PATIENT) -> Known:
    """What a doctor knows that has heard nothing but an empty complaint."""
    record = RecordPool.open().get(f"gout-{language}")
    case = case_of(record).model_copy(update={"complaint": "-", "speaker": speaker})
    return known_from(Briefing(case=case, turn=9, turns_left=3, reply="", recall=recall))


def asked(question: str, reply: str) -> Recall:
    return Recall(exchanges=(Turn(number=1, question=question, reply=reply),))


def fact(subject: str, relation: str, thing: str, *, denied: bool = False) -> Fact:
    return Fact(subject=subject, relation=relation, object=thing, denied=denied, turn=1)


@pytest.mark.parametrize(
    ("language", "recall", "there"),
    [
        (EN, Recall(facts=(fact("patient", "has", "fever", denied=True),)), False),
        (EN, Recall(facts=(fact("patient", "has", "a fever"),)), True),
        (EN, asked(FEVER[EN], "No."), False),
        (EN, asked(FEVER[EN], "Yes, since Monday."), True),
        (EN, asked(FEVER[EN], "No, I haven't had any fever. But I have a cough."), False),
        (EN, asked(FEVER[EN], "I don't know."), None),
        (EN, Recall(text="The patient has had a fever for three days."), True),
        (EN, Recall(text="No fever."), False),
        (ZH, Recall(facts=(fact("患者", "有", "发烧", denied=True),)), False),
        (ZH, Recall(facts=(fact("患者", "有", "发烧"),)), True),
        (ZH, asked(FEVER[ZH], "没有。"), False),
        (ZH, asked(FEVER[ZH], "有，烧了两天了。"), True),
        (ZH, asked(FEVER[ZH], "这个我不太清楚。"), None),
        (ZH, Recall(text="患者发烧三天。"), True),
        (ZH, Recall(text="没有发烧。"), False),
    ],
)
def test_a_symptom_is_there_denied_or_not_told(
    language: Language, recall: Recall, there: bool | None
) -> None:
    assert known(recall, language).findings.get("fever") is there


@pytest.mark.parametrize(
    ("language", "recall"),
    [
        (EN, asked(COUNT[EN], "White cells 14.2, haemoglobin 131.")),
        (
            EN,
            Recall(
                facts=(fact("white cells", "are", "14.2"),),
                exchanges=(Turn(number=1, question=COUNT[EN], reply=""),),
            ),
        ),
        (ZH, asked(COUNT[ZH], "白细胞14.2，血红蛋白131。")),
        (
            ZH,
            Recall(
                facts=(fact("白细胞", "为", "14.2"),),
                exchanges=(Turn(number=1, question=COUNT[ZH], reply=""),),
            ),
        ),
    ],
)
def test_numbers_are_held_against_their_limits(language: Language, recall: Recall) -> None:
    found = known(recall, language)
    assert found.findings["raised-white-cells"] is True and "blood-count" in found.asked
    assert not found.findings.get("haemoglobin-low")


@pytest.mark.parametrize(
    ("language", "reply"),
    [(EN, "No, a blood count hasn't been done."), (ZH, "没有，血常规还没做过。")],
)
def test_a_test_that_was_not_made_shows_nothing(language: Language, reply: str) -> None:
    found = known(asked(COUNT[language], reply), language)
    assert found.findings == {} and found.asked == {"blood-count"}


@pytest.mark.parametrize("language", Language)
def test_what_was_asked_in_vain_is_not_asked_again(language: Language) -> None:
    found = known(asked(FEVER[language], ""), language)
    assert found.findings == {} and found.asked == {"fever"}


@pytest.mark.parametrize(
    ("language", "mother", "cough"), [(EN, "mother", "a cough"), (ZH, "母亲", "咳嗽")]
)
def test_what_a_relative_has_is_not_the_patients(
    language: Language, mother: str, cough: str
) -> None:
    assert "cough" not in known(Recall(facts=(fact(mother, "has", cough),)), language).findings
