"""A memory store as its users see it: both languages, every method, and what a user of mem0 would
try."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from autogen_core.models import ChatCompletionClient
from autogen_ext.models.replay import ReplayChatCompletionClient

import osler
from osler import MemoryStore
from osler.language import Language
from osler.memory import MemorySettings, Recall, memory_factory
from osler.memory.base import Change, Fact, Query, Turn
from osler.memory.core.items import AppendingMemory
from osler.memory.store.filters import moment

SAID = {
    "en": [
        "I am allergic to penicillin.",
        "My sister lives in Lisbon.",
        "I take warfarin 3 mg.",
        "I play cricket.",
    ],
    "zh": ["我对青霉素过敏。", "我姐姐住在里斯本。", "我每天吃华法林3毫克。", "我喜欢打板球。"],
}
ASKED = {"en": ("penicillin", "cricket"), "zh": ("青霉素", "板球")}


def texts(found: dict[str, Any]) -> list[str]:
    return [item["memory"] for item in found["results"]]


def in_order(state: dict[str, Any]) -> dict[str, Any]:
    """A snapshot in which rows of vectors stand by their ids: they may stand in another order."""
    for index in (
        part["index"] for part in state.values() if isinstance(part, dict) and "index" in part
    ):
        index["groups"] = dict(zip(index["ids"], index.pop("groups"), strict=True))
        index["ids"] = sorted(index["ids"])
        del index["vectors"]
    return state


def filled(path: Path | None, memory: str, language: str) -> MemoryStore:
    store = MemoryStore(path, memory=memory)
    for text in SAID[language]:
        store.add(text, user_id="alice", metadata={"words": len(text)})
    return store


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("memory", ["raw", "tim"])
def test_what_was_added_is_found_best_first_also_after_reopening(
    tmp_path: Path, memory: str, language: str
) -> None:
    with filled(tmp_path / "s", memory, language) as store:
        before = {word: store.search(word, user_id="alice", limit=2) for word in ASKED[language]}
    with MemoryStore(tmp_path / "s") as store:
        for word in ASKED[language]:
            found = store.search(word, user_id="alice", limit=2)
            assert found == before[word] and len(found["results"]) == 2
            assert word in texts(found)[0]
            assert word in store.recall(word, user_id="alice").text
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("name", ["raw", "tim"])
async def test_deltas_add_up_to_the_memory(name: str, language: Language) -> None:
    """Applied one by one, or as one of everything, they give the same memory, to the last digit."""
    memory, other, third = (
        memory_factory(name)(MemorySettings(language=language)) for _ in range(3)
    )
    assert isinstance(memory, AppendingMemory) and isinstance(other, AppendingMemory)
    assert isinstance(third, AppendingMemory)
    said = [
        *SAID[language],
        "I am not allergic to penicillin." if language is Language.EN else "我对青霉素不过敏。",
    ]
    for number, reply in enumerate(said * 2, 1):
        await memory.remember(
            Turn(number=number, question="", reply=reply, at=moment(f"2026-03-{number:02}"))
        )
        other.apply(json.loads(json.dumps(memory.delta())))
        assert in_order(other.state) == in_order(memory.state)
        assert await other.recall(Query(said[0])) == await memory.recall(Query(said[0]))
    third.apply(json.loads(json.dumps(memory.delta(everything=True))))
    assert await third.recall(Query(said[0])) == await memory.recall(Query(said[0]))
    await third.remember(Turn(number=99, question="", reply=said[1]))
    assert not memory.delta().get("turns")


def test_the_script_of_a_mem0_user(tmp_path: Path) -> None:
    m = MemoryStore(tmp_path / "s")
    m.add("I like to play cricket on weekends", user_id="alice", metadata={"category": "hobbies"})
    messages = [
        {"role": "user", "content": "Hi, I'm Alex. I'm a vegetarian and allergic to nuts."},
        {"role": "assistant", "content": "Got it! Which city do you live in?"},
    ]
    added = m.add(messages, user_id="alex", run_id="first")["results"]
    assert {"id", "memory", "event"} <= set(added[0]) and added[0]["event"] == "ADD"
    m.add([{"role": "user", "content": "Lisbon."}], user_id="alex", run_id="second")
    m.add({"role": "user", "content": "Lisbon."}, user_id="alex", session_id="first")
    found = m.search("What am I allergic to?", filters={"user_id": "alex"}, top_k=1)["results"]
    assert len(found) == 1 and "nuts" in found[0]["memory"]
    assert {
        "id",
        "memory",
        "score",
        "metadata",
        "created_at",
        "user_id",
        "run_id",
        "valid_at",
    } <= set(found[0])
    assert (
        m.search("nuts", user_id="alex", limit=1)["results"]
        == m.search("nuts", user_id="alex", top_k=1)["results"]
    )
    assert not any("nuts" in text for text in texts(m.search("nuts", user_id="alice")))
    assert m.get(found[0]["id"]) == {
        name: value for name, value in found[0].items() if name != "score"
    }
    assert any(
        "city" in text and "Lisbon" in text
        for text in texts(m.get_all(user_id="alex", run_id="first"))
    ), "the answer belongs to the question that the session ended with"
    assert not any("city" in text for text in texts(m.get_all(user_id="alex", run_id="second")))
    hobby = m.search("sport", user_id="alice")["results"][0]
    assert m.update(hobby["id"], data="I like to play tennis")["message"]
    assert texts(m.search("tennis", user_id="alice")) == ["I like to play tennis"]
    assert [(one["event"], one["new_memory"]) for one in m.history(hobby["id"])] == [
        ("ADD", hobby["memory"]),
        ("UPDATE", "I like to play tennis"),
    ]
    assert m.get(hobby["id"])["metadata"] == {"category": "hobbies"}  # type: ignore[index]
    m.delete(hobby["id"])
    assert m.get(hobby["id"]) is None and not m.get_all(user_id="alice")["results"]
    m.delete_all(user_id="alex")
    assert not m.search("nuts", user_id="alex")["results"]
    m.reset()
    m.close()


def test_the_script_of_a_mem0_user_in_chinese(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "s") as m:
        said = [
            {"role": "user", "content": "我叫小明，我吃素。"},
            {"role": "assistant", "content": "你对什么食物过敏？"},
        ]
        m.add(said, user_id="xiaoming", run_id="一")
        m.add("花生。", user_id="xiaoming", run_id="一", metadata={"类别": "饮食"})
        [first] = m.search("过敏", user_id="xiaoming", filters={"类别": "饮食"}, limit=1)["results"]
        assert "花生" in first["memory"] and "过敏" in first["memory"]
        m.update(first["id"], "对花生和虾过敏")
        assert texts(m.search("虾", user_id="xiaoming", limit=1)) == ["对花生和虾过敏"]
        m.delete(first["id"])
        assert not any("花生" in text for text in texts(m.get_all(user_id="xiaoming")))


@pytest.mark.parametrize("memory", ["raw", "tim"])
def test_two_languages_of_one_user(memory: str) -> None:
    with MemoryStore(memory=memory) as store:
        for text in (*SAID["en"], *SAID["zh"], "38.5"):
            store.add(text, user_id="alice")
        for language in ("en", "zh"):
            for word in ASKED[language]:
                assert word in texts(store.search(word, user_id="alice", limit=1))[0]
        assert len(store.get_all(user_id="alice")["results"]) >= 9
    with MemoryStore(memory=memory, language="zh") as store:
        store.add("penicillin", user_id="alice")
        assert "第1轮" in store.recall("penicillin", user_id="alice").text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_denied_later_is_superseded_and_says_when(language: str) -> None:
    said = {"en": ("I have a fever.", "I have no fever."), "zh": ("我有发烧。", "我没有发烧。")}[
        language
    ]
    with MemoryStore() as store:
        [old] = store.add(said[0], user_id="a", timestamp="2026-03-01T09:00")["results"]
        events = store.add(said[1], user_id="a", timestamp="2026-04-01T09:00")["results"]
        [now] = store.get_all(user_id="a")["results"]
        assert now["valid_at"] == "2026-04-01T09:00:00" and now["created_at"] > "2026-04-01"
        gone = next(
            one
            for one in store.get_all(user_id="a", superseded=True)["results"]
            if one["id"] == old["id"]
        )
        assert gone["superseded_by"] == now["id"] and gone["superseded_at"] >= now["created_at"]
        assert {event["event"] for event in events} == {"ADD", "SUPERSEDE"}
        assert [one["event"] for one in store.history(old["id"])] == ["ADD", "SUPERSEDE"]
        assert old["id"] not in {one["id"] for one in store.search(said[0], user_id="a")["results"]}
        store.delete(now["id"])
        assert store.get(old["id"]) is None, "what it replaced goes with it"


def test_two_people_who_talk() -> None:
    said: list[dict[str, Any]] = [
        {
            "role": "user",
            "name": "Caroline",
            "content": "I went to a support group.",
            "timestamp": "2023-05-07T10:00",
        },
        {
            "role": "user",
            "name": "Melanie",
            "content": "I painted a sunrise.",
            "timestamp": 1683453660,
        },
        {
            "role": "user",
            "name": "Caroline",
            "content": "Lovely!",
            "at": datetime(2023, 5, 7, 10, 2, tzinfo=UTC),
        },
    ]
    with MemoryStore(memory="raw") as store:
        store.add(said, agent_id="both", run_id="1")
        first, second = store.get_all(agent_id="both")["results"]
        assert (
            first["memory"] == "Caroline: I went to a support group. Melanie: I painted a sunrise."
        )
        assert (first["valid_at"], second["valid_at"]) == (
            "2023-05-07T10:01:00",
            "2023-05-07T10:02:00",
        )
        assert (first["actor_id"], second["actor_id"]) == ("Melanie", "Caroline")


def test_sessions_and_agents_are_filters_on_one_memory_of_the_user() -> None:
    with MemoryStore(memory="raw") as store:
        store.add("one", user_id="a", run_id="1", agent_id="x")
        store.add("two", user_id="a", run_id="2")
        store.add("three", user_id="b", run_id="1", agent_id="x")
        store.add("four", agent_id="x")
        assert sorted(texts(store.search("one", user_id="a"))) == ["one", "two"]
        assert texts(store.search("one", user_id="a", run_id="2")) == ["two"]
        assert texts(store.search("three", agent_id="x"))[0] == "three"
        assert sorted(texts(store.search("x", agent_id="x"))) == ["four", "one", "three"]
        store.delete_all(user_id="a", run_id="1")
        assert texts(store.get_all(user_id="a")) == ["two"]
        assert sorted(texts(store.get_all(agent_id="x"))) == ["four", "three"]


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({"kind": "food"}, "ab"),
        ({"kind": {"ne": "food"}}, "cd"),
        ({"stars": {"gte": 2, "lt": 5}}, "b"),
        ({"stars": {"in": [1, 5]}}, "ac"),
        ({"stars": {"nin": [1, 5]}}, "bd"),
        ({"kind": {"icontains": "FOO"}}, "ab"),
        ({"kind": {"contains": "FOO"}}, ""),
        ({"stars": "*"}, "abc"),
        ({"AND": [{"kind": "food"}, {"stars": 1}]}, "a"),
        ({"OR": [{"stars": 5}, {"stars": 2}]}, "bc"),
        ({"NOT": [{"kind": "food"}, {"stars": 5}]}, "d"),
        ({"valid_at": {"gte": "2026-02-01", "lt": "2026-03-15"}}, "bc"),
        ({"valid_at": {"gt": datetime(2026, 3, 1, tzinfo=UTC)}}, "cd"),
        ({"created_at": {"lt": "2020-01-01"}}, ""),
        ({"stars": {"gt": "x"}}, ""),
        ({"run_id": {"in": ["1", "3"]}}, "ac"),
        ({"AND": [{"user_id": "u"}, {"session_id": "2"}]}, "b"),
    ],
)
def test_filters(filters: dict[str, Any], kept: str) -> None:
    with MemoryStore(memory="raw") as store:
        kinds: list[dict[str, Any]] = [
            {"kind": "food", "stars": 1},
            {"kind": "food", "stars": 2},
            {"stars": 5},
            {},
        ]
        for number, (text, metadata) in enumerate(zip("abcd", kinds, strict=True), 1):
            at = f"2026-0{number}-02"
            store.add(text, user_id="u", metadata=metadata, timestamp=at, run_id=str(number))
        assert "".join(texts(store.get_all(user_id="u", filters=filters))) == kept
        assert "".join(sorted(texts(store.search("a", user_id="u", filters=filters)))) == kept


@pytest.mark.parametrize("memory", ["raw", "tim"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_deleted_words_are_nowhere_in_the_file(tmp_path: Path, memory: str, language: str) -> None:
    word = ASKED[language][0]
    with filled(tmp_path / "s", memory, language) as store:
        reader = sqlite3.connect(tmp_path / "s")
        before = [row[0] for row in reader.execute("SELECT body FROM log")]
        item = store.search(word, user_id="alice")["results"][0]
        store.update(item["id"], f"{word} {word}")
        store.delete(item["id"])
        whole = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert word.encode() not in whole and before[0] not in whole
        rest = b"".join(zlib.decompress(row[0]) for row in reader.execute("SELECT body FROM log"))
        reader.close()
        assert word.encode() not in rest and ASKED[language][1].encode() in rest
        assert word not in store.recall(word, user_id="alice").text
        assert [one["event"] for one in store.history(item["id"])] == ["ADD", "UPDATE", "DELETE"]
        assert {one["new_memory"] for one in store.history(item["id"])} == {None}
    with MemoryStore(tmp_path / "s") as store:
        assert not any(word in text for text in texts(store.search(word, user_id="alice")))
        assert any(ASKED[language][1] in text for text in texts(store.get_all(user_id="alice")))
        assert store.add(SAID[language][0], user_id="alice")["results"]
        assert word in texts(store.search(word, user_id="alice"))[0]


@pytest.mark.parametrize(
    ("said", "gone", "kept"),
    [
        ("I am allergic to penicillin. I take warfarin 3 mg.", "penicillin", "warfarin"),
        ("I love basketball. I also love gaming.", "basketball", "gaming"),
        ("我喜欢篮球。我也喜欢游泳。", "篮球", "游泳"),
    ],
)
def test_a_thought_goes_without_the_rest_of_its_turn(
    tmp_path: Path, said: str, gone: str, kept: str
) -> None:
    with MemoryStore(tmp_path / "s") as store:
        store.add(said, user_id="a")
        store.delete(store.search(gone, user_id="a", limit=1)["results"][0]["id"])
        assert (
            kept in texts(store.search(kept, user_id="a"))[0]
            and kept in store.recall(kept, user_id="a").text
        )
        assert gone not in store.recall(gone, user_id="a").text
    with sqlite3.connect(tmp_path / "s") as file:
        rest = b"".join(zlib.decompress(row[0]) for row in file.execute("SELECT body FROM log"))
    file.close()
    assert gone not in rest.decode() and gone.encode() not in (tmp_path / "s").read_bytes()


class LastTurns:
    """A memory from elsewhere, with nothing but the basic protocol."""

    name = "last"

    def __init__(self, settings: MemorySettings) -> None:
        self.turns: list[Turn] = []

    async def remember(self, turn: Turn) -> Change:
        self.turns = [*self.turns[-2:], turn]
        return Change()

    async def recall(self, query: Query) -> Recall:
        return Recall(
            text="\n".join(turn.reply for turn in self.turns), exchanges=tuple(self.turns)
        )

    @property
    def state(self) -> dict[str, Any]:
        return {"turns": [turn.model_dump(mode="json") for turn in self.turns]}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        self.turns = [Turn.model_validate(turn) for turn in state["turns"]]


def test_a_memory_from_elsewhere_is_saved_whole(tmp_path: Path) -> None:
    spec = f"{__name__}:LastTurns"
    with MemoryStore(tmp_path / "s", memory=spec) as store:
        for text in "abcde":
            added = store.add(text, user_id="u")["results"]
        with pytest.raises(osler.errors.UserError, match="cannot be deleted; use delete_all"):
            store.delete(added[0]["id"])
    with MemoryStore(tmp_path / "s") as store:
        assert texts(store.search("c", user_id="u")) == ["c", "d", "e"]
        assert store.recall("c", user_id="u").text == "c\nd\ne"
        with sqlite3.connect(tmp_path / "s") as file:
            assert file.execute("SELECT count(*) FROM log").fetchone() == (1,)
        file.close()
        store.delete_all(user_id="u")
        assert not store.recall("c", user_id="u").text


class ScoredFacts(LastTurns):
    """Recalls facts, the later ones with the higher score, and the last turn word for word."""

    async def recall(self, query: Query) -> Recall:
        *earlier, last = self.turns
        facts = tuple(
            Fact(
                subject="user",
                relation="says",
                object=turn.reply,
                turn=turn.number,
                score=turn.number / 4,
            )
            for turn in earlier
        )
        return Recall(facts=facts, exchanges=(*earlier, last))


def test_a_limit_keeps_the_best_of_a_memory_from_elsewhere() -> None:
    with MemoryStore(memory=f"{__name__}:ScoredFacts") as store:
        for text in "abc":
            store.add(text, user_id="u")
        results = store.search("x", user_id="u")["results"]
        assert [(item["memory"], item["score"]) for item in results] == [
            ("c", 1.0),
            ("b", 0.5),
            ("a", 0.25),
        ]
        for limit in (1, 2, 3):
            assert store.search("x", user_id="u", limit=limit)["results"] == results[:limit]


def a_model() -> ChatCompletionClient:
    thought = {
        "subject": "Alice",
        "relation": "lives in",
        "object": "Lisbon",
        "sentence": "I live in Lisbon.",
    }
    return ReplayChatCompletionClient([json.dumps({"thoughts": [thought]}), "no json", "none"])


def test_a_model_behind_the_memory(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "s", memory="tim", backbone=f"{__name__}:a_model") as store:
        assert texts(store.add("I live in Lisbon.", user_id="alice")) == ["Alice lives in Lisbon"]
        assert texts(store.add("I like tea.", user_id="alice")) == ["I like tea."], (
            "unread: kept word for word"
        )
    assert b"a_model" not in (tmp_path / "s").read_bytes()
    with MemoryStore(tmp_path / "s") as store:
        assert texts(store.search("tea", user_id="alice", limit=1)) == ["I like tea."]


async def test_every_method_has_an_async_twin() -> None:
    async with MemoryStore() as store:
        await asyncio.gather(*(store.aadd(text, user_id="u") for text in SAID["en"]))
        [item] = (await store.asearch("cricket", user_id="u", limit=1))["results"]
        assert (
            await store.aget(item["id"])
            and len((await store.aget_all(user_id="u"))["results"]) >= 4
        )
        await store.aupdate(item["id"], "I play chess.")
        assert "chess" in (await store.arecall("chess", user_id="u")).text
        await store.adelete(item["id"])
        assert (await store.ahistory(item["id"]))[-1]["is_deleted"]
        store.add("also from within a running loop, as in a notebook", user_id="u")
        await store.adelete_all(user_id="u")
        await store.areset()
        twins = {name for name in dir(MemoryStore) if not name.startswith("_")}
        assert {f"a{name}" for name in twins if not name.startswith("a") or name == "add"} <= twins
