"""Thoughts as lines of a prompt, with much room and with little."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.language import Language
from osler.memory.base import tokens
from osler.memory.tim.fact_lines import tell
from osler.memory.tim.thought import Thought, ThoughtKind

EN, ZH = Language.EN, Language.ZH
ASKED = {1: "fever chills", 2: "cough", 3: "CT scan abdomen"}


def topic(turn: int) -> str:
    return ASKED.get(turn, "")


def fact(id_: int, turn: int, object_: str, relation: str = "has", **more: object) -> Thought:
    return Thought.model_validate(
        {"id": id_, "turn": turn, "subject": "patient", "relation": relation, "object": object_, **more}
    )


FEVER = fact(1, 1, "fever", negated=True)
CHILLS = fact(2, 1, "chills", negated=True)
COUGH = fact(3, 2, "cough", reported="for three weeks")
STONE = fact(4, 3, "a 15 mm stone", "CT scan abdomen:")
XRAY = fact(5, 3, "normal", "chest X-ray:")
ALLERGY = fact(6, 2, "allergic to penicillin", kind=ThoughtKind.ALLERGY)


def test_a_fact_is_a_line_and_denials_and_normal_findings_are_one_line_each() -> None:
    told = tell([STONE, FEVER, COUGH, XRAY, CHILLS], topic, EN, 2000)
    assert told.text.splitlines() == [
        "Fact #4: CT scan abdomen: a 15 mm stone (turn 3)",
        "Fact #3: cough, for three weeks (turn 2)",
        "Denied: fever; chills",
        "Normal: chest X-ray",
    ]
    assert told.kept == (STONE, COUGH, FEVER, CHILLS, XRAY) and told.dropped == ()


def test_chinese_facts_are_chinese() -> None:
    cough, fever, film = (
        fact(number, number, text, relation, subject="患者", negated=negated)
        for number, (text, relation, negated) in enumerate(
            (("咳嗽", "有", False), ("发烧", "有", True), ("正常", "胸片：", False)), 1
        )
    )
    told = tell([cough, fever, film], topic, ZH, 2000)
    assert told.text.splitlines() == ["事实#1：咳嗽（第1轮）", "否认：发烧", "正常：胸片"]


def test_whose_a_fact_is_is_told() -> None:
    mother = fact(1, 1, "diabetes", subject="mother")
    brother = fact(2, 1, "diabetes", subject="brother", negated=True)
    assert tell([mother, brother], topic, EN, 2000).text.splitlines() == [
        "Fact #1: mother has diabetes (turn 1)",
        "Fact #2: brother does not have diabetes (turn 1)",
    ]


def test_a_denial_of_something_that_was_asked_for_keeps_what_it_is_about() -> None:
    fracture = fact(1, 3, "fracture", "X-ray:", negated=True)
    assert tell([fracture], topic, EN, 2000).text == "Fact #1: X-ray: no fracture (turn 3)"


def test_a_question_of_which_nothing_is_told_is_named() -> None:
    told = tell([FEVER], topic, EN, 2000, silent=[2, 3])
    assert told.text.splitlines()[-1] == "Also asked: cough; CT scan abdomen"
    assert told.asked == (2, 3)


def test_what_treatment_hangs_on_is_told_first_and_kept_longest() -> None:
    everything = [STONE, COUGH, FEVER, ALLERGY]
    assert tell(everything, topic, EN, 2000).kept[0] == ALLERGY
    assert tell(everything, topic, EN, tokens("Fact #6: allergic to penicillin (turn 2)") + 1).kept == (ALLERGY,)


def test_many_medicines_leave_room_for_what_was_asked_for() -> None:
    medicines = [fact(id_, id_, f"medicine number {id_}", kind=ThoughtKind.MEDICINE) for id_ in range(10, 40)]
    assert STONE in tell([STONE, *medicines], topic, EN, 150).kept


def test_with_little_room_what_comes_first_is_told_and_the_turns_of_the_rest_are_named() -> None:
    told = tell([STONE, COUGH, FEVER], topic, EN, 18)
    assert told.kept == (STONE,) and told.dropped == (1, 2)


@pytest.mark.parametrize("language", [EN, ZH])
@settings(deadline=None)
@given(
    said=st.lists(
        st.tuples(
            st.integers(1, 4), st.sampled_from(["fever", "咳嗽", "normal", "stone 6 mm"]), st.booleans(), st.booleans()
        ),
        max_size=12,
    ),
    budget=st.integers(1, 200),
)
def test_the_budget_is_never_overrun_and_every_fact_is_told_whole_or_not_at_all(
    language: Language, said: list[tuple[int, str, bool, bool]], budget: int
) -> None:
    thoughts = [
        fact(place, turn, what, "scan:" if named else "has", negated=negated)
        for place, (turn, what, negated, named) in enumerate(said, 1)
    ]
    told = tell(thoughts, topic, language, budget, silent=[9])
    assert tokens(told.text) <= budget
    left_out = [one for one in thoughts if one not in told.kept]
    assert set(told.dropped) == {one.turn for one in left_out}
    assert all(one.object in told.text or one.object == "normal" for one in told.kept)
