"""Facts as lines of a prompt, with much room and with little."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.language import Language
from osler.language.words import words
from osler.memory.base import tokens
from osler.memory.tim.linear import tell
from osler.memory.tim.thought import Thought

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
        "#3: gallbladder: a 15 mm stone. wall 6 mm [CT scan abdomen show]",
        "#5: began at navel. now lower right [pain start suddenly…]",
        "Denied: fever chills; cough",
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
        (EN, "patient", "does not have", ("fever or chills", "cough"), "Denied: fever or chills; cough"),
        (ZH, "患者", "没有", ("发烧", "咳嗽"), "否认：发烧；咳嗽"),
    ],
)
def test_with_little_room_denials_are_one_line(
    language: Language, subject: str, relation: str, objects: tuple[str, str], line: str
) -> None:
    denials = [fact(place, place, subject, relation, what, negated=True) for place, what in enumerate(objects, 1)]
    told = tell(denials, lambda _: "", language, 14)
    assert told.text == line and len(told.kept) == 2


@pytest.mark.parametrize(
    ("language", "is_", "names", "line"),
    [
        (
            EN,
            "is",
            ("temperature", "pulse", "chest X-ray", "normal"),
            "Normal: temperature 36.9; pulse 72; chest X-ray",
        ),
        (ZH, "为", ("体温", "脉搏", "胸片", "正常"), "正常：体温36.9；脉搏72；胸片"),
    ],
)
def test_with_little_room_what_is_normal_is_one_line(
    language: Language, is_: str, names: tuple[str, str, str, str], line: str
) -> None:
    values = [fact(place, place, names[place - 1], is_, value) for place, value in ((1, "36.9"), (2, "72"))]
    clear = fact(3, 3, names[2], is_, names[3])
    told = tell([*values, clear], lambda _: "", language, tokens(line))
    assert told.text == line and told.kept == (*values, clear)


def test_with_little_room_what_is_out_of_order_comes_before_what_is_normal() -> None:
    counts = [fact(1, 1, "white cells", "is", "6.9"), fact(2, 1, "platelets", "is", "236")]
    scan = fact(3, 2, "leg scan", "shows", "a vein behind the knee that can not be pressed flat")
    told = tell([*counts, scan], lambda turn: "blood count" if turn == 1 else "leg scan", EN, 22)
    assert told.kept == (scan,)


@pytest.mark.parametrize(
    ("language", "is_", "name", "usual", "unusual", "line"),
    [
        (EN, "is", "heart rate", "within normal range", "within normal limits, irregular", "Normal: heart rate"),
        (EN, "shows", "temperature", "normothermic", "normothermic at rest, hot after a fit", "Normal: temperature"),
        (ZH, "为", "心率", "在正常范围内", "在正常范围内，偶有早搏", "正常：心率"),
    ],
)
def test_what_lies_within_the_normal_range_is_normal_and_what_is_said_beside_it_is_not(
    language: Language, is_: str, name: str, usual: str, unusual: str, line: str
) -> None:
    scan = fact(2, 2, "MRI", "shows" if language is EN else "显示", "lesions" if language is EN else "病灶")
    for value, is_normal in ((usual, True), (unusual, False)):
        told = tell([fact(1, 1, name, is_, value), scan], lambda _: "", language, 18)
        assert (line in told.text) is is_normal, told.text


def test_with_little_room_a_number_keeps_the_verb_that_says_which_way_it_goes() -> None:
    lost = fact(1, 1, "patient", "has lost", "3 kg in 6 weeks")
    told = tell([lost], lambda _: "lost weight without trying", EN, 15)
    assert told.text == "#1: has lost 3 kg in 6 weeks [lost weight without trying]"


def test_with_little_room_what_is_said_beside_two_answers_is_told_once() -> None:
    ache = [
        fact(place, turn, about, "is", "a dull ache low down") for place, turn, about in ((5, 1, "it"), (6, 2, "that"))
    ]
    told = tell([FEVER, ache[0], COUGH, ache[1]], topic, EN, 25)
    assert told.text.count("dull ache") == 1


def test_with_little_room_a_report_is_told_whole_before_the_next_one() -> None:
    thyroid = [fact(1, 1, "TSH", "is", "high"), fact(2, 1, "free T4", "is", "low")]
    urine = [fact(3, 2, "urine nitrite", "is", "negative"), fact(4, 2, "urine protein", "is", "raised")]
    told = tell([thyroid[0], urine[0], thyroid[1], urine[1]], lambda _: "", EN, 10)
    assert list(told.kept) == thyroid


def test_with_little_room_what_is_there_comes_before_what_is_not() -> None:
    told = tell([COUGH, FEVER, STONE], topic, EN, 20)
    assert STONE in told.kept and len(told.kept) < 3


@pytest.mark.parametrize(
    ("language", "asked", "no", "rest", "line"),
    [
        (
            EN,
            "ringing ears",
            ("patient", "does not have", "ringing in ears"),
            "is as before",
            "#2: no. hearing is as before",
        ),
        (ZH, "耳鸣", ("患者", "没有", "耳鸣"), "跟以前一样", "#2：没有。听力跟以前一样"),
    ],
)
def test_with_little_room_the_rest_of_an_answer_does_not_lose_its_no(
    language: Language, asked: str, no: tuple[str, str, str], rest: str, line: str
) -> None:
    denial = fact(1, 1, *no, negated=True)
    hearing = fact(2, 1, "hearing" if language is EN else "听力", rest, "")
    other = fact(3, 2, *no[:2], "x" * 200, negated=True)
    told = tell([hearing, denial, other], lambda turn: asked if turn == 1 else "", language, 20)
    assert told.text.startswith(line) and told.text.count(asked) == 1
    assert told.kept == (denial, hearing)


def test_with_little_room_the_same_words_are_told_once_with_both_questions() -> None:
    twice = [fact(place, place, "patient", "says", "it comes and goes since Monday") for place in (1, 2)]
    told = tell([*twice, STONE], topic, EN, 32)
    assert told.text.splitlines()[0] == "#1: it comes and goes since Monday [fever chills; cough]"
    assert told.kept == (*twice, STONE)


def test_with_little_room_a_no_is_said_of_its_own_question_only() -> None:
    same = [fact(place, turn, "patient", "says", "only at night") for place, turn in ((3, 1), (4, 2))]
    told = tell([FEVER, *same], topic, EN, 22)
    assert told.text.splitlines() == ["#3: no. only at night [fever chills]", "#4: only at night [cough]"]


@pytest.mark.parametrize(
    ("language", "subject", "relation", "object_"),
    [
        (EN, "colonoscopy", "has not been", "done"),
        (EN, "nobody", "has scanned", "his abdomen"),
        (ZH, "腹部CT", "显示", "他还没做过CT"),
        (ZH, "患者", "没有", "做过核磁"),
    ],
)
def test_with_little_room_a_test_that_was_not_made_is_only_named(
    language: Language, subject: str, relation: str, object_: str
) -> None:
    undone = fact(1, 1, subject, relation, object_, negated=True)
    told = tell([undone, STONE], lambda turn: "scan" if turn == 1 else "", language, 15)
    assert told.kept == (STONE,) and told.dropped == () and told.text.endswith("scan")


@pytest.mark.parametrize(
    ("language", "subject", "relation", "object_"),
    [(EN, "warfarin tablets", "have not been", "taken since Monday"), (ZH, "患者", "没有", "做过手术")],
)
def test_what_was_not_done_and_is_no_test_is_told(
    language: Language, subject: str, relation: str, object_: str
) -> None:
    answer = fact(1, 1, subject, relation, object_, negated=True)
    assert answer in tell([answer, STONE.model_copy(update={"object": "s" * 200})], topic, language, 20).kept


def test_with_little_room_a_value_comes_before_talk_and_keeps_its_name_among_others() -> None:
    talk = fact(5, 1, "patient", "feels", "rather poorly and stays in bed most of the day")
    values = [fact(6, 2, "D-dimer", "is", "7.6"), fact(7, 2, "platelets", "is", "236")]
    told = tell([talk, *values], lambda turn: "D-dimer blood test" if turn == 2 else "feel", EN, 18)
    assert told.text.splitlines()[0] == "#6: D-dimer 7.6. platelets 236 [D-dimer blood test]"
    assert talk not in told.kept


def test_with_little_room_an_aside_is_not_told_without_its_answer() -> None:
    rash = fact(5, 1, "patient", "came", "out in red patches of all shapes on the body and in the groin on day four")
    rough = fact(6, 1, "skin", "is not", "rough", negated=True)
    told = tell([rash, rough, COUGH], lambda turn: "rash" if turn == 1 else "cough", EN, 16)
    assert told.kept == (COUGH,) and told.dropped == (1,)


def test_questions_without_a_fact_take_all_the_room_that_facts_leave() -> None:
    asked = {turn: f"question number {turn}" for turn in (2, *range(4, 9))}
    silent = [2, *range(4, 9)]
    full = tell([STONE], lambda turn: asked.get(turn, ""), EN, 2000, silent).text
    short = tell([STONE], lambda turn: asked.get(turn, ""), EN, tokens(full) - 1, silent).text
    assert short != full and all(asked[turn] in short for turn in silent)


def test_a_question_without_a_fact_is_still_named() -> None:
    later = fact(2, 3, "gallbladder", "shows", "a 15 mm stone")
    assert tell([FEVER, later], topic, EN, 2000, silent=[2]).text.splitlines()[-1] == "Also asked: cough"
    short = tell([STONE.model_copy(update={"object": "stone " * 60}), FEVER], topic, EN, 30)
    assert short.dropped == (3,)
    assert short.text.splitlines()[-1] == "Also asked: CT scan abdomen show"


def test_what_treatment_hangs_on_is_kept_before_anything_else() -> None:
    allergy = fact(9, 4, "patient", "is allergic to", "penicillin")
    least = tokens(tell([allergy], topic, EN, 14).text)
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
