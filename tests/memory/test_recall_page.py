"""The text of a recall, with much room and with little: thoughts as lines, exchanges word for word,
questions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.language import Language, Speaker
from osler.memory.base import Purpose, Query, Turn, tokens
from osler.memory.core.fact import Fact, FactKind, FactStatus
from osler.memory.core.vectors import VectorIndex
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.page import Page
from osler.memory.tim.recall_page import Found, PageWriter
from osler.memory.tim.retrieve import Hit
from osler.memory.tim.thought_space import ThoughtSpace

EN, ZH = Language.EN, Language.ZH
LONG = "Well, it all began on the ferry, and I told my wife so at the time. " * 12
"""Too long to be told word for word in a small budget."""
TURNS = {
    1: Turn(number=1, question="Any fever or chills?", reply=LONG),
    2: Turn(number=2, question="Do you cough?", reply=LONG),
    3: Turn(number=3, question="And the CT scan of the abdomen?", reply=LONG),
}
ROOM = 190
"""Tokens that hold every line, and none of these turns."""


ALL = tuple(range(1, 21))
at = datetime.fromisoformat


def fact(object_: str, relation: str = "has", **more: object) -> Fact:
    return Fact.model_validate(
        {"subject": "patient", "relation": relation, "object": object_, **more}
    )


class Notes:
    """A memory's rooms, filled by hand."""

    def __init__(
        self,
        drafts: Sequence[tuple[int, Fact]],
        language: Language = EN,
        turns: Sequence[Turn] = (),
    ) -> None:
        self.bank = MemoryBank(language, VectorIndex(16))
        self.space = ThoughtSpace(language, VectorIndex(16))
        vector = np.ones(16, dtype=np.float32)
        for turn in turns or TURNS.values():
            self.bank.add(turn, vector)
        self.thoughts = [self.space.insert(draft, turn, vector, 0) for turn, draft in drafts]
        self._writer = PageWriter(language, Speaker.PATIENT, self.bank, self.space)

    def told(
        self, budget: int = ROOM, found: Sequence[Fact] | None = None, unread: Sequence[int] = ()
    ) -> Told:
        best = self.space.active if found is None else found
        return self._told(Query(""), best, unread, budget)

    def told_to_conclude(self, budget: int, last: int | None = None) -> Told:
        exchange = None if last is None else self.bank[last]
        query = Query("", exchange, Purpose.CONCLUSION)
        return self._told(query, self.space.active, (), budget)

    def _told(self, query: Query, best: Sequence[Fact], unread: Sequence[int], budget: int) -> Told:
        turns = [turn for fact in best for turn in fact.turns]
        found = Found([hit(fact.id) for fact in best], [hit(turn) for turn in turns], unread)
        page = self._writer.page(query, found, budget)
        return Told(page, page.turns_with_untold_facts(unread))


class Told:
    """A page, with what was left out of it."""

    def __init__(self, page: Page, dropped: tuple[int, ...]) -> None:
        self.text, self.kept = page.text, tuple(page.facts)
        self.whole, self.asked, self.dropped = tuple(page.whole), tuple(page.questions), dropped


def hit(number: int) -> Hit:
    return Hit(number, 1.0, 0.0, 0.0)


FEVER, CHILLS = (1, fact("fever", denied=True)), (1, fact("chills", denied=True))
COUGH = (2, fact("cough", reported="for three weeks"))
STONE, XRAY = (3, fact("a 15 mm stone", "CT scan abdomen:")), (3, fact("normal", "chest X-ray:"))
ALLERGY = (2, fact("allergic to penicillin", kind=FactKind.ALLERGY))


def test_a_fact_is_a_line_and_denials_and_normal_findings_are_one_line_each() -> None:
    notes = Notes([STONE, FEVER, COUGH, XRAY, CHILLS])
    told = notes.told()
    assert sorted(told.text.splitlines()) == [
        "Denied: fever; chills",
        "Fact #1: cough, for three weeks (turn 2)",
        "Fact #2: CT scan abdomen: a 15 mm stone (turn 3)",
        "Normal: chest X-ray",
    ]
    assert set(told.kept) == set(notes.thoughts) and told.dropped == () and told.whole == ()


def test_chinese_facts_are_chinese() -> None:
    cough, fever, film = (
        (number, fact(text, relation, subject="患者", denied=negated))
        for number, (text, relation, negated) in enumerate(
            (("咳嗽", "有", False), ("发烧", "有", True), ("正常", "胸片：", False)), 1
        )
    )
    told = Notes([cough, fever, film], ZH).told()
    assert told.text.splitlines() == ["事实#1：咳嗽（第1轮）", "否认：发烧", "正常：胸片"]


def test_whose_a_fact_is_is_told() -> None:
    mother = (1, fact("diabetes", subject="mother"))
    brother = (1, fact("diabetes", subject="brother", denied=True))
    assert Notes([mother, brother]).told().text.splitlines()[:2] == [
        "Fact #1: mother has diabetes (turn 1)",
        "Fact #2: brother does not have diabetes (turn 1)",
    ]


def test_a_denial_of_something_that_was_asked_for_keeps_what_it_is_about() -> None:
    fracture = (3, fact("fracture", "X-ray:", denied=True))
    assert Notes([fracture]).told().text.splitlines()[0] == "Fact #1: X-ray: no fracture (turn 3)"


def test_a_question_of_which_nothing_is_told_is_listed_in_full_or_not_at_all() -> None:
    told = Notes([FEVER]).told()
    assert (
        told.text.splitlines()[-1] == "Also asked: Do you cough?; And the CT scan of the abdomen?"
    )
    assert told.asked == (2, 3)
    texts = [Notes([FEVER]).told(budget) for budget in range(4, 40)]
    assert {one.asked for one in texts} == {(), (2,), (3,), (2, 3)}
    assert all(
        ("scan of the abdomen?" in one.text) == (3 in one.asked) == ("scan" in one.text)
        for one in texts
    )


def test_what_treatment_hangs_on_is_pinned_and_leaves_room_for_what_was_asked_for() -> None:
    notes = Notes([STONE, COUGH, FEVER, ALLERGY])
    stone, cough, fever, allergy = notes.thoughts
    medicines = [
        (2, fact(f"medicine number {id_}", kind=FactKind.MEDICINE)) for id_ in range(10, 40)
    ]
    many = Notes([STONE, FEVER, *medicines])
    for budget in range(20, 200, 15):
        assert notes.told(budget, [stone, cough, fever, allergy]).kept[0] == allergy
        asked = many.told(budget, [many.thoughts[1], *many.thoughts]).kept
        assert budget < 50 or (many.thoughts[1] in asked and many.thoughts[-1] in asked)
    assert set(notes.told(36, [cough, fever, stone]).kept) >= {cough, allergy}
    assert set(notes.told(36, [fever, stone, cough]).kept) >= {fever, allergy}


OLD, NOW = at("2022-03-01T09:00"), at("2024-02-01T09:00")
VISITS = [
    *(Turn(number=n, question="And how is work?", reply=LONG, at=OLD) for n in range(-6, 1)),
    *(Turn(number=n, question="Since when do you cough?", reply=LONG, at=NOW) for n in (1, 2)),
]
KINDS = (FactKind.ALLERGY, FactKind.MEDICINE, FactKind.PREGNANCY, FactKind.CONDITION)
PROTECTED = [f"{kind:_<9} {number}" for number in (-5, -6) for kind in KINDS]
"""In the order in which they are told; all of them are of the same length."""


def returning(language: Language) -> Notes:
    """Protected facts and small talk of an old visit, and findings of two turns today."""
    subject, wife = {EN: ("patient", "patient's wife"), ZH: ("患者", "患者的妻子")}[language]

    def thought(text: str, **more: object) -> Fact:
        return fact(text, "-", subject=subject, is_by_model=True, **more)

    old = [
        (number, thought(f"{kind:_<9} {number}", kind=kind))
        for kind in KINDS
        for number in (-6, -5)
    ]
    hers = (-4, thought("hers", kind=FactKind.MEDICINE).model_copy(update={"subject": wife}))
    guess = (-3, thought("guess", kind=FactKind.ALLERGY, inferred=True))
    talk = [(0, thought(f"small talk {number}")) for number in range(9)]
    today = [(1, thought("earlier finding")), (2, thought("last finding"))]
    doctors = (2, thought("gout").model_copy(update={"is_doctors": True, "inferred": True}))
    return Notes([*old, hers, guess, *talk, *today, doctors], language, VISITS)


@pytest.mark.parametrize("language", [EN, ZH])
def test_a_conclusion_is_told_first_what_treatment_depends_on_then_what_was_found_today(
    language: Language,
) -> None:
    notes = returning(language)
    told = [one.object for one in notes.told_to_conclude(400, last=2).kept]
    by_kind = [f"{kind:_<9} {number}" for kind in KINDS for number in (-6, -5)]
    assert told[:9] == [*by_kind[:2], "guess", *by_kind[2:]]
    assert told[9:11] == ["hers", "small talk 0"] and told[-2:] == ["earlier finding", "gout"]
    little = [one.object for one in notes.told_to_conclude(180, last=2).kept]
    assert set(PROTECTED) < {*little} and "earlier finding" in little
    whole = notes.told_to_conclude(400)
    assert [one.object for one in whole.kept][-3:-1] == ["earlier finding", "last finding"]
    assert whole.text.splitlines()[-1].endswith("gout") and "#" not in whole.text.splitlines()[-1]


@pytest.mark.parametrize("language", [EN, ZH])
def test_in_a_budget_too_small_no_kind_of_what_treatment_depends_on_crowds_out_another(
    language: Language,
) -> None:
    notes = returning(language)
    for budget in range(10, 150):
        told = {one.object for one in notes.told_to_conclude(budget, last=2).kept}
        pinned = told & {*PROTECTED}
        assert pinned == {*PROTECTED[: len(pinned)]}
    assert len(pinned) == 8


@pytest.mark.parametrize("language", [EN, ZH])
def test_no_turn_of_an_earlier_visit_is_told_by_its_number(language: Language) -> None:
    turn = {EN: "(turn", ZH: "（第"}[language]
    before = Notes(
        [(number, fact(f"thing {-number}")) for number in range(-6, 1)], language, VISITS[:7]
    )
    for told in (before.told(), before.told_to_conclude(ROOM)):
        assert turn not in told.text and "2022-03-01" in told.text and not told.asked
    undated = Notes([(0, fact("cough"))], language, [Turn(number=0, question="?", reply=LONG)])
    assert undated.told().text in ("Fact #1: cough", "事实#1：has cough")


@pytest.mark.parametrize("language", [EN, ZH])
def test_a_date_that_a_thought_names_is_not_told_twice(language: Language) -> None:
    dated = fact("cough", "has", is_by_model=True, reported="2022-03-01")
    assert Notes([(0, dated)], language, VISITS[:7]).told().text.count("2022-03-01") == 1


def test_what_is_not_known_comes_last() -> None:
    unknown = (1, fact("alcohol", "gave no information about", is_by_model=True))
    others = [(2, fact(f"complaint {number}", is_by_model=True)) for number in range(20)]
    notes = Notes([unknown, *others])
    assert notes.thoughts[0] not in notes.told(100).kept
    assert notes.thoughts[0] in notes.told(1000).kept


def test_with_room_left_exchanges_are_told_word_for_word_and_need_no_other_line() -> None:
    turns = [
        Turn(number=n, question="What troubles you?", reply=f"Spot {n}, it is odd. Rain, too.")
        for n in ALL
    ]
    notes = Notes([(n, fact(f"spot {n}, " + "odd " * 40)) for n in ALL], turns=turns)
    told = notes.told(2000)
    assert told.whole == ALL and set(told.kept) < set(notes.thoughts) and told.dropped == ()
    assert all(turn.reply in told.text for turn in turns)
    assert (
        told.text.index(turns[0].reply)
        < told.text.index(turns[1].reply)
        < told.text.index(turns[2].reply)
    )


def test_an_exchange_that_was_corrected_is_not_told_word_for_word() -> None:
    turns = [
        Turn(number=n, question="Which knee?", reply=f"The {side} knee.")
        for n, side in ((1, "left"), (2, "right"))
    ]
    notes = Notes([(1, fact("left knee")), (2, fact("right knee"))], turns=turns)
    notes.space.retire(1, FactStatus.SUPERSEDED, "corrected", 2)
    told = notes.told(2000)
    assert told.whole == (2,) and "left" not in told.text


def test_a_turn_that_no_model_could_read_is_told_word_for_word() -> None:
    turns = [
        Turn(number=n, question="And then?", reply=f"Then came number {n}.") for n in range(1, 9)
    ]
    notes = Notes([(n, fact(f"number {n}")) for n in range(1, 8)], turns=turns)
    assert 8 in notes.told(100, unread=[8]).whole
    assert 8 in notes.told(12, unread=[8]).dropped


@pytest.mark.parametrize(("language", "now"), [(EN, "(turn 1"), (ZH, "（第1轮")])
def test_what_was_said_on_another_day_is_told_with_its_date(language: Language, now: str) -> None:
    days = {-1: at("2023-11-20T09:00"), 0: at("2023-11-20T09:01"), 1: at("2024-02-01T09:00")}
    turns = [
        Turn(number=number, question="?", reply=f"it was {number}, " + "and rain " * 12, at=when)
        for number, when in days.items()
    ]
    subject = {EN: "patient", ZH: "患者"}[language]
    notes = Notes(
        [(number, fact(f"thing {number}", subject=subject)) for number in days], language, turns
    )
    few = notes.told(60).text
    day = {EN: "(2023-11-20)", ZH: "（2023-11-20）"}[language]
    assert day in few and now in few
    whole = notes.told(2000).text
    assert whole.count("it was") == 3 and "-1" not in whole.replace("thing -1", "").replace(
        "it was -1", ""
    ).replace("2023-11", "").replace("2024-02", "")
    assert sum(line.strip(":：").endswith("2023-11-20") for line in whole.splitlines()) == 1


@pytest.mark.parametrize("language", [EN, ZH])
@settings(deadline=None)
@given(
    said=st.lists(
        st.tuples(
            st.integers(1, 4),
            st.sampled_from(["fever", "咳嗽", "normal", "stone 6 mm"]),
            st.booleans(),
            st.booleans(),
        ),
        max_size=12,
    ),
    budget=st.integers(1, 300),
)
def test_the_budget_is_never_overrun_and_every_fact_is_told_whole_or_not_at_all(
    language: Language, said: list[tuple[int, str, bool, bool]], budget: int
) -> None:
    turns = [
        Turn(number=n, question="?", reply="fever 咳嗽 stone 6 mm", at=at(f"2024-01-0{n}T09:00"))
        for n in range(1, 5)
    ]
    drafts = [
        (turn, fact(what, "scan:" if named else "has", denied=negated))
        for turn, what, negated, named in said
    ]
    notes = Notes(drafts, language, turns)
    told = notes.told(budget)
    assert tokens(told.text) <= budget
    left_out = [
        one for one in notes.thoughts if one not in told.kept and one.turn not in told.whole
    ]
    assert set(told.dropped) == {one.turn for one in left_out}
    assert all(one.object in told.text or one.object == "normal" for one in told.kept)
