"""MemoryBank: items fade with time unless they are recalled, and a visit that is over leaves a
summary."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import osler as package
from osler import MemoryStore
from osler.errors import UserError
from osler.language import Language
from osler.memory import Change, MemorySettings, Turn, memory_factory
from osler.memory.base import Query, tokens
from osler.memory.memorybank import MemoryBankMemory, retention
from tests.conftest import Run
from tests.memory.scripted_thinker import ScriptedThinker
from tests.returning import returning

EN, ZH = Language.EN, Language.ZH
BOTH = pytest.mark.parametrize("language", [EN, ZH])
START = datetime.fromisoformat("2026-01-05T09:00")
ALLERGY = {
    EN: ("Any allergies?", "Penicillin gave me hives in 2019."),
    ZH: ("对什么过敏吗？", "2019年用青霉素起过荨麻疹。"),
}
TABLETS = {
    EN: ("Which tablets do you take?", "Amlodipine 10 mg every morning."),
    ZH: ("平时吃什么药？", "氨氯地平，每天早上10毫克。"),
}
TALK = {EN: ("How is the garden?", "The roses are out."), ZH: ("花园怎么样？", "玫瑰开了。")}
QUERY = {EN: "Is penicillin safe?", ZH: "青霉素能用吗？"}
WORD = {EN: "Penicillin", ZH: "青霉素"}


def bank(language: Language, spec: str = "memorybank", **changes: Any) -> MemoryBankMemory:
    memory = memory_factory(spec)(MemorySettings(language=language, **changes))
    assert isinstance(memory, MemoryBankMemory)
    return memory


def turn(number: int, said: tuple[str, str], days: float = 0.0) -> Turn:
    at = START + timedelta(days=days, minutes=number)
    return Turn(number=number, question=said[0], reply=said[1], at=at)


async def visit(
    memory: MemoryBankMemory, language: Language, first: int, days: float
) -> list[Change]:
    """Three turns of one day."""
    said = (ALLERGY, TABLETS, TALK)
    return [
        await memory.remember(turn(first + place, one[language], days))
        for place, one in enumerate(said)
    ]


def copy_of(
    memory: MemoryBankMemory, language: Language, spec: str = "memorybank", **changes: Any
) -> MemoryBankMemory:
    other = bank(language, spec, **changes)
    other.state = json.loads(json.dumps(memory.state))
    return other


@given(st.floats(0, 1000), st.floats(0.01, 1000), st.integers(1, 50))
def test_retention_falls_with_time_and_rises_with_recall(
    elapsed: float, more: float, strength: int
) -> None:
    now, later = retention(elapsed, strength), retention(elapsed + more, strength)
    assert 0.0 <= later <= now <= 1.0 and retention(0.0, strength) == 1.0
    assert retention(elapsed, strength + 1) >= now
    if now > 1e-9:
        assert later < now and (retention(elapsed, strength + 1) > now or elapsed < 1e-9)


@settings(max_examples=20, deadline=None)
@given(recalls=st.integers(1, 6), days=st.floats(1, 40), language=st.sampled_from([EN, ZH]))
def test_an_item_that_was_recalled_scores_higher_later(
    recalls: int, days: float, language: Language
) -> None:
    async def score(often: int, later: float) -> float:
        memory = bank(language, "memorybank,floor=0")
        await memory.remember(turn(1, ALLERGY[language]))
        for _ in range(often):
            await memory.recall(Query(QUERY[language]))
        await memory.remember(turn(2, TALK[language], later))
        return dict(await memory.search(QUERY[language]))["turn:1"]

    async def check() -> None:
        scores = [await score(often, days) for often in (0, recalls, recalls + 1)]
        assert scores == sorted(scores) and scores[0] < scores[1]
        assert await score(recalls, days + 5) < scores[1]

    asyncio.run(check())


@BOTH
async def test_below_the_floor_an_item_is_kept_but_not_recalled(language: Language) -> None:
    found = {}
    for spec in (
        "memorybank",
        "memorybank,floor=0",
        "memorybank,unit=months",
        "memorybank,unit=hours",
    ):
        memory = bank(language, spec)
        await memory.remember(turn(1, ALLERGY[language]))
        await memory.remember(turn(2, TALK[language], days=14))
        before = "turn:1" in dict(await memory.search(QUERY[language]))
        await memory.remember(turn(3, TALK[language], days=16))
        recall = await memory.recall(Query(QUERY[language]))
        assert WORD[language] in json.dumps(memory.state, ensure_ascii=False)
        assert (1 in recall.dropped) == (WORD[language] not in recall.text)
        found[spec] = before, WORD[language] in recall.text
    assert list(found.values()) == [(True, False), (True, True), (True, True), (False, False)]


@BOTH
async def test_the_last_turn_is_always_there_and_the_budget_is_kept(language: Language) -> None:
    for budget in (40, 80, 200):
        memory = bank(language, "memorybank,unit=years", budget=budget)
        for number in range(3):
            await visit(memory, language, 3 * number + 1, days=100.0 * number)
            recall = await memory.recall(Query(QUERY[language]))
            assert TALK[language][1] in recall.text and tokens(recall.text) <= budget
            assert recall.exchanges[-1].reply and recall.dropped == tuple(sorted(recall.dropped))


@BOTH
async def test_a_recall_changes_nothing_before_the_next_turn(language: Language) -> None:
    memory = bank(language)
    await visit(memory, language, 1, days=0)
    before, ranked = (
        await memory.recall(Query(QUERY[language])),
        await memory.search(QUERY[language]),
    )
    for _ in range(3):
        assert await memory.recall(Query(QUERY[language])) == before
        await memory.recall(Query(TABLETS[language][0]))
    assert await memory.search(QUERY[language]) == ranked


@BOTH
async def test_without_a_model_a_visit_is_summarised_when_another_day_begins(
    language: Language,
) -> None:
    memory = bank(language, "memorybank,unit=years")
    changes = await visit(memory, language, 1, days=0)
    assert all(len(change.inserted) == 1 for change in changes)
    [change, *rest] = await visit(memory, language, 4, days=30)
    [_, summary] = change.inserted
    assert WORD[language].lower() in summary.lower() and "2019" in summary and "10" in summary
    assert not change.requests and all(len(one.inserted) == 1 for one in rest)
    assert tokens(summary) <= sum(
        tokens(" ".join(said[language])) for said in (ALLERGY, TABLETS, TALK)
    )
    [item] = [
        one for one in memory.items(memory.delta(everything=True)) if one.key.startswith("visit:")
    ]
    assert item.text == summary and memory.turns_of(item.key) == (1, 2, 3)
    recall = await memory.recall(Query(QUERY[language]))
    assert (
        summary in recall.text
        and {fact.turn for fact in recall.facts} <= {1, 2, 3}
        and recall.facts
    )
    assert item.key in dict(await memory.search(QUERY[language]))


async def test_single_turns_and_turns_without_a_clock_have_no_summary() -> None:
    memory = bank(EN)
    for number in range(1, 5):
        assert len((await memory.remember(turn(number, TABLETS[EN], days=number))).inserted) == 1
    for number in range(5, 9):
        said = Turn(number=number, question=ALLERGY[EN][0], reply=ALLERGY[EN][1])
        assert len((await memory.remember(said)).inserted) == 1
    assert WORD[EN] in (await memory.recall(Query(QUERY[EN]))).text


@BOTH
async def test_a_model_summarises_the_visit_that_is_over(language: Language) -> None:
    said = {EN: "Penicillin caused hives in 2019.", ZH: "2019年青霉素引起荨麻疹。"}[language]
    thinker = ScriptedThinker(memorybank_visit={"summary": said})
    memory = bank(language, "memorybank,unit=years", thinker=thinker)
    assert sum(change.requests for change in await visit(memory, language, 1, days=0)) == 0
    changes = await visit(memory, language, 4, days=30)
    assert [change.requests for change in changes] == [1, 0, 0] and changes[0].inserted[-1] == said
    [(name, text)] = thinker.asked
    assert name == "memorybank_visit" and text.count(WORD[language]) == 1 and "2026-01-05" in text
    recall = await memory.recall(Query(QUERY[language]))
    assert said in recall.text and recall.requests == 0
    assert said in [fact.object for fact in recall.facts] and len(thinker.asked) == 1


@BOTH
async def test_a_failed_summary_is_counted_and_tried_again_on_another_day(
    language: Language,
) -> None:
    thinker = ScriptedThinker(memorybank_visit=None)
    memory = bank(language, "memorybank,unit=years", thinker=thinker)
    await visit(memory, language, 1, days=0)
    changes = await visit(memory, language, 4, days=30)
    assert [len(change.refused) for change in changes] == [1, 0, 0] and changes[0].requests == len(
        thinker.asked
    ) == 2
    assert WORD[language] in (await memory.recall(Query(QUERY[language]))).text
    thinker.answers["memorybank_visit"] = {"summary": "ok"}
    other = copy_of(memory, language, "memorybank,unit=years", thinker=thinker)
    for one in (memory, other):
        change = await one.remember(turn(7, TALK[language], days=60))
        assert (change.requests, change.refused) == (2, ()) and change.inserted[1:] == ("ok", "ok")


@BOTH
async def test_a_summary_that_repeats_itself_is_a_failed_one(language: Language) -> None:
    sentence = {EN: "Penicillin is safe for the patient. ", ZH: "患者可以用青霉素。"}[language]
    for said in ({"summary": sentence * 8}, '{"summary": "' + sentence * 8):
        memory = bank(
            language, "memorybank,unit=years", thinker=ScriptedThinker(memorybank_visit=said)
        )
        await visit(memory, language, 1, days=0)
        [change, *_] = await visit(memory, language, 4, days=30)
        assert (
            len(change.inserted) == len(change.refused) == change.proposed == 1
            and not change.makers
        )
        recall = await memory.recall(Query(QUERY[language]))
        assert sentence.strip() not in recall.text and ALLERGY[language][1] in recall.text


@BOTH
async def test_summaries_go_with_the_turns_they_rest_on(language: Language) -> None:
    memory = bank(language, "memorybank,unit=years")
    await visit(memory, language, 1, days=0)
    await visit(memory, language, 4, days=30)
    await memory.recall(Query(QUERY[language]))
    assert await memory.erase(["turn:1"]) == ["turn:1", "visit:1"]
    assert WORD[language] in (await memory.recall(Query(QUERY[language]))).text, (
        "it was said again on the other day"
    )
    assert await memory.erase(["turn:4"]) == ["turn:4"]
    for one in (memory, copy_of(memory, language, "memorybank,unit=years")):
        assert WORD[language] not in json.dumps(one.state, ensure_ascii=False)
        change = await one.remember(turn(7, TALK[language], days=60))
        assert len(change.inserted) == 3, "what is left of both visits is summarised"
        assert [key for key, _ in await one.search("") if key.startswith("visit:")] == [
            "visit:3",
            "visit:2",
        ]


@BOTH
async def test_a_summary_can_be_changed_or_erased_alone(language: Language) -> None:
    memory = bank(language, "memorybank,unit=years")
    await visit(memory, language, 1, days=0)
    await visit(memory, language, 4, days=30)
    assert await memory.rewrite("visit:1", "quite different zebra") == []
    assert (await memory.search("zebra"))[0][0] == "visit:1"
    assert "quite different zebra" in (await memory.recall(Query("zebra"))).text
    assert await memory.erase(["visit:1"]) == ["visit:1"]
    assert len(await memory.search("zebra")) == 6 and "zebra" not in json.dumps(memory.state)
    other = copy_of(memory, language, "memorybank,unit=years")
    for one in (memory, other):
        [_, *summaries] = (await one.remember(turn(7, TALK[language], days=60))).inserted
        assert len(summaries) == 1, "an erased summary does not come back"
    assert await memory.rewrite("turn:4", "nothing") == ["visit:2"]


@BOTH
async def test_a_saved_memory_goes_on_alike_with_its_strengths(language: Language) -> None:
    written, followed = bank(language), bank(language)
    for number in range(1, 31):
        said = (ALLERGY, TABLETS, TALK)[number % 3][language]
        await written.remember(turn(number, said, days=number // 4 * 3.0))
        followed.apply(json.loads(json.dumps(written.delta())))
        restored = copy_of(written, language)
        assert json.dumps(restored.state) == json.dumps(written.state) == json.dumps(followed.state)
        recalls = [
            await one.recall(Query(QUERY[language]))
            for one in (written, copy_of(followed, language), restored)
        ]
        assert recalls[0] == recalls[1] == recalls[2]
    before_turn = copy_of(written, language)
    for one in (written, before_turn):
        await one.remember(turn(31, TALK[language], days=60))
    assert written.state == before_turn.state, "what was recalled since the last turn is saved too"


async def test_what_is_saved_after_a_turn_does_not_grow() -> None:
    memory, sizes = bank(EN, budget=100), []
    for number in range(1, 401):
        await memory.remember(turn(number, TABLETS[EN], days=number // 3))
        await memory.recall(Query(QUERY[EN]))
        sizes.append(len(json.dumps(memory.delta())))
    assert sum(sizes[-90:]) < 1.2 * sum(sizes[30:120])


@BOTH
def test_a_store_saves_strengths_with_the_next_add(language: Language, tmp_path: Path) -> None:
    """Day 20 is out of reach of what was never recalled (exp(-4)), not of what was recalled once
    (exp(-2))."""
    found = {}
    for often in (0, 1):
        path = tmp_path / f"{often}.db"
        with MemoryStore(path, memory="memorybank", language=language) as store:
            store.add(" ".join(ALLERGY[language]), user_id="a", timestamp="2026-01-05T09:00")
            for _ in range(often):
                store.recall(QUERY[language], user_id="a")
            store.add(" ".join(TALK[language]), user_id="a", timestamp="2026-01-25T09:00")
        with MemoryStore(path) as store:
            found[often] = WORD[language] in store.recall(QUERY[language], user_id="a").text
            assert len(store.get_all(user_id="a")["results"]) == 2
    assert found == {0: False, 1: True}


@BOTH
def test_in_a_store_a_summary_goes_when_its_turn_is_changed_or_deleted(
    language: Language, tmp_path: Path
) -> None:
    for how in ("update", "delete"):
        with MemoryStore(tmp_path / f"{how}.db", memory="memorybank", language=language) as store:
            for day in ("05", "06"):
                for said in (ALLERGY, TABLETS):
                    store.add(
                        " ".join(said[language]), user_id="a", timestamp=f"2026-01-{day}T09:00"
                    )
            items = store.get_all(user_id="a")["results"]
            assert len(items) == 5 and WORD[language].lower() in items[3]["memory"].lower()
            first = items[0]["id"]
            if how == "update":
                store.update(first, "nothing")
            else:
                store.delete(first)
            left = {item["id"] for item in store.get_all(user_id="a")["results"]}
            assert items[3]["id"] not in left and len(left) == (4 if how == "update" else 3)


@BOTH
def test_probing_and_verifying_do_not_disturb_a_run(
    language: Language, tmp_path: Path, osler: Run
) -> None:
    record = returning(language)
    memories = ["memorybank,unit=years", "scm"]
    run = package.simulate(
        pool=[record],
        out=tmp_path / "run.osler",
        quiet=True,
        visits=True,
        memories=memories,
        turns=3,
        budget=150,
    )
    first = osler("probe", run.path, "--json").stdout
    assert {row["memory"] for row in json.loads(first)["rows"]} == set(memories)
    assert osler("probe", run.path, "--json").stdout == first
    assert "no difference" in osler("verify", run.path).stdout
    forked = osler(
        "fork", run.path, record.id, "--memory", memories[0], "--memory", "scm", "--at", "2"
    )
    assert forked.returncode == 0, forked.stderr
    assert "no difference" in osler("verify", tmp_path / "run.forks.osler").stdout


@pytest.mark.parametrize(
    "spec", ["memorybank,unit=moons", "memorybank,floor=2", "memorybank,half=1"]
)
def test_wrong_options_are_told(spec: str) -> None:
    with pytest.raises(UserError, match="memorybank cannot be made"):
        memory_factory(spec)(MemorySettings())
