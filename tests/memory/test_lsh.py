"""The hash: what falls into which group."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.memory.core.lsh import Hashing


def vectors(
    count: int, dimensions: int, seed: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@given(st.integers(1, 40), st.integers(1, 20), st.integers(0, 2**32), st.integers(0, 2**32))
def test_the_order_starts_with_the_vectors_own_group_and_names_each_group_once(
    dimensions: int, pairs: int, seed: int, other: int
) -> None:
    hashing = Hashing(dimensions, 2 * pairs, seed)
    (vector,) = vectors(1, dimensions, other)
    order = hashing.order(vector)
    assert order[0] == hashing.group(vector)
    assert sorted(order) == list(range(2 * pairs))


def test_a_vector_of_zeros_has_a_group_too() -> None:
    hashing = Hashing(6, 4)
    assert hashing.order(np.zeros(6, dtype=np.float32))[0] == hashing.group(
        np.zeros(6, dtype=np.float32)
    )


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_the_opposite_vector_falls_into_the_opposite_group_and_sees_the_groups_in_reverse(
    seed: int, other: int
) -> None:
    hashing = Hashing(16, 8, seed)
    (vector,) = vectors(1, 16, other)
    assert (hashing.group(-vector) - hashing.group(vector)) % 8 == 4
    assert hashing.order(-vector) == hashing.order(vector)[::-1]


@given(st.integers(0, 2**32), st.floats(0.01, 100))
def test_length_does_not_matter(other: int, length: float) -> None:
    hashing = Hashing(16, 8, seed=1)
    (vector,) = vectors(1, 16, other)
    assert hashing.order(vector) == hashing.order(vector * np.float32(length))


def test_the_same_seed_gives_the_same_groups_in_another_process() -> None:
    code = (
        "import numpy as np; from osler.memory.core.lsh import Hashing; h = Hashing(32, 64, 7);"
        "print([h.group(v) for v in np.random.default_rng(3).standard_normal((50, 32), dtype=np.float32)])"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    rows = np.random.default_rng(3).standard_normal((50, 32), dtype=np.float32)
    here = [Hashing(32, 64, 7).group(row) for row in rows]
    assert there.strip() == str(here)
    assert here != [Hashing(32, 64, 8).group(row) for row in rows]


def test_near_vectors_share_a_group_more_often_than_far_ones() -> None:
    hashing = Hashing(64, 16)
    rows = vectors(500, 64, 0)
    near = rows + 0.05 * vectors(500, 64, 1)
    far = vectors(500, 64, 2)
    groups = np.array([hashing.group(row) for row in rows])
    together = np.mean(groups == [hashing.group(row) for row in near])
    apart = np.mean(groups == [hashing.group(row) for row in far])
    assert together > 0.85
    assert apart < 0.15


@pytest.mark.parametrize("groups", [0, 1, 7])
def test_groups_come_in_pairs(groups: int) -> None:
    with pytest.raises(ValueError, match="pairs"):
        Hashing(8, groups)
