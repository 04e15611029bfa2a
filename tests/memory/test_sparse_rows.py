"""Vectors of hashed words: held without their zeros, found as exactly as dense ones."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from osler.memory.core.vectors import VectorIndex

Rows = NDArray[np.float32]

DIMENSIONS = 64
DENSE_ROW = 4096 * 4
"""Bytes of a hashed vector with all its zeros, in single precision."""


def hashed(count: int, seed: int) -> Rows:
    """Rows like those of hashed words: a few small whole numbers, the rest 0."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((count, DIMENSIONS), dtype=np.float32)
    for row in rows:
        row[rng.choice(DIMENSIONS, 6, replace=False)] = rng.integers(1, 4, 6)
    return rows


@settings(max_examples=12)
@given(
    seed=st.integers(0, 1000),
    removed=st.sets(st.integers(0, 1199), max_size=900),
    first_search=st.booleans(),
)
def test_a_search_finds_the_nearest_whatever_was_removed(
    seed: int, removed: set[int], first_search: bool
) -> None:
    """Over two complete blocks and a rest; whether they were made before the rows were removed or
    after."""
    rows, query = hashed(1200, seed), hashed(1, seed + 1)[0]
    index = VectorIndex(DIMENSIONS, sparse=True)
    for id, row in enumerate(rows):
        index.add(id, row)
    if first_search:
        index.search(query, 5)
    for id in removed:
        index.remove(id)
    ids = [id for id in range(len(rows)) if id not in removed]
    direction = query.astype(np.float64) / np.linalg.norm(query)
    cosines = index.vectors(ids).astype(np.float64) @ direction
    truth = sorted(zip((-cosines).round(9).tolist(), ids, strict=True))
    found = index.search(query, 5)
    assert [id for id, _ in found] == [id for _, id in truth[:5]]
    assert [cosine for _, cosine in found] == pytest.approx(
        [-cosine for cosine, _ in truth[:5]], abs=1e-6
    )
    assert index.cosines(query, ids).tolist() == pytest.approx(cosines.tolist(), abs=1e-6)


def test_rows_are_the_same_after_they_were_saved() -> None:
    rows = hashed(40, 3)
    index, other = (VectorIndex(DIMENSIONS, sparse=True) for _ in range(2))
    for id, row in enumerate(rows):
        index.add(id, row)
    other.extend(index.rows_of(range(len(rows))))
    query = hashed(1, 4)[0]
    assert other.search(query, 40) == index.search(query, 40)
    assert (
        np.abs(index.vectors(range(40)) - rows / np.linalg.norm(rows, axis=1, keepdims=True)).max()
        < 1e-3
    )


GROW = """
import asyncio, resource, sys
from osler.language import Language
from osler.memory import MemorySettings, Query, Turn, memory_factory
from osler.records import RecordPool

async def grow(turns):
    memory = memory_factory(sys.argv[1])(MemorySettings(language=Language.EN))
    for turn in turns:
        await memory.remember(turn)
    await memory.recall(Query("Where does it hurt?"))
    return memory

records = [record for record in RecordPool.open() if record.language is Language.EN]
told = [(entry.name, entry.report) for record in records for entry in record.entries if entry.report]
turns = [Turn(number=n, question=f"{asked}?", reply=reply) for n, (asked, reply) in enumerate(told[:500], 1)]
first = asyncio.run(grow(turns))  # with it comes what a process keeps of texts for all memories
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
second = asyncio.run(grow(turns))
print(len(turns), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.parametrize("name", ["memorybank", "scm"])
def test_a_turn_with_its_words_takes_less_room_than_a_dense_vector(name: str) -> None:
    """Of the process: faiss holds its vectors where Python does not see them."""
    done = subprocess.run(
        [sys.executable, "-c", GROW, name], capture_output=True, text=True, check=True
    )
    turns, grown = map(int, done.stdout.split())
    assert turns == 500 and grown / turns < DENSE_ROW / 2
