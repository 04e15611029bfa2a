"""What every built-in memory keeps to, in both languages and without a model."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osler import MemoryStore
from osler.language import Language
from osler.memory import Memory, MemorySettings, Recall, Turn, memory_factory
from osler.memory.base import Purpose, Query, tokens
from osler.memory.core.items import AppendingMemory, ItemisedMemory, TurnRanking, named_turns
from osler.memory.registry import BUILT_IN
from osler.ranking import disturbed

NAMES = list(BUILT_IN)
KEEPING = [name for name in NAMES if name != "none"]
START = datetime.fromisoformat("2026-01-05T09:00")
SAID = {
    Language.EN: [
        ("Any allergies?", "I am allergic to penicillin, it gave me hives."),
        ("Which medicines do you take?", "Metformin 500 mg twice a day."),
        ("Does your mother have any illness?", "My mother had a stroke at 62."),
        ("Any fever?", "No fever."),
        ("Do you smoke?", "I smoked, but I quit in 2019."),
    ],
    Language.ZH: [
        ("有过敏史吗？", "我对青霉素过敏，吃了起荨麻疹。"),
        ("平时吃什么药？", "二甲双胍500毫克，一天两次。"),
        ("您母亲有什么病吗？", "我母亲62岁时得过中风。"),
        ("发烧吗？", "没有发烧。"),
        ("抽烟吗？", "以前抽，2019年戒了。"),
    ],
}
WORD = {Language.EN: "penicillin", Language.ZH: "青霉素"}
FILLER = {
    Language.EN: ("How is your garden?", "The roses of row {} are fine."),
    Language.ZH: ("花园怎么样？", "第{}排的玫瑰很好。"),
}

by_name = pytest.mark.parametrize("name", NAMES)
by_keeping = pytest.mark.parametrize("name", KEEPING)
by_language = pytest.mark.parametrize("language", list(Language))


def made(name: str, language: Language, **changes: Any) -> Memory:
    return memory_factory(name)(MemorySettings(language=language, **changes))


def turns(language: Language, first: int = 1) -> list[Turn]:
    said = enumerate(SAID[language], first)
    return [
        Turn(number=number, question=question, reply=reply, at=START + timedelta(minutes=number))
        for number, (question, reply) in said
    ]


async def filled(name: str, language: Language, **changes: Any) -> Memory:
    memory = made(name, language, **changes)
    for turn in turns(language):
        await memory.remember(turn)
    return memory


def copy_of(memory: Memory, name: str, language: Language, **changes: Any) -> Memory:
    other = made(name, language, **changes)
    other.state = json.loads(json.dumps(memory.state))
    return other


def check(recall: Recall, known: int) -> None:
    """Facts and exchanges are typed, come from turns that there were, and nothing is both told and
    dropped whole."""
    assert {fact.turn for fact in recall.facts} <= set(range(1, known + 1))
    assert {turn.number for turn in recall.exchanges} <= set(range(1, known + 1))
    assert set(recall.dropped) <= set(range(1, known + 1))
    assert all(fact.object for fact in recall.facts)
    assert bool(recall.text) or not (recall.facts or recall.exchanges)


@by_name
@by_language
async def test_an_empty_memory_recalls_nothing(name: str, language: Language) -> None:
    memory = made(name, language)
    assert await memory.recall(Query("")) == Recall() == await memory.recall(Query(WORD[language]))
    assert (await copy_of(memory, name, language).recall(Query(WORD[language]))) == Recall()


@by_keeping
@by_language
async def test_what_was_said_is_recalled_within_the_budget(name: str, language: Language) -> None:
    recall = await (await filled(name, language)).recall(Query(SAID[language][0][0]))
    assert WORD[language] in recall.text
    check(recall, 5)
    for budget in (0, 10, 60):
        short = await (await filled(name, language, budget=budget)).recall(Query(WORD[language]))
        assert name == "full" or tokens(short.text) <= budget
        check(short, 5)


WORDS = {
    Language.EN: [
        "penicillin",
        "allergic",
        "5 mg",
        "no fever",
        "mother",
        "warfarin",
        "pain",
        "since 2019",
        "and",
        "?",
    ],
    Language.ZH: [
        "青霉素",
        "过敏",
        "5毫克",
        "没有发热",
        "母亲",
        "华法林",
        "疼痛",
        "2019年起",
        "，",
        "？",
        "INR 2.5",
    ],
}


@st.composite
def talks(draw: st.DrawFn) -> tuple[Language, list[Turn]]:
    """Turns of any length, many of them short, over a few days."""
    language = draw(st.sampled_from(list(Language)))
    draws = draw(st.randoms(use_true_random=False))
    found, at = [], START
    for number in range(1, draws.randint(2, 25)):
        texts = (
            " ".join(draws.choices(WORDS[language], k=draws.choice([0, 1, 2, 8]))) for _ in range(3)
        )
        question, reply, results = texts
        at += timedelta(days=draws.choice([0, 0, 0, 1]), minutes=1)
        found.append(Turn(number=number, question=question, reply=reply, results=results, at=at))
    return language, found


@pytest.mark.parametrize("name", [name for name in KEEPING if name != "full"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    talk=talks(),
    budgets=st.lists(st.integers(0, 300), min_size=4, max_size=4),
    place=st.integers(0, 9),
)
def test_no_recall_exceeds_the_budget(
    name: str, talk: tuple[Language, list[Turn]], budgets: list[int], place: int
) -> None:
    language, said = talk

    async def hold() -> None:
        written = made(name, language)
        for turn in said:
            await written.remember(turn)
        for budget in budgets:
            memory = copy_of(written, name, language, budget=budget)
            for purpose in Purpose:
                query = Query(WORDS[language][place], said[-1], purpose)
                assert tokens((await memory.recall(query)).text) <= budget

    asyncio.run(hold())


@by_keeping
@by_language
async def test_the_order_of_a_search_does_not_depend_on_the_last_digits(
    name: str, language: Language
) -> None:
    memory = await filled(name, language)
    for turn in turns(language, first=6):
        await memory.remember(turn)
    assert isinstance(memory, ItemisedMemory)
    for query in (WORD[language], ""):
        expected = [key for key, _ in await memory.search(query)]
        for seed in range(3):
            with disturbed(1e-9, seed):
                assert [key for key, _ in await memory.search(query)] == expected


@by_name
@by_language
async def test_a_restored_memory_is_the_same_and_goes_on_alike(
    name: str, language: Language
) -> None:
    memory = await filled(name, language)
    other = copy_of(memory, name, language)
    for turn in turns(language, first=6):
        assert await memory.recall(Query(turn.question)) == await other.recall(Query(turn.question))
        await memory.remember(turn)
        await other.remember(turn)
    assert await memory.recall(Query(WORD[language])) == await other.recall(Query(WORD[language]))
    assert json.dumps(memory.state, sort_keys=True) == json.dumps(other.state, sort_keys=True)


@by_name
@by_language
async def test_restoring_leaves_nothing_of_before(name: str, language: Language) -> None:
    memory = await filled(name, language)
    memory.state = json.loads(json.dumps(made(name, language).state))
    assert await memory.recall(Query(WORD[language])) == Recall()


@by_keeping
@by_language
async def test_patients_held_side_by_side_do_not_mix(name: str, language: Language) -> None:
    """Twenty consultations at once; each memory is what it is when held alone."""
    question, reply = FILLER[language]

    async def consultation(patient: int) -> str:
        memory = made(name, language)
        for number in range(1, 4):
            said = reply.format(100 * patient + number)
            await memory.remember(Turn(number=number, question=question, reply=said, at=START))
            await asyncio.sleep(0)
        return (await memory.recall(Query(question))).text

    together = await asyncio.gather(*(consultation(patient) for patient in range(1, 21)))
    assert list(together) == [await consultation(patient) for patient in range(1, 21)]
    assert all(str(100 * patient + 3) in text for patient, text in enumerate(together, 1))


@by_keeping
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(said=st.lists(st.tuples(st.text(max_size=40), st.text(max_size=60)), max_size=4))
def test_any_text_can_be_remembered(name: str, said: list[tuple[str, str]]) -> None:
    async def hold() -> None:
        memory = made(name, Language.EN)
        for number, (question, reply) in enumerate(said, 1):
            await memory.remember(Turn(number=number, question=question, reply=reply))
        for query in ("", *(question for question, _ in said)):
            check(await memory.recall(Query(query)), len(said))
        other = copy_of(memory, name, Language.EN)
        assert await other.recall(Query("?")) == await memory.recall(Query("?"))

    asyncio.run(hold())


@by_keeping
@by_language
async def test_what_changed_adds_up_to_the_memory(name: str, language: Language) -> None:
    memory, other = made(name, language), made(name, language)
    assert isinstance(memory, AppendingMemory) and isinstance(other, AppendingMemory)
    for turn in turns(language):
        await memory.remember(turn)
        other.apply(json.loads(json.dumps(memory.delta())))
        assert await other.recall(Query(turn.reply)) == await memory.recall(Query(turn.reply))


@by_keeping
@by_language
async def test_items_are_ranked_and_name_their_turns(name: str, language: Language) -> None:
    memory = await filled(name, language)
    assert isinstance(memory, ItemisedMemory)
    found = await memory.search(WORD[language])
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True) and memory.turns_of(found[0][0]) == (1,)
    assert sorted(named_turns(memory, found)) == [1, 2, 3, 4, 5]
    if isinstance(memory, TurnRanking):
        ranked = await memory.search_turns(WORD[language])
        assert ranked[0] == 1 and sorted(ranked) == [1, 2, 3, 4, 5]
    gone = await memory.erase([found[0][0]])
    assert found[0][0] in gone and found[0][0] not in dict(await memory.search(WORD[language]))


@by_keeping
async def test_many_turns_cost_no_more_than_few(name: str) -> None:
    """Counted by what is saved after a turn, since the time of a test depends on the machine."""
    memory = made(name, Language.EN, budget=300)
    assert isinstance(memory, AppendingMemory)
    question, reply = FILLER[Language.EN]
    sizes = []
    for number in range(1, 301):
        at = START + timedelta(minutes=number)
        await memory.remember(
            Turn(number=number, question=question, reply=reply.format(number), at=at)
        )
        if number % 50 == 0:
            await memory.recall(Query("Which row?"))
        sizes.append(len(json.dumps(memory.delta())))
    assert sum(sizes[-50:]) < 2 * sum(sizes[50:100])
    recall = await memory.recall(Query("How are the roses of row 7?"))
    assert name == "full" or tokens(recall.text) <= 300
    check(recall, 300)


@by_keeping
def test_threads_share_a_store(name: str) -> None:
    failed: list[BaseException] = []
    with MemoryStore(memory=name, language="en") as store:

        def talk(user: str) -> None:
            try:
                for number in range(5):
                    store.add(f"My number is {user}{number}.", user_id=user)
                    store.recall("Which number?", user_id=user)
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=talk, args=(user,)) for user in "789"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        for user in "789":
            text = store.recall("Which number?", user_id=user).text
            assert f"{user}4" in text and not any(
                f"{other}4" in text for other in set("789") - {user}
            )
