"""What is measured: places in a ranking, words of answers, facts that change, leaks."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import pytest

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter
from osler.bench.facts import borrowed_questions, fact_changes, planted_facts, single_facts
from osler.bench.figures import bench_figures, hit, recall_at
from osler.bench.person import BenchSettings, PersonBench
from osler.bench.results import AskedResult, PersonResult
from osler.bench.scoring import holds
from osler.bench.table import bench_table
from osler.eval.reader.memory_answers import Agreement, AnswerForm, Says
from osler.language import Language
from osler.memory.base import Change, Query, Recall, Turn
from osler.memory.raw import RawMemory
from osler.simulator.clients import Clients

EN, ZH = Language.EN, Language.ZH


def case_of(
    person: str, *said: str, language: Language = EN, questions: tuple[BenchQuestion, ...] = ()
) -> BenchCase:
    writer = TurnWriter()
    for text in said:
        writer.session([Message(person, text), Message("bot", "I see.")])
    return BenchCase(
        person, "small", language, tuple(writer.turns), questions, tuple(writer.sessions)
    )


ANN = case_of(
    "Ann",
    "My parrot is called Figaro and it sings at night.",
    "I bought a lamp for 35 euros.",
    "Yesterday it rained all day long.",
    "My sister moved to Graz last year.",
    questions=(
        BenchQuestion("What is my parrot called?", "Figaro", turns=frozenset({1})),
        BenchQuestion("What did the lamp cost?", "35 euros", turns=frozenset({2})),
        BenchQuestion(
            "Where did my sister move to?", "Graz", turns=frozenset({4}), relation="place"
        ),
    ),
)
BEN = case_of(
    "Ben",
    "I work as a baker in Bruges near the canal.",
    "My boat has a green sail and no engine.",
    questions=(
        BenchQuestion("Where do I work?", "Bruges", turns=frozenset({1}), relation="place"),
        BenchQuestion("Which colour has my sail?", "a green sail", turns=frozenset({2})),
    ),
)


async def measured(spec: str, case: BenchCase, *others: BenchCase, **settings: Any) -> PersonResult:
    clients = Clients()
    try:
        return await PersonBench(
            spec, case, [case, *others], BenchSettings(**settings), clients
        ).run()
    finally:
        await clients.close()


def test_hits_and_recall_count_gold_turns_among_the_first_k() -> None:
    asked = AskedResult(text="", kind=QuestionKind.MULTI, places=(3, None))
    assert [hit(asked, k) for k in (1, 3)] == [0.0, 1.0]
    assert [recall_at(asked, k) for k in (1, 3)] == [0.0, 0.5]
    assert hit(AskedResult(text="", kind=QuestionKind.SINGLE), 5) is None


@pytest.mark.parametrize(
    ("text", "value", "there"),
    [
        ("It opens 9：30 - 16:00.", "9:30-16:00", True),
        ("in 1983 Kilos", "83 kilos", False),
        ("15 mg, then 5 mg", "5 mg", True),
        ("15 mg", "5 mg", False),
        ("电话是010-62793001。", "010-62793001", True),
        ("anything", "", False),
    ],
)
def test_a_value_is_found_whatever_its_marks_and_never_inside_a_number(
    text: str, value: str, there: bool
) -> None:
    assert holds(text, value) is there


@pytest.mark.parametrize(
    ("says", "agrees", "right"),
    [
        (Says.TELLS, Agreement.ALL, 1.0),
        (Says.DENIES, Agreement.ALL, 1.0),
        (Says.TELLS, Agreement.PART, 0.5),
        (Says.TELLS, Agreement.OUTDATED, 0.0),
        (Says.TELLS, Agreement.NONE, 0.0),
        (Says.NOT_KNOWN, Agreement.ALL, 0.0),
        (Says.NOTHING, Agreement.ALL, 0.0),
    ],
)
def test_an_answer_is_worth_what_a_reader_finds(
    says: Says, agrees: Agreement, right: float
) -> None:
    form = AnswerForm(words="x", says=says, agrees=agrees)
    assert AskedResult(text="", kind=QuestionKind.SINGLE, answer="x", form=form).correct == right
    assert AskedResult(text="", kind=QuestionKind.SINGLE, answer="x").correct is None


def test_a_fact_can_be_changed_if_only_its_gold_turns_say_it() -> None:
    assert [fact.wanted[0] for fact in single_facts(ANN)] == ["Figaro", "35 euros", "Graz"]
    twice = case_of(
        "Ann",
        "I like Graz.",
        "I was in Graz.",
        questions=(BenchQuestion("Where?", "Graz", turns=frozenset({1})),),
    )
    assert not single_facts(twice)


def test_a_new_value_comes_from_the_same_relation_or_other_digits() -> None:
    changes = {change.old: change.new for change in fact_changes(ANN, [ANN, BEN], seed=0)}
    assert changes == {"Graz": "Bruges", "35 euros": "46 euros"}


def test_planted_facts_are_said_by_the_person_in_both_languages() -> None:
    for case in (ANN, case_of("安", "我养鹦鹉。", language=ZH)):
        for change in planted_facts(case):
            assert change.statement is not None and change.statement.said_by == case.person
            assert holds(change.statement.reply, change.old) and not holds(
                change.statement.reply, change.new
            )
            assert holds(change.correction.reply, change.new) and not holds(
                change.correction.reply, change.old
            )


def test_questions_of_another_person_are_unanswerable_unless_this_one_said_it_too() -> None:
    assert [one.text for one in borrowed_questions(ANN, BEN)] == [
        "Where do I work?",
        "Which colour has my sail?",
    ]
    knows = case_of("Cy", "I was in Bruges.", "I have a green sail.", "He saw a green sail.")
    assert not borrowed_questions(knows, BEN)


async def test_raw_finds_everything_and_keeps_the_old_value_of_an_update() -> None:
    result = await measured("raw", ANN, BEN)
    answerable = [one for one in result.asked if one.kind is not QuestionKind.UNANSWERABLE]
    assert [one.places for one in answerable] == [(1,), (1,), (1,)]
    assert all(one.recalled == 1.0 and one.correct is None for one in answerable)
    assert len(result.asked) == 5 and not any(one.refused for one in result.asked)
    assert all(fact.new_recalled and not fact.old_gone for fact in result.updates)
    assert result.deletions and all(fact.old_gone for fact in result.deletions)
    assert {stage.percent for stage in result.fullness} == {25, 50, 75, 100} and all(
        one.hit for one in result.fullness
    )
    assert result.leaks == (False, False)


async def test_none_recalls_nothing_and_refuses_everything() -> None:
    result = await measured("none", ANN, BEN)
    assert all(
        one.refused and not one.tokens and one.places == (None,) * len(one.places)
        for one in result.asked
    )
    assert result.deletions is None and all(
        fact.old_gone and not fact.new_recalled for fact in result.updates
    )


async def test_tim_without_a_model_tells_a_corrected_dose_beside_the_old_one() -> None:
    result = await measured("tim", ANN, BEN)
    [dose] = [fact for fact in result.updates if "ramipril" in fact.text]
    assert dose.is_planted and dose.new_recalled and not dose.old_gone


async def test_a_small_budget_costs_raw_what_was_said_first() -> None:
    long = case_of(
        "Ann",
        *(turn.question for turn in ANN.turns),
        *["Nothing new today, only rain and wind."] * 20,
    )
    asked = BenchCase("Ann", "small", EN, long.turns, ANN.questions)
    result = await measured("raw", asked, budget=100)
    assert all(one.recalled == 0.0 and one.places == (1,) for one in result.asked[:3])
    assert result.leaks == ()


class Gossip(RawMemory):
    """Every memory of this kind recalls the turns of all others, too."""

    heard: ClassVar[list[Turn]] = []

    async def remember(self, turn: Turn) -> Change:
        self.heard.append(turn)
        return await super().remember(turn)

    async def recall(self, query: Query) -> Recall:
        return Recall(text="\n".join(f"{turn.question}\n{turn.reply}" for turn in self.heard))


async def test_a_text_without_turns_is_not_measured_by_them() -> None:
    Gossip.heard.clear()
    asked = (await measured(f"{__name__}:Gossip", ANN)).asked
    assert all(one.recalled is None for one in asked)


async def test_a_memory_that_tells_of_another_person_is_found_out() -> None:
    for spec, leaks in ((f"{__name__}:Gossip", (True, True)), ("raw", (False, False))):
        assert (await measured(spec, ANN, BEN)).leaks == leaks


async def test_a_question_of_an_earlier_moment_is_asked_then() -> None:
    early = BenchQuestion(
        "Where did my sister move to?", "Graz", turns=frozenset({4}), asked_after=3
    )
    case = BenchCase("Ann", "small", EN, ANN.turns, (early,))
    [asked] = (await measured("raw", case)).asked
    assert asked.recalled == 0.0


def test_figures_have_intervals_over_people_and_leave_out_what_was_not_measured() -> None:
    def result(person: str, *places: int | None) -> PersonResult:
        asked = tuple(
            AskedResult(text=str(place), kind=QuestionKind.SINGLE, places=(place,))
            for place in places
        )
        return PersonResult(
            memory="raw", data="small", person=person, language=EN, turns=4, asked=asked
        )

    settings = {
        "model": None,
        "judge": None,
        "seed": 0,
        "budget": 300,
        "counts": {"small": {"left_out": 2}},
    }
    people = [result("Ann", 1, 2), result("Ben", None, 9), result("Cid", 2, None)]
    [found] = bench_figures(people, ["raw"], [1, 3], settings)
    figures = found.memories[0].figures
    assert figures["hit@3"].value == 0.5 and figures["hit@3"].n == 6
    low, high = figures["hit@3"].interval or (1, 0)
    assert 0 <= low < 0.2 and 0.8 < high <= 1, (
        "three people, of whom one hits nothing and one everything"
    )
    [of_two] = bench_figures(people[:2], ["raw"], [1, 3], settings)
    assert of_two.memories[0].figures["hit@3"].interval is None, "two people are too few for one"
    assert "correct" not in figures and "deletion: value gone" not in figures
    table = bench_table(found, [1, 3], settings)
    assert any(row[0] == "hit@3 %" and row[1].startswith("50.0 [") for row in table.rows)
    assert any("2 question(s)" in note for note in table.notes)


def test_a_sample_of_questions_keeps_their_order() -> None:
    kept = ANN.sampled(2, random.Random(1)).questions
    assert len(kept) == 2 and [ANN.questions.index(one) for one in kept] == sorted(
        ANN.questions.index(one) for one in kept
    )
