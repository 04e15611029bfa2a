"""A memory store that threads, tasks and processes share, and that is killed while it saves:
nothing is lost."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from osler import MemoryStore
from osler.errors import UserError
from osler.memory import MemorySettings, Recall
from osler.memory.base import Change, Query, Turn
from osler.memory.embedders.base import Vectors
from osler.memory.embedders.hash import HashEmbedder
from osler.memory.registry import BUILT_IN
from tests.conftest import LONGEST_WAIT

KEEPING = [name for name in BUILT_IN if name != "none"]
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["osler.memory.store.memory_store", "osler.memory.tim.memory"])


def numbers(store: MemoryStore, user: str = "u") -> list[int]:
    """The numbers in what was added, in its order; of what a sentence gave, the first."""
    items = store.get_all(user_id=user, superseded=True)["results"]
    return [int("".join(filter(str.isdigit, item["memory"]))) for item in items]


def add_some(path: Path, memory: str, first: int, count: int) -> None:
    with MemoryStore(path, memory=memory, language="en") as store:
        for number in range(first, first + count):
            store.add(f"I weighed {number} grams.", user_id="u")


def check_all(kept: Sequence[int], writers: Sequence[int], count: int) -> None:
    for writer in writers:
        assert [number for number in kept if number // 1000 == writer] == [
            1000 * writer + number for number in range(count)
        ]
    assert len(kept) == len(writers) * count


@pytest.mark.parametrize("memory", KEEPING)
def test_two_objects_on_one_file(tmp_path: Path, memory: str) -> None:
    with MemoryStore(tmp_path / "s", memory=memory) as first, MemoryStore(tmp_path / "s") as second:
        first.add("I am allergic to penicillin.", user_id="u")
        second.add("I take warfarin.", user_id="u")
        first.add("I play cricket.", user_id="u")
        for store in (first, second):
            for word in ("penicillin", "warfarin", "cricket"):
                found = [item["memory"] for item in store.search(word, user_id="u")["results"]]
                assert word in (found[0] if memory != "perlt" else " ".join(found)), (
                    "perlt ranks by class first"
                )
                assert word in store.recall(word, user_id="u").text
        first.delete(first.search("warfarin", user_id="u")["results"][0]["id"])
        assert "warfarin" not in second.recall("warfarin", user_id="u").text
        second.reset()
        assert not first.search("cricket", user_id="u")["results"]
        first.add("I play chess.", user_id="u")
        assert "chess" in second.recall("chess", user_id="u").text


@pytest.mark.parametrize("memory", KEEPING)
def test_four_threads(tmp_path: Path, memory: str) -> None:
    errors: list[BaseException] = []
    with MemoryStore(tmp_path / "s", memory=memory, language="en") as store:

        def some(writer: int) -> None:
            try:
                for number in range(25):
                    store.add(f"I weighed {1000 * writer + number} grams.", user_id="u")
                    store.search("grams", user_id="u", limit=1)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=some, args=(writer,)) for writer in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        check_all(numbers(store), range(1, 5), 25)


@pytest.mark.parametrize("memory", KEEPING)
def test_two_processes(tmp_path: Path, memory: str) -> None:
    with MemoryStore(tmp_path / "s", memory=memory) as store:
        others = [
            CONTEXT.Process(target=add_some, args=(tmp_path / "s", memory, 1000 * one, 25))
            for one in (1, 2)
        ]
        for process in others:
            process.start()
        for number in range(25):
            store.add(f"I weighed {3000 + number} grams.", user_id="u")
        for process in others:
            process.join()
        check_all(numbers(store), (1, 2, 3), 25)
        recall = store.recall("grams", user_id="u")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    with MemoryStore(tmp_path / "s") as store:
        assert store.recall("grams", user_id="u") == recall


class SlowEmbedder(HashEmbedder):
    """Waits before it embeds, as a server does."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await asyncio.sleep(0.002)
        return await super().embed(texts)


async def test_tasks_with_an_embedder_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("osler.memory.tim.memory.open_embedder", lambda spec: SlowEmbedder())
    async with MemoryStore(memory="tim", language="en") as store:
        adds = [store.aadd(f"I weighed {number} grams.", user_id="u") for number in range(20)]
        searches = [store.asearch("grams", user_id="u") for _ in range(20)]
        await asyncio.gather(*(task for pair in zip(adds, searches, strict=True) for task in pair))
        assert sorted(numbers(store)) == list(range(20))


def add_for_ever(path: Path, memory: str, first: int, acknowledged: Connection) -> None:
    store = MemoryStore(path, memory=memory, language="en")
    for number in range(first, first + 100_000):
        store.add(f"I weighed {number} grams.", user_id="u")
        acknowledged.send(number)


@pytest.mark.parametrize("memory", KEEPING)
def test_kills_while_saving_leave_every_complete_exchange(tmp_path: Path, memory: str) -> None:
    path, rng, told = tmp_path / "s", random.Random(7), 0
    for _ in range(10 if memory == "tim" else 3):  # they are saved by the same code
        ours, theirs = CONTEXT.Pipe(duplex=False)
        process = CONTEXT.Process(target=add_for_ever, args=(path, memory, told + 1, theirs))
        process.start()
        told = ours.recv()
        time.sleep(rng.uniform(0.0, 0.02))
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        while ours.poll():
            told = ours.recv()
        with MemoryStore(path) as store:
            kept = numbers(store)
            assert kept in (list(range(1, told + 1)), list(range(1, told + 2)))
            told = len(kept)
            store.recall("grams", user_id="u")


class Gate:
    """A memory that thinks until it is let go."""

    name = "gate"
    is_open: threading.Event = threading.Event()
    is_thinking: threading.Event = threading.Event()

    def __init__(self, settings: MemorySettings) -> None:
        self.turns: list[str] = []

    async def remember(self, turn: Turn) -> Change:
        self.turns.append(turn.reply)
        if turn.reply == "fail":
            raise RuntimeError("the memory failed")
        while turn.reply == "think" and not Gate.is_open.is_set():
            Gate.is_thinking.set()
            await asyncio.sleep(0.001)
        return Change()

    async def recall(self, query: Query) -> Recall:
        return Recall(text=" ".join(self.turns))

    @property
    def state(self) -> dict[str, Any]:
        return {"turns": self.turns}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        self.turns = list(state["turns"])


@pytest.fixture
def gate() -> type[Gate]:
    Gate.is_open.clear()
    Gate.is_thinking.clear()
    return Gate


async def test_nobody_else_waits_while_a_memory_thinks(tmp_path: Path, gate: type[Gate]) -> None:
    spec = f"{__name__}:Gate"
    async with (
        MemoryStore(tmp_path / "s", memory=spec) as first,
        MemoryStore(tmp_path / "s") as second,
    ):
        thinking = asyncio.create_task(first.aadd("think", user_id="a"))
        await asyncio.to_thread(gate.is_thinking.wait)
        await second.aadd("quick", user_id="b")
        assert (await second.arecall("", user_id="a")).text == ""
        waiting = asyncio.create_task(second.aadd("after", user_id="a"))
        await asyncio.sleep(0.02)
        assert not waiting.done()
        gate.is_open.set()
        await asyncio.gather(thinking, waiting)
        assert (await first.arecall("", user_id="a")).text == "think after"


async def test_what_failed_or_was_cancelled_leaves_nothing(
    tmp_path: Path, gate: type[Gate]
) -> None:
    async with MemoryStore(tmp_path / "s", memory=f"{__name__}:Gate") as store:
        await store.aadd("kept", user_id="a")
        with pytest.raises(RuntimeError, match="the memory failed"):
            await store.aadd("fail", user_id="a")
        task = asyncio.create_task(store.aadd("think", user_id="a"))
        await asyncio.to_thread(gate.is_thinking.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await store.aadd("next", user_id="a")
        assert (await store.arecall("", user_id="a")).text == "kept next"


def test_the_cost_of_an_add_and_the_growth_of_the_file_stay_the_same(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "s", memory="raw", language="en") as store:
        times, sizes = [], [0]
        for number in range(1200):
            start = time.process_time()
            store.add(
                f"On that day I weighed {number} grams and walked {number % 7} miles.", user_id="u"
            )
            times.append(time.process_time() - start)
            if number % 400 == 399:
                sizes.append(sum(path.stat().st_size for path in tmp_path.glob("s")))
    assert statistics.median(times[-200:]) < 3 * statistics.median(times[100:300])
    assert sizes[3] - sizes[2] < 2 * (sizes[2] - sizes[1])


SCRIPT = """
import os, sys
from osler import MemoryStore
store = MemoryStore(sys.argv[1], memory="raw")
store.add("one", user_id="u")
child = os.fork()
store.add("of the child" if child == 0 else "of the parent", user_id="u")
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(sorted(item["memory"] for item in store.get_all(user_id="u")["results"]))
"""


def test_a_forked_process_goes_on_with_the_store(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(tmp_path / "s")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False
    )
    assert done.stdout.strip() == "['of the child', 'of the parent', 'one']", done.stderr


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "s")
    store.close()
    with pytest.raises(UserError, match="closed; open it again"):
        store.add("one", user_id="u")
