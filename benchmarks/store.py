"""What a memory store costs as it grows, and whether it loses anything.

python benchmarks/store.py                               10,000 exchanges with raw, 2,000 with tim
python benchmarks/store.py --turns 10000 --memory tim    another number of exchanges
python benchmarks/store.py --only kills                  20 kills while saving
python benchmarks/store.py --only together               4 threads and 2 processes at once

`late/early` is the median processor time of the last tenth of the adds by that of the first tenth
after a warm-up, in the same run; `save` is an add without the work of the memory, which a store
does not change.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from osler import MemoryStore, RecordPool
from osler.language import Language
from osler.memory import Change, Turn
from osler.memory.registry import BUILT_IN

EARLY = 50
"""Adds of a warm-up, which are not measured."""


def exchanges(seed: int) -> Iterator[tuple[str, str]]:
    """What a doctor asks and a patient says, from the entries of the bundled English records."""
    rng = random.Random(seed)
    records = [record for record in RecordPool.open("bundled") if record.language is Language.EN]
    while True:
        entry = rng.choice(rng.choice(records).entries)
        # A number, since a memory keeps the very same fact once.
        reply = f"{entry.report or entry.name}, {rng.randrange(10_000)} times."
        yield f"What about {entry.name}?", reply


THINKING: list[float] = []
"""The time of each `remember` in a store."""


def timed(kind: type[Any]) -> type[Any]:
    """A memory that notes how long it takes to remember a turn."""

    class Timed(kind):  # type: ignore[misc,valid-type]
        async def remember(self, turn: Turn) -> Change:
            start = time.process_time()
            change: Change = await super().remember(turn)
            THINKING.append(time.process_time() - start)
            return change

    return Timed


KEEPING = [name for name in BUILT_IN if name != "none"]
for _name in KEEPING:
    _module, _, _kind = BUILT_IN[_name].partition(":")
    # The store finds a memory by the name of a class in this module.
    globals()[_name] = timed(getattr(import_module(f"osler.memory.{_module}"), _kind))


def growth(memory: str, turns: int, folder: Path) -> None:
    path = folder / f"{memory}.store"
    THINKING.clear()
    with MemoryStore(path, memory=f"__main__:{memory}", language="en") as store:
        times = []
        for question, reply in islice(exchanges(1), turns):
            start = time.process_time()
            messages = [
                {"role": "assistant", "content": question},
                {"role": "user", "content": reply},
            ]
            store.add(messages, user_id="one")
            times.append(time.process_time() - start)
        items = len(store.get_all(user_id="one", superseded=True)["results"])
    saves = [add - thinking for add, thinking in zip(times, THINKING, strict=True)]
    start = time.process_time()
    with MemoryStore(path) as store:
        store.recall("fever", user_id="one")
    opening = time.process_time() - start
    for name, values in (("add", times), ("save", saves)):
        early, late = ends(values)
        print(
            f"{memory}: {name} {1000 * early:.2f} ms early, {1000 * late:.2f} ms late, late/early"
            f" {late / early:.2f}"
        )
    size = path.stat().st_size
    print(
        f"{memory}: {turns} exchanges, {items} items, file {size / 1e6:.1f} MB ({size / turns:.0f}"
        f" bytes an exchange), opened, caught up and asked once in {opening:.1f} s"
    )


def ends(times: list[float]) -> tuple[float, float]:
    tenth = max(1, (len(times) - EARLY) // 10)
    return statistics.median(times[EARLY : EARLY + tenth]), statistics.median(times[-tenth:])


def add_for_ever(path: Path, memory: str, first: int, acknowledged: Connection) -> None:
    store = MemoryStore(path, memory=memory, language="en")
    for number in range(first, first + 1_000_000):
        store.add(f"I weighed {number} grams.", user_id="one")
        acknowledged.send(number)


def kills(memory: str, count: int, folder: Path) -> None:
    """Kill a process that adds without a pause; whatever it was told is saved has to be there."""
    path = folder / f"{memory}-kills.store"
    rng = random.Random(4)
    last = 0
    context = multiprocessing.get_context("spawn")
    for _ in range(count):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=add_for_ever, args=(path, memory, last + 1, theirs))
        process.start()
        last = ours.recv()
        time.sleep(rng.uniform(0.0, 0.1))
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        while ours.poll():
            last = ours.recv()
        with MemoryStore(path) as store:
            numbers = weights(store)
        lost = set(range(1, last + 1)) - set(numbers)
        assert not lost, (last, lost)
        assert numbers == sorted(numbers), numbers[-3:]
        # An add may be saved before the process could acknowledge it.
        assert len(numbers) <= last + 1, (last, numbers[-3:])
        last = max(numbers)
    print(f"{memory}: {count} kills, {last} adds, none lost, order kept")


def weights(store: MemoryStore) -> list[int]:
    """The numbers that were added, in the order of the turns."""
    items = store.get_all(user_id="one", superseded=True)["results"]
    return [int("".join(filter(str.isdigit, item["memory"]))) for item in items]


def add_weights(store: MemoryStore, first: int, count: int) -> None:
    for number in range(first, first + count):
        store.add(f"I weighed {number} grams.", user_id="one")


def add_in_process(path: Path, memory: str, first: int, count: int) -> None:
    with MemoryStore(path, memory=memory, language="en") as store:
        add_weights(store, first, count)


def together(memory: str, folder: Path) -> None:
    """Four threads with one object, then two processes, on one user's memory."""
    path = folder / f"{memory}-together.store"
    with MemoryStore(path, memory=memory, language="en") as store:
        threads = []
        for writer in range(1, 5):
            arguments = (store, 1000 * writer, 100)
            threads.append(threading.Thread(target=add_weights, args=arguments))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        context = multiprocessing.get_context("spawn")
        processes = []
        for writer in (5, 6):
            arguments = (path, memory, 1000 * writer, 100)
            processes.append(context.Process(target=add_in_process, args=arguments))
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        numbers = weights(store)
    # Writers come in between each other, but each must find all of its own in order.
    for writer in range(1, 7):
        own = [number for number in numbers if number // 1000 == writer]
        assert own == list(range(1000 * writer, 1000 * writer + 100)), (writer, len(own))
    print(f"{memory}: 4 threads and 2 processes, {len(numbers)} of 600 kept, each order kept")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int)
    parser.add_argument("--memory", choices=KEEPING, action="append")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--only", choices=["growth", "kills", "together"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for memory in options.memory or ["raw", "tim"]:
            if options.only in (None, "growth"):
                turns = options.turns or (10_000 if memory == "raw" else 2_000)
                growth(memory, turns, folder)
            if options.only in (None, "kills"):
                kills(memory, options.kills, folder)
            if options.only in (None, "together"):
                together(memory, folder)


if __name__ == "__main__":
    main()
