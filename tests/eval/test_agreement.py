"""Krippendorff's alpha and Cohen's kappa are what their definitions say, with gaps and any number
of raters."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, to_table  # type: ignore[import-untyped]

from osler.eval.statistics import cohen_kappa, krippendorff_alpha

ratings = st.integers(-3, 3)
rated_items = st.lists(st.lists(ratings, max_size=5), max_size=8)


def by_definition(items: list[list[int]]) -> Fraction | None:
    """Disagreement of all pairs within items over that of all pairs at all, in whole numbers."""
    pairable = [item for item in items if len(item) > 1]
    pool = [rating for item in pairable for rating in item]

    def apart(a: int, b: int) -> Fraction:
        between = sum(min(a, b) <= rating <= max(a, b) for rating in pool)
        return (between - Fraction(pool.count(a) + pool.count(b), 2)) ** 2

    def disagreement(some: list[int]) -> Fraction:
        return sum(
            (apart(a, b) for i, a in enumerate(some) for j, b in enumerate(some) if i != j),
            Fraction(0),
        )

    expected = disagreement(pool)
    if not expected:
        return None
    observed = sum((disagreement(item) / (len(item) - 1) for item in pairable), Fraction(0))
    return 1 - observed * (len(pool) - 1) / expected


@settings(max_examples=60)
@given(items=rated_items)
def test_alpha_is_that_of_its_definition(items: list[list[int]]) -> None:
    result, exact = krippendorff_alpha(items), by_definition(items)
    if exact is None:
        assert result.value is None
    else:
        assert result.value == pytest.approx(float(exact), abs=1e-12)
    assert result.n == sum(len(item) > 1 for item in items)


def test_alpha_by_hand() -> None:
    """Two ratings of 1, three of 2, two of 5; 1 and 2 meet twice in an item of three.

    With 6.25, 25 and 6.25 between neighbours, ends, neighbours: 1 - (12.5/7) / (350/42).
    """
    result = krippendorff_alpha([[1, 1, 2], [5, 5], [2, 2], [5], []])
    assert result.value == pytest.approx(11 / 14)
    assert result.n == 3


@settings(max_examples=40)
@given(
    items=st.lists(st.lists(ratings, min_size=4, max_size=4), min_size=1, max_size=6),
    order=st.permutations(range(4)),
)
def test_alpha_does_not_know_raters_by_name(items: list[list[int]], order: list[int]) -> None:
    assert krippendorff_alpha(
        [[item[rater] for rater in order] for item in items]
    ) == krippendorff_alpha(items)


@settings(max_examples=40)
@given(verdicts=st.lists(st.integers(-5, 5), min_size=2, max_size=9), raters=st.integers(2, 4))
def test_alpha_of_perfect_agreement_is_one(verdicts: list[int], raters: int) -> None:
    assume(len(set(verdicts)) > 1)
    assert krippendorff_alpha([[verdict] * raters for verdict in verdicts]).value == 1


def test_alpha_needs_something_to_disagree_about() -> None:
    nothing: list[list[list[float]]] = [[], [[]], [[], [1]], [[2, 2], [2, 2]]]
    for items in nothing:
        assert krippendorff_alpha(items).value is None


def test_nominal_alpha_by_hand() -> None:
    """Ratings 1, 1, 2, 2, 2, 3 in three items of two, one of which differs: 1 - (2/6) / (22/30)."""
    items = [[1, 1], [2, 2], [2, 3]]
    assert krippendorff_alpha(items, nominal=True).value == pytest.approx(6 / 11)
    far = [[1, 1], [2, 2], [2, 9]]
    assert krippendorff_alpha(far, nominal=True) == krippendorff_alpha(items, nominal=True), (
        "no value is farther"
    )


@settings(max_examples=60)
@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=20))
def test_kappa_is_that_of_statsmodels(pairs: list[tuple[int, int]]) -> None:
    assume(len({value for pair in pairs for value in pair}) > 1)
    counts, _ = to_table(pairs, 4)
    found = cohen_kappa([(str(first), str(second)) for first, second in pairs])
    assert found.n == len(pairs)
    assert found.value == pytest.approx(
        float(cohens_kappa(counts, return_results=False)), abs=1e-12
    )


def test_kappa_needs_something_to_disagree_about() -> None:
    assert cohen_kappa([]).value is None and cohen_kappa([("a", "a")] * 3).value is None
