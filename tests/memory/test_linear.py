"""Facts as lines of a prompt, with much room and with little."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.memory.base import tokens
from osler.memory.tim.linear import tell
from osler.memory.tim.thought import Thought
from osler.records.language import Language
from osler.words import words

EN, ZH = Language.EN, Language.ZH
words("热身", ZH)  # The segmenter loads once, outside of any test's time.

ASKED = {1: "fever chills", 2: "cough", 3: "CT scan abdomen show", 4: "pain start suddenly side lower abdomen exercise"}


def topic(turn: int) -> str:
    return ASKED.get(turn, "")


def fact(id_: int, turn: int, subject: str, relation: str, object_: str, **more: bool | float) -> Thought:
    return Thought.model_validate(
        {"id": id_, "turn": turn, "subject": subject, "relation": relation, "object": object_, **more}
    )


FEVER = fact(1, 1, "patient", "does not have", "fever or chills", negated=True)
COUGH = fact(2, 2, "patient", "does not have", "cough", negated=True)
STONE = fact(3, 3, "gallbladder", "shows", "a 15 mm stone")
WALL = fact(4, 3, "wall", "is", "6 mm")


def test_what_was_asked_stands_once_where_the_fact_does_not_show_it() -> None:
    told = tell([FEVER, STONE, WALL], topic, EN, 2000)
    assert told.text.splitlines() == [
        "Fact #1: patient does not have fever or chills (turn 1)",
        "Fact #3: gallbladder shows a 15 mm stone [CT scan abdomen show] (turn 3)",
        "Fact #4: wall is 6 mm (turn 3)",
    ]
    assert told.dropped == ()


def test_with_little_room_facts_with_one_head_share_a_line() -> None:
    told = tell([FEVER, COUGH, STONE, WALL], topic, EN, 44)
    assert "Fact #1, #2: patient does not have: fever or chills; cough (turn 1, 2)" in told.text.splitlines()


def test_a_question_without_a_fact_is_still_named() -> None:
    later = fact(2, 3, "gallbladder", "shows", "a 15 mm stone")
    assert tell([FEVER, later], topic, EN, 2000).text.splitlines()[-1] == "Also asked: cough"
    short = tell([STONE.model_copy(update={"object": "stone " * 60}), FEVER], topic, EN, 30)
    assert short.dropped == (3,)
    assert short.text.splitlines()[-1] == "Also asked: CT scan abdomen show"


def test_a_turn_is_not_called_silent_when_its_thoughts_were_merely_not_recalled() -> None:
    assert "Also asked" not in tell([FEVER, WALL], topic, EN, 2000).text


def test_what_treatment_hangs_on_is_kept_before_anything_else() -> None:
    allergy = fact(9, 4, "patient", "is allergic to", "penicillin")
    least = tokens(tell([allergy], topic, EN, 2000).text)
    kept = [tell([STONE, WALL, FEVER, allergy], topic, EN, budget).kept for budget in range(least, 80)]
    assert all(allergy in some for some in kept)
    assert (allergy,) in kept


def test_the_answer_of_each_turn_comes_before_what_else_was_said_in_it() -> None:
    told = tell([STONE, WALL, FEVER, COUGH], topic, EN, 38)
    assert {FEVER, STONE} <= set(told.kept) and WALL not in told.kept


@pytest.mark.parametrize("language", [EN, ZH])
@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["fever", "咳嗽", "cough", "stone 6 mm"])), max_size=12),
    st.integers(40, 200),
)
def test_the_budget_is_never_overrun_and_every_kept_fact_is_told(
    language: Language, said: list[tuple[int, str]], budget: int
) -> None:
    thoughts = [fact(place, turn, "patient", "has", what) for place, (turn, what) in enumerate(sorted(said), 1)]
    told = tell(thoughts, topic, language, budget)
    assert tokens(told.text) <= budget
    assert all(f"#{thought.id}" in told.text for thought in told.kept)
    assert set(told.dropped) == {one.turn for one in thoughts} - {one.turn for one in told.kept}
