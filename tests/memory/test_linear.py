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


def test_with_little_room_a_turn_is_one_line_and_what_was_asked_lends_its_words() -> None:
    moved = [fact(5, 4, "pain", "began", "at the navel"), fact(6, 4, "pain", "is", "now lower right")]
    told = tell([FEVER, COUGH, STONE, WALL, *moved], topic, EN, 60)
    assert told.text.splitlines() == [
        "#3: gallbladder shows a 15 mm stone. wall 6 mm [CT scan abdomen show]",
        "#5: began at the navel. now lower right [pain start suddenly side…]",
        "Denied #1 #2: fever chills; cough",
    ]


def test_with_little_room_a_result_keeps_its_name() -> None:
    results = [fact(11, 1, "TSH", "is", "low"), fact(12, 1, "free T4", "is", "46.2 high")]
    told = tell([*results, COUGH], lambda turn: "thyroid hormones TSH free T4" if turn == 1 else "cough", EN, 24)
    assert told.text.splitlines()[0] == "#11: TSH is low. free T4 46.2 high [thyroid hormones TSH free T4]"


@pytest.mark.parametrize(("language", "relation"), [(EN, "does not know"), (ZH, "不知道")])
def test_with_little_room_what_is_not_known_is_only_named(language: Language, relation: str) -> None:
    unknown = fact(1, 1, "patient", relation, "whether it was ever like this before", certainty=0.0)
    told = tell([unknown, STONE], lambda turn: "before" if turn == 1 else "scan", language, 22)
    assert told.kept == (STONE,) and told.dropped == ()
    assert told.text.splitlines()[-1] in {"Also asked: before", "还问过：before"}


def test_a_time_that_another_sentence_told_is_told_with_the_fact() -> None:
    dated = STONE.model_copy(update={"reported": "this morning"})
    assert "a 15 mm stone, this morning [" in tell([dated], topic, EN, 2000).text


@pytest.mark.parametrize(
    ("language", "subject", "relation", "objects", "line"),
    [
        (EN, "patient", "does not have", ("fever or chills", "cough"), "Denied #1 #2: fever or chills; cough"),
        (ZH, "患者", "没有", ("发烧", "咳嗽"), "否认#1 #2：发烧；咳嗽"),
    ],
)
def test_with_little_room_denials_are_one_line(
    language: Language, subject: str, relation: str, objects: tuple[str, str], line: str
) -> None:
    denials = [fact(place, place, subject, relation, what, negated=True) for place, what in enumerate(objects, 1)]
    told = tell(denials, lambda _: "", language, 14)
    assert told.text == line and len(told.kept) == 2


def test_with_little_room_a_report_is_told_whole_before_the_next_one() -> None:
    thyroid = [fact(1, 1, "TSH", "is", "high"), fact(2, 1, "free T4", "is", "low")]
    urine = [fact(3, 2, "urine nitrite", "is", "negative"), fact(4, 2, "urine protein", "is", "raised")]
    told = tell([thyroid[0], urine[0], thyroid[1], urine[1]], lambda _: "", EN, 10)
    assert list(told.kept) == thyroid


def test_with_little_room_what_is_there_comes_before_what_is_not() -> None:
    told = tell([COUGH, FEVER, STONE], topic, EN, 20)
    assert STONE in told.kept and len(told.kept) < 3


def test_a_question_without_a_fact_is_still_named() -> None:
    later = fact(2, 3, "gallbladder", "shows", "a 15 mm stone")
    assert tell([FEVER, later], topic, EN, 2000, silent=[2]).text.splitlines()[-1] == "Also asked: cough"
    short = tell([STONE.model_copy(update={"object": "stone " * 60}), FEVER], topic, EN, 30)
    assert short.dropped == (3,)
    assert short.text.splitlines()[-1] == "Also asked: CT scan abdomen show"


def test_what_treatment_hangs_on_is_kept_before_anything_else() -> None:
    allergy = fact(9, 4, "patient", "is allergic to", "penicillin")
    least = tokens(tell([allergy], topic, EN, 2000).text)
    kept = [tell([STONE, WALL, FEVER, allergy], topic, EN, budget).kept for budget in range(least, 80)]
    assert all(allergy in some for some in kept)
    assert (allergy,) in kept


def test_the_answer_of_each_turn_comes_before_what_else_was_said_in_it() -> None:
    aside = fact(4, 3, "patient", "feels", "tired of lying there for such a long time")
    told = tell([STONE, aside, FEVER, COUGH], topic, EN, 30)
    assert {FEVER, STONE} <= set(told.kept) and aside not in told.kept


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
    assert all(thought.object in told.text for thought in told.kept)
    assert set(told.dropped) == {one.turn for one in thoughts} - {one.turn for one in told.kept}
