"""The running summary: its fields, what a model may not lose, and fuzzy recall beside it."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from osler import MemoryStore
from osler.errors import UserError
from osler.language import Language
from osler.language.words import numbers
from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.base import Query, tokens
from osler.memory.summary.entries import PROTECTED, SummaryField
from osler.memory.summary.keywords import KeywordIndex
from osler.memory.summary.memory import SummaryMemory
from osler.prompts import Prompt, phrases

EN, ZH = Language.EN, Language.ZH
BOTH = pytest.mark.parametrize("language", [EN, ZH])
START = datetime.fromisoformat("2026-01-05T09:00")
ALLERGY = {EN: "allergic to penicillin (hives)", ZH: "青霉素过敏（荨麻疹）"}
PRESSURE = {EN: "blood pressure 150/90 mmHg", ZH: "血压150/90 mmHg"}


class ScriptedThinker:
    """A model that answers as it was told to, after a while if asked to; None is a call that
    fails."""

    def __init__(self, *answers: dict[str, Any] | str | None, slow: bool = False) -> None:
        self.answers, self.slow = list(answers), slow
        self.texts: list[str] = []
        self.asked = asyncio.Event()

    async def __call__(
        self, template: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        self.texts.append(text)
        self.asked.set()
        said = self.answers.pop(0) if self.answers else {"topic": "?"}
        if self.slow:
            await asyncio.sleep(0.01)
        return json.dumps(said, ensure_ascii=False) if isinstance(said, dict) else said


def made(
    language: Language = EN, thinker: Any = None, *, spec: str = "summary", **changes: Any
) -> SummaryMemory:
    memory = memory_factory(spec)(MemorySettings(language=language, thinker=thinker, **changes))
    assert isinstance(memory, SummaryMemory)
    return memory


def copied(memory: SummaryMemory, language: Language = EN, thinker: Any = None) -> SummaryMemory:
    other = made(language, thinker)
    other.state = json.loads(json.dumps(memory.state))
    return other


def turn(number: int, question: str, reply: str, minutes: float | None = None, **more: Any) -> Turn:
    at = START + timedelta(minutes=number if minutes is None else minutes)
    return Turn(number=number, question=question, reply=reply, at=at, **more)


def texts(memory: SummaryMemory, field: SummaryField) -> list[str]:
    return [entry.text for entry in memory.summary.of(field)]


def line(memory_text: str, field: SummaryField, language: Language) -> str:
    name = phrases("summary_lines", language)[field.value].partition("{")[0]
    return next((one for one in memory_text.splitlines() if one.startswith(name)), "")


# With a model.


@BOTH
async def test_a_model_gets_the_old_summary_and_the_new_exchange_and_writes_the_new_one(
    language: Language,
) -> None:
    first = {
        "topic": "rash",
        "confirmed_facts": ["no fever"],
        "constraints": [ALLERGY[language]],
        "excluded_options": [{"option": "measles", "reason": "was vaccinated"}],
        "key_data": [PRESSURE[language]],
        "open_questions": ["since when?"],
        "points_discussed": ["fever"],
        "replaced": [],
    }
    second = {
        **first,
        "confirmed_facts": ["no fever", "itches at night"],
        "open_questions": [],
        "topic": "itch",
    }
    thinker = ScriptedThinker(first, second)
    memory = made(language, thinker, about="40 years")
    await memory.remember(turn(1, "Any fever?", "No."))
    change = await memory.remember(turn(2, "Does it itch?", "At night."))
    assert (
        ALLERGY[language] in thinker.texts[1]
        and "At night." in thinker.texts[1]
        and "40 years" in thinker.texts[1]
    )
    assert (
        change.inserted == ("topic: itch", "confirmed_facts: itches at night")
        and change.requests == 1
    )
    assert not change.refused
    assert texts(memory, SummaryField.TOPIC) == ["itch"] and not texts(memory, SummaryField.OPEN)
    recall = await memory.recall(Query("?"))
    for field, told in ((SummaryField.CONSTRAINTS, ALLERGY), (SummaryField.DATA, PRESSURE)):
        assert told[language] in line(recall.text, field, language)
    assert "measles: was vaccinated" in recall.text and not line(
        recall.text, SummaryField.OPEN, language
    )
    by_turn = {fact.object: fact.turn for fact in recall.facts}
    assert by_turn == {
        ALLERGY[language]: 1,
        PRESSURE[language]: 1,
        "no fever": 1,
        "itches at night": 2,
    }


@BOTH
async def test_what_a_model_leaves_out_stays_unless_it_is_named_as_replaced(
    language: Language,
) -> None:
    newer = PRESSURE[language].replace("150/90", "130/80")
    thinker = ScriptedThinker(
        {"constraints": [ALLERGY[language]], "key_data": [PRESSURE[language]]},
        {"constraints": [], "key_data": []},
        {"key_data": [newer], "replaced": [PRESSURE[language], "something else"]},
    )
    memory = made(language, thinker)
    await memory.remember(turn(1, "?", "a"))
    lost = await memory.remember(turn(2, "?", "b"))
    assert len(lost.refused) == 2 and all("kept" in reason for reason in lost.refused)
    assert texts(memory, SummaryField.CONSTRAINTS) == [ALLERGY[language]]
    replaced = await memory.remember(turn(3, "?", "c"))
    assert (
        texts(memory, SummaryField.DATA) == [newer] and PRESSURE[language] in replaced.superseded[0]
    )
    assert any("no such entry: something else" in reason for reason in replaced.refused)
    assert texts(memory, SummaryField.CONSTRAINTS) == [ALLERGY[language]]


@BOTH
async def test_key_data_named_as_replaced_goes_even_if_it_is_written_again(
    language: Language,
) -> None:
    newer = PRESSURE[language].replace("150/90", "130/80")
    named = f"key_data: {PRESSURE[language]}"
    for replaced, written in ((PRESSURE[language], [PRESSURE[language], newer]), (named, [newer])):
        thinker = ScriptedThinker(
            {"constraints": [ALLERGY[language]], "key_data": [PRESSURE[language]]},
            {
                "constraints": [ALLERGY[language]],
                "key_data": written,
                "replaced": [replaced, ALLERGY[language]],
            },
        )
        memory = made(language, thinker)
        await memory.remember(turn(1, "?", "a"))
        change = await memory.remember(turn(2, "?", "b"))
        assert texts(memory, SummaryField.DATA) == [newer] and change.superseded == (
            f"key_data: {PRESSURE[language]}",
        )
        assert texts(memory, SummaryField.CONSTRAINTS) == [ALLERGY[language]] and not change.refused


@BOTH
async def test_excluded_options_are_shown_as_they_are_wanted(language: Language) -> None:
    excluded = [
        {"option": "measles", "reason": "vaccinated: twice"},
        {"option": "gout", "reason": ""},
    ]
    thinker = ScriptedThinker({"excluded_options": excluded}, {"excluded_options": excluded})
    memory = made(language, thinker)
    await memory.remember(turn(1, "?", "a"))
    change = await memory.remember(turn(2, "?", "b"))
    assert json.dumps(excluded) in thinker.texts[1] and not change.inserted and not change.forgotten


@pytest.mark.parametrize(
    ("new", "is_one"),
    [
        ("allergic to penicillin, hives in 2019", True),
        ("not allergic to penicillin, hives", False),
        ("allergic to amoxicillin, hives", False),
    ],
)
async def test_a_wider_entry_takes_the_place_of_an_old_one_and_its_opposite_does_not(
    new: str, is_one: bool
) -> None:
    memory = made(EN, ScriptedThinker({"constraints": [ALLERGY[EN]]}, {"constraints": [new]}))
    await memory.remember(turn(1, "?", "a"))
    await memory.remember(turn(2, "?", "b"))
    assert texts(memory, SummaryField.CONSTRAINTS) == ([new] if is_one else [ALLERGY[EN], new])


PIECES = [
    "penicillin",
    "青霉素",
    "allergy",
    "过敏",
    "no",
    "没有",
    "5 mg",
    "5 µg",
    "15",
    "<5",
    "-2.5",
    "аллергия",
    "",
    "dose 5",
]
ENTRY = st.lists(st.sampled_from(PIECES), max_size=3).map(" ".join)
VALUE = st.one_of(
    st.none(), ENTRY, st.lists(st.one_of(ENTRY, st.none(), st.integers(-9999, 9999)), max_size=4)
)
ANSWER = st.fixed_dictionaries(
    {},
    optional={
        name: VALUE for name in ("topic", "confirmed_facts", "constraints", "key_data", "replaced")
    },
)


@settings(max_examples=150, deadline=None)
@given(answers=st.lists(ANSWER, min_size=1, max_size=4), language=st.sampled_from([EN, ZH]))
def test_an_allergy_or_number_once_held_stays_unless_named_as_replaced(
    answers: list[dict[str, Any]], language: Language
) -> None:
    async def hold() -> None:
        held: set[str] = set()
        thinker = ScriptedThinker()
        memory = made(language, thinker)
        for number, answer in enumerate(answers, 1):
            thinker.answers = [answer, answer]  # the second if the first cannot be read
            await memory.remember(Turn(number=number, question="?", reply="-"))
            named = answer.get("replaced")
            replaced = {
                str(one)
                for one in (named if isinstance(named, list) else [named])
                if one is not None
            }
            now = [entry.text for entry in memory.summary if entry.field in PROTECTED]
            held = {text for text in held if not any(_says(one, text) for one in replaced)} | set(
                now
            )
            for text in held:
                assert any(_says(one, text) for one in now), (text, now)

    asyncio.run(hold())


def _says(text: str, old: str) -> bool:
    """Whether all words and numbers of an old entry are in a text."""
    return set(old.lower().split()) <= set(text.lower().split()) and set(numbers(old)) <= set(
        numbers(text)
    )


@BOTH
async def test_a_turn_of_a_failed_call_is_told_word_for_word_and_taken_in_with_the_next(
    language: Language,
) -> None:
    thinker = ScriptedThinker(None, None, {"constraints": [ALLERGY[language]]})
    memory = made(language, thinker)
    change = await memory.remember(turn(1, "Any allergies?", "Penicillin."))
    assert change.requests == 2 and change.refused and not list(memory.summary)
    assert [one.number for one in (await memory.recall(Query("weather"))).exchanges] == [1]
    await memory.remember(turn(2, "Since when?", "Always."))
    assert "Penicillin." in thinker.texts[-1] and "Always." in thinker.texts[-1]
    assert ALLERGY[language] in (await memory.recall(Query("weather"))).text


async def test_an_answer_that_was_cut_off_leaves_the_other_fields_as_they_are() -> None:
    thinker = ScriptedThinker(
        {"confirmed_facts": ["no fever"], "open_questions": ["since when?"]},
        '{"topic": "cough", "confirmed_facts": ["no fever", "dry cough"], "open_qu',
    )
    memory = made(EN, thinker)
    await memory.remember(turn(1, "?", "a"))
    await memory.remember(turn(2, "?", "b"))
    assert texts(memory, SummaryField.FACTS) == ["no fever", "dry cough"]
    assert texts(memory, SummaryField.OPEN) == ["since when?"]


# Off the critical path.


async def test_a_slow_model_gives_the_same_recalls_as_an_instant_one() -> None:
    """Turns are remembered in the background, as a consultation does, and recalls come while the
    model answers."""
    answers = [
        {"constraints": [f"medicine {number}"], "topic": f"topic {number}"} for number in range(5)
    ]

    async def recalls(slow: bool) -> list[Any]:
        memory = made(EN, ScriptedThinker(*answers, slow=slow))
        found = []
        for number in range(1, 6):
            task = asyncio.create_task(memory.remember(turn(number, "What?", f"Answer {number}.")))
            await asyncio.sleep(0)
            found += [await memory.recall(Query("What?")), memory.state]
            await task
        return found

    assert await recalls(slow=False) == await recalls(slow=True)


@BOTH
async def test_a_snapshot_during_a_refresh_loses_nothing(language: Language) -> None:
    slow = ScriptedThinker({"constraints": [ALLERGY[language]]}, slow=True)
    memory = made(language, slow)
    task = asyncio.create_task(memory.remember(turn(1, "Any allergies?", "Penicillin, hives.")))
    await slow.asked.wait()
    thinker = ScriptedThinker({"constraints": [ALLERGY[language]]})
    other = copied(memory, language, thinker)
    assert "Penicillin, hives." in (await other.recall(Query("weather"))).text
    await other.remember(turn(2, "Else?", "No."))
    assert "Penicillin, hives." in thinker.texts[0] and texts(other, SummaryField.CONSTRAINTS) == [
        ALLERGY[language]
    ]
    await task
    assert texts(memory, SummaryField.CONSTRAINTS) == [ALLERGY[language]]


async def test_a_cancelled_refresh_leaves_the_turn_for_the_next() -> None:
    thinker = ScriptedThinker(
        {"topic": "never"}, {"constraints": ["penicillin allergy"]}, slow=True
    )
    memory = made(EN, thinker)
    task = asyncio.create_task(memory.remember(turn(1, "Any allergies?", "Penicillin.")))
    await thinker.asked.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await memory.remember(turn(2, "Else?", "No."))
    assert "Penicillin." in thinker.texts[-1] and texts(memory, SummaryField.CONSTRAINTS) == [
        "penicillin allergy"
    ]


# Without a model.

SAID = {
    EN: [
        ("Any allergies?", "I am allergic to penicillin, it gave me hives."),
        ("Which medicines do you take?", "Warfarin 4 mg every evening."),
        ("Any fever?", "No fever."),
        ("Do you have night sweats?", "I don't know."),
    ],
    ZH: [
        ("有过敏史吗？", "我对青霉素过敏，吃了起荨麻疹。"),
        ("平时吃什么药？", "华法林，每天晚上4毫克。"),
        ("发烧吗？", "没有发烧。"),
        ("夜里出汗吗？", "不知道。"),
    ],
}
DRUGS = {EN: ("penicillin", "Warfarin"), ZH: ("青霉素", "华法林")}


async def filled(language: Language, **changes: Any) -> SummaryMemory:
    memory = made(language, **changes)
    for number, (question, reply) in enumerate(SAID[language], 1):
        await memory.remember(turn(number, question, reply))
    return memory


@BOTH
async def test_rules_fill_the_fields(language: Language) -> None:
    memory = await filled(language, about="62")
    for value in ("88 µmol/L", "140 µmol/L"):
        number = len(memory.state["turns"]) + 1
        differential = ("gout", "sepsis") if value.startswith("88") else ("gout",)
        asked = turn(number, "?", "", results=f"Creatinine: {value}", differential=differential)
        change = await memory.remember(asked)
        assert not change.superseded, "rules cannot tell which value still holds"
    constraints = " ".join(texts(memory, SummaryField.CONSTRAINTS))
    assert all(drug in constraints for drug in DRUGS[language])
    before, after = texts(memory, SummaryField.DATA)
    assert "88 µmol/L" in before and "140 µmol/L" in after
    assert len(texts(memory, SummaryField.OPEN)) == 1 and texts(memory, SummaryField.TOPIC) == [
        "62"
    ]
    assert [text.startswith("sepsis") for text in texts(memory, SummaryField.EXCLUDED)] == [True]
    recall = await memory.recall(Query("?"))
    assert any(fact.denied and fact.turn == 3 for fact in recall.facts)
    assert any("140" in fact.object and fact.turn == 6 for fact in recall.facts)
    await memory.remember(
        turn(7, SAID[language][3][0], {EN: "Yes, night sweats.", ZH: "会，夜里出汗。"}[language])
    )
    assert not texts(memory, SummaryField.OPEN)


@BOTH
async def test_rules_replace_a_fact_only_by_its_exact_opposite(language: Language) -> None:
    memory = await filled(language)
    question = SAID[language][2][0]
    count = len(list(memory.summary))
    again = await memory.remember(turn(5, *SAID[language][2]))
    assert not again.inserted and not again.superseded and len(list(memory.summary)) == count
    change = await memory.remember(turn(6, question, {EN: "Yes.", ZH: "是的。"}[language]))
    assert len(change.superseded) == len(change.inserted) == 1
    [old, new] = change.superseded[0], change.inserted[0]
    told = [f"{entry.field}: {entry.text}" for entry in memory.summary]
    assert new in told and old not in told


@BOTH
async def test_an_allergy_is_told_first_however_long_ago_it_was(language: Language) -> None:
    memory = await filled(language, budget=60)
    for number in range(5, 60):
        said = {
            EN: f"I take amlodipine {number} mg and vitamin {number}.",
            ZH: f"我吃氨氯地平{number}毫克。",
        }[language]
        await memory.remember(turn(number, "?", said))
    recall = await memory.recall(Query("?"))
    assert (
        DRUGS[language][0] in line(recall.text, SummaryField.CONSTRAINTS, language)
        and tokens(recall.text) <= 60
    )


async def test_fields_are_bounded_but_not_what_is_protected() -> None:
    memory = made(EN, spec="summary,entries=5")
    for number in range(1, 26):
        await memory.remember(
            turn(
                number,
                f"Is door {number} painted?",
                f"I bought a {chr(96 + number) * 3}k.",
                results=f"T{number}: {number}",
            )
        )
    assert len(texts(memory, SummaryField.FACTS)) == len(texts(memory, SummaryField.POINTS)) == 5
    assert len(texts(memory, SummaryField.DATA)) == 25


# Fuzzy recall.


@BOTH
async def test_the_score_is_words_and_cosine_and_recency(language: Language) -> None:
    memory = await filled(language)
    query = DRUGS[language][0]
    by_words = dict(
        await made_with(memory, language, "keywords=1,cosine=0,recency=0").search(query)
    )
    by_cosine = dict(
        await made_with(memory, language, "keywords=0,cosine=1,recency=0").search(query)
    )
    by_age = dict(await made_with(memory, language, "keywords=0,cosine=0,recency=1").search(query))
    for key, score in await memory.search(query):
        assert score == pytest.approx(
            0.4 * by_words[key] + 0.4 * by_cosine[key] + 0.2 * by_age[key]
        )
    found = await memory.search(query)
    assert found[0][0] == "turn:1" and len(found) == 4


def made_with(memory: SummaryMemory, language: Language, options: str) -> SummaryMemory:
    other = made(language, spec=f"summary,{options}")
    other.state = json.loads(json.dumps(memory.state))
    return other


@given(hours=st.lists(st.floats(min_value=0, max_value=200), min_size=2, max_size=6, unique=True))
@settings(max_examples=20, deadline=None)
def test_recency_falls_to_its_floor_within_a_day(hours: list[float]) -> None:
    async def ages() -> list[float]:
        memory = made(EN, spec="summary,keywords=0,cosine=0,recency=1")
        for number, hour in enumerate(sorted(hours, reverse=True), 1):
            await memory.remember(turn(number, "?", "-", minutes=-60 * hour))
        scores: list[float] = (await memory.scores("?")).tolist()
        return scores

    newest, scores = min(hours), asyncio.run(ages())
    for place, hour in enumerate(sorted(hours, reverse=True)):
        assert scores[place] == pytest.approx(1 - 0.3 * min((hour - newest) / 24, 1), abs=1e-6)


async def test_at_most_five_turns_reach_the_threshold_and_none_that_says_nothing() -> None:
    memory = made(EN, budget=4000)
    for number in range(1, 9):
        await memory.remember(
            turn(number, "How is the knee pain?", f"The knee pain is worse on day {number}.")
        )
    await memory.remember(turn(9, "How is the knee pain?", "I don't know."))
    whole = [
        one.number
        for one in (await memory.recall(Query("How is the knee pain?"))).exchanges
        if one.reply
    ]
    assert len(whole) == 5 and 9 not in whole
    other = made_with(memory, EN, "k=2,threshold=0.1")
    assert (
        len([one for one in (await other.recall(Query("knee pain"))).exchanges if one.reply]) == 2
    )
    assert not [
        one for one in (await memory.recall(Query("holiday in Spain"))).exchanges if one.reply
    ]


@pytest.mark.parametrize(
    ("language", "query", "text", "overlap"),
    [
        (EN, "kidney pain", "kidney stone", 1 / 3),
        (EN, "backache", "back", 0.5 / 1.5),
        (ZH, "结石", "肾结石", 0.5 / 1.5),
        (EN, "fever", "cough", 0),
    ],
)
def test_a_part_of_a_word_counts_half(
    language: Language, query: str, text: str, overlap: float
) -> None:
    index = KeywordIndex(language)
    index.add(text)
    assert index.overlaps(query).tolist() == pytest.approx([overlap])


# Saving and erasing.


@BOTH
async def test_an_erased_turn_leaves_no_word_in_the_summary(language: Language) -> None:
    memory = await filled(language)
    await memory.erase(["turn:1"])
    assert DRUGS[language][0] not in json.dumps(memory.state, ensure_ascii=False)
    assert DRUGS[language][1] in (await memory.recall(Query("?"))).text
    await memory.rewrite("turn:2", {EN: "I take metformin.", ZH: "我吃二甲双胍。"}[language])
    await memory.remember(turn(5, "?", {EN: "No cough.", ZH: "没有咳嗽。"}[language]))
    constraints = " ".join(texts(memory, SummaryField.CONSTRAINTS))
    assert (
        DRUGS[language][1] not in constraints
        and {EN: "metformin", ZH: "二甲双胍"}[language] in constraints
    )


async def test_an_erased_turn_leaves_no_word_in_what_a_model_wrote_later() -> None:
    thinker = ScriptedThinker(
        {"confirmed_facts": ["lives in Bergen"], "constraints": ["penicillin allergy"]},
        {"confirmed_facts": ["moved from Bergen to Oslo"], "constraints": ["penicillin allergy"]},
    )
    memory = made(EN, thinker)
    await memory.remember(turn(1, "Where do you live?", "In Bergen, I am allergic to penicillin."))
    await memory.remember(turn(2, "And now?", "I moved to Oslo."))
    await memory.erase(["turn:1"])
    assert "Bergen" not in json.dumps(memory.state) and "penicillin" not in json.dumps(memory.state)


@BOTH
async def test_deltas_add_up_to_the_snapshot(language: Language) -> None:
    thinker = ScriptedThinker(
        *(
            {
                "constraints": [f"dose {n // 2}"],
                "confirmed_facts": [f"fact {n}"],
                "replaced": [f"dose {n // 2 - 1}"],
            }
            for n in range(6)
        )
    )
    for memory, other in (
        (made(language), made(language)),
        (made(language, thinker), made(language)),
    ):
        for number in range(1, 7):
            question, reply = SAID[language][number % 4]
            await memory.remember(turn(number, question, reply))
            other.apply(json.loads(json.dumps(memory.delta())))
            assert other.state == memory.state


def test_a_store_keeps_the_summary(tmp_path: Any) -> None:
    with MemoryStore(tmp_path / "store", memory="summary") as store:
        store.add("I am allergic to penicillin.", user_id="ann")
        store.add("I like tea.", user_id="bo")
    with MemoryStore(tmp_path / "store") as store:
        assert "penicillin" in line(
            store.recall("weather", user_id="ann").text, SummaryField.CONSTRAINTS, EN
        )
        assert "penicillin" not in store.recall("allergic", user_id="bo").text


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(UserError, match="summary cannot be made with k='-1'"):
        made(EN, spec="summary,k=-1")
