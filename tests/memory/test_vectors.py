"""The vector index: exact, by the papers' groups, and approximate among very many."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from osler.memory.core.lsh import Hashing
from osler.memory.core.vectors import VectorIndex

Rows = NDArray[np.float32]

DIMENSIONS = 12


def unit(rows: Rows) -> Rows:
    units: Rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units


def scattered(count: int, seed: int, dimensions: int = DIMENSIONS) -> Rows:
    return unit(np.random.default_rng(seed).standard_normal((count, dimensions), dtype=np.float32))


def clustered(count: int, seed: int, dimensions: int = 48, topics: int = 300) -> Rows:
    rng = np.random.default_rng(seed)
    shares = 1 / (np.arange(topics) + 5.0)
    centres = scattered(topics, seed + 1, dimensions)[
        rng.choice(topics, count, p=shares / shares.sum())
    ]
    return unit(centres + scattered(count, seed + 2, dimensions) * np.float32(0.8))


def brute(stored: dict[int, Rows], query: Rows, k: int) -> list[int]:
    """By double precision, of two alike the smaller id first."""
    direction = query.astype(np.float64)
    cosines = {id: float((row.astype(np.float64) * direction).sum()) for id, row in stored.items()}
    return sorted(cosines, key=lambda id: (-cosines[id], id))[:k]


def filled(rows: Rows, **options: Any) -> VectorIndex:
    index = VectorIndex(rows.shape[1], **options)
    for id, row in enumerate(rows):
        index.add(id, row)
    return index


def kept(index: VectorIndex, rows: Rows, queries: Rows, k: int = 5) -> float:
    """The share of the exact top k that a search finds."""
    exact = np.argsort(-(queries @ rows.T), axis=1)[:, :k]
    found = [{id for id, _ in index.search(query, k)} for query in queries]
    return float(
        np.mean(
            [len(some & set(truth.tolist())) / k for some, truth in zip(found, exact, strict=True)]
        )
    )


def names(found: list[tuple[int, float]]) -> list[int]:
    return [id for id, _ in found]


@settings(max_examples=50)
@given(st.integers(1, 60), st.integers(1, 70), st.integers(0, 2**32))
def test_search_and_search_with_all_probes_are_brute_force(count: int, k: int, seed: int) -> None:
    rows = scattered(count, seed)
    index = filled(rows, groups=6)
    (query,) = scattered(1, seed + 1)
    exact = brute(dict(enumerate(rows)), query, k)
    assert names(index.search(query, k)) == exact
    assert index.search(query, k, probes=6) == index.search(query, k)
    cosines = [cosine for _, cosine in index.search(query, k)]
    assert cosines == sorted(cosines, reverse=True)
    assert cosines == pytest.approx([float(rows[id] @ query) for id in exact], abs=1e-5)


def test_one_probe_looks_into_the_querys_own_group_and_nowhere_else() -> None:
    rows, queries = scattered(300, 1), scattered(20, 2)
    index = filled(rows, groups=8, seed=5)
    hashing = Hashing(DIMENSIONS, 8, 5)
    for query in queries:
        own = {id: row for id, row in enumerate(rows) if hashing.group(row) == hashing.group(query)}
        assert names(index.search(query, 300, probes=1)) == brute(own, query, 300)
        two = {id for group in hashing.order(query)[:2] for id in index.members(group)}
        assert set(names(index.search(query, 300, probes=2))) == two


def test_of_two_alike_the_smaller_id_comes_first() -> None:
    index = VectorIndex(DIMENSIONS)
    (row,) = scattered(1, 0)
    for id in (9, 3, 7, 5):
        index.add(id, row)
    assert names(index.search(row, 3)) == [3, 5, 7]


def test_a_given_group_is_kept() -> None:
    rows = scattered(40, 3)
    index = VectorIndex(DIMENSIONS, groups=4)
    for id, row in enumerate(rows):
        assert index.add(id, row, group=id % 4) == id % 4
    assert [index.members(group) for group in range(4)] == [
        list(range(group, 40, 4)) for group in range(4)
    ]
    first = index.hashing.group(rows[0])
    assert {id % 4 for id, _ in index.search(rows[0], 40, probes=1)} == {first}


def test_the_same_seed_gives_the_same_groups_and_another_seed_others() -> None:
    rows = scattered(100, 4)
    groups = [filled(rows, groups=16, seed=seed) for seed in (1, 1, 2)]
    one, same, other = ([index.members(group) for group in range(16)] for index in groups)
    assert one == same != other
    assert sorted(id for group in range(16) for id in groups[0].members(group)) == list(range(100))


steps = st.lists(st.tuples(st.booleans(), st.integers(0, 25)), max_size=120)


@settings(max_examples=30)
@given(steps, st.sampled_from([10, 1000]))
def test_what_was_removed_never_comes_back_and_the_rest_is_found(
    steps: list[tuple[bool, int]], exact_below: int
) -> None:
    rows = scattered(26, 6)
    index = VectorIndex(DIMENSIONS, groups=4, exact_below=exact_below)
    stored: dict[int, Rows] = {}
    for number, (add, id) in enumerate(steps):
        if id in stored:
            if not add:
                index.remove(id)
                del stored[id]
        elif add:
            index.add(id, rows[id])
            stored[id] = rows[id]
        assert len(index) == len(stored)
        assert names(index.search(rows[id], 26, probes=4)) == brute(stored, rows[id], 26)
        if number % 5 == 0:
            assert set(names(index.search(rows[id], 26))) <= stored.keys()
    assert sorted(id for group in range(4) for id in index.members(group)) == sorted(stored)


def test_the_approximate_index_comes_and_goes_with_the_number_of_vectors_and_loses_none() -> None:
    rows = clustered(1200, 7, DIMENSIONS, 40)
    index = VectorIndex(DIMENSIONS, exact_below=500)
    for id, row in enumerate(rows):
        index.add(id, row)
        if id % 100 == 0:
            assert index.search(row, 1)[0][0] == id
    assert not index.is_exact
    for id in range(1100):
        index.remove(id)
        if id % 100 == 0:
            assert all(other > id for other in names(index.search(rows[id], 5)))
    rest = {id: rows[id] for id in range(1100, 1200)}
    assert all(names(index.search(row, 5)) == brute(rest, row, 5) for row in rest.values())
    assert index.is_exact
    assert all(id in index.members(index.hashing.group(row)) for id, row in rest.items())


def test_an_approximate_search_keeps_nine_in_ten_and_asked_for_all_it_is_exact() -> None:
    rows = clustered(2000, 8)
    index = filled(rows, exact_below=1500)
    queries = unit(rows[:100] + scattered(100, 10, 48) * np.float32(0.7))
    assert kept(index, rows, queries) >= 0.9
    assert not index.is_exact
    stored = dict(enumerate(rows))
    assert sorted(names(index.search(queries[0], 2000))) == sorted(stored)
    assert names(index.search(queries[0], 5, probes=8)) == brute(stored, queries[0], 5)


def test_an_index_of_the_same_rows_is_the_same_and_stays_the_same() -> None:
    rows, more = clustered(600, 14), clustered(700, 15)
    index = filled(rows, groups=8, seed=3)
    queries = clustered(10, 16)
    for id in range(0, 600, 7):
        index.remove(id)
    left = [id for id in range(600) if id % 7]
    other = VectorIndex(48, groups=8, seed=3)
    other.extend(json.loads(json.dumps(index.rows_of(left))))
    for first in (5000, 10_000):
        assert len(other) == len(index)
        assert [other.members(group) for group in range(8)] == [
            index.members(group) for group in range(8)
        ]
        for query in queries:
            assert other.search(query, 5) == index.search(query, 5)
            assert other.search(query, 5, probes=2) == index.search(query, 5, probes=2)
        for one in (index, other):
            for id, row in enumerate(more):
                one.add(first + id, row)


def test_an_empty_index_has_no_rows_to_save_and_takes_in_none() -> None:
    index = VectorIndex(DIMENSIONS)
    index.extend(json.loads(json.dumps(VectorIndex(DIMENSIONS).rows_of([]))))
    assert len(index) == 0
    assert index.search(np.ones(DIMENSIONS, dtype=np.float32), 5) == []
    assert index.members(0) == []
    assert len(index.sample(3)) == 0


def test_cosine_does_not_depend_on_the_length_of_either() -> None:
    index = VectorIndex(DIMENSIONS)
    first, second = scattered(2, 17)
    index.add(1, first * 3)
    assert index.search(second * 5, 1)[0][1] == pytest.approx(float(first @ second), abs=1e-6)
    assert index.cosines(second * 5, [1]).tolist() == [
        cosine for _, cosine in index.search(second * 5, 1)
    ]


def test_cosines_of_some_and_of_all_are_those_of_a_search() -> None:
    index = filled(scattered(60, 21))
    (query,) = scattered(1, 22)
    every = dict(index.search(query, 60))
    assert index.all_cosines(query).tolist() == [every[number] for number in range(60)]
    assert index.cosines(query, [7, 3]).tolist() == [every[7], every[3]]
    assert len(index.cosines(query, [])) == 0


def test_many_alike_are_all_weighed() -> None:
    """More equal vectors than faiss is asked for at first: still the smallest ids are found."""
    rows = scattered(400, 23)
    rows[100:300] = rows[100]
    index = VectorIndex(DIMENSIONS)
    for id in reversed(range(400)):
        index.add(id, rows[id])
    assert names(index.search(rows[100], 3)) == [100, 101, 102]


def test_a_sample_is_of_the_stored_vectors_and_the_same_each_time() -> None:
    rows = scattered(50, 18)
    index = filled(rows)
    some = index.sample(10)
    assert np.array_equal(some, index.sample(10))
    assert len({row.tobytes() for row in some} & {row.tobytes() for row in rows}) == 10
    assert len(index.sample(80)) == 50


def test_a_vector_of_zeros_is_near_to_nothing() -> None:
    index = VectorIndex(DIMENSIONS)
    (row,) = scattered(1, 19)
    index.add(1, np.zeros(DIMENSIONS, dtype=np.float32))
    index.add(2, row)
    assert index.search(row, 2) == [(2, pytest.approx(1.0)), (1, 0.0)]


def test_mistakes_are_refused_and_change_nothing() -> None:
    index = VectorIndex(DIMENSIONS, groups=4)
    (row,) = scattered(1, 20)
    index.add(1, row)
    with pytest.raises(ValueError, match="already"):
        index.add(1, row)
    with pytest.raises(ValueError, match="groups"):
        index.add(2, row, group=4)
    with pytest.raises(ValueError, match="shape"):
        index.add(2, row[:5])
    with pytest.raises(ValueError, match="finite"):
        index.add(2, row * np.float32(np.nan))
    with pytest.raises(KeyError):
        index.remove(2)
    assert names(index.search(row, 5)) == [1]
    assert index.search(row, 0) == []


def test_a_sample_does_not_depend_on_the_order_of_adding_and_removing() -> None:
    rows = np.random.default_rng(3).normal(size=(60, 8)).astype(np.float32)
    index, again = VectorIndex(8), VectorIndex(8)
    for number, row in enumerate(rows):
        index.add(number, row)
    for number in range(0, 40, 3):
        index.remove(number)
    for number in reversed(range(60)):
        if number >= 40 or number % 3:
            again.add(number, rows[number])
    assert np.array_equal(index.sample(20), again.sample(20))
