"""Kappa against statsmodels; alpha against its definition, pair by pair."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]
from statsmodels.stats.inter_rater import cohens_kappa as their_kappa  # type: ignore[import-untyped]

from osler.eval.agreement import Scale, cohens_kappa, confusion, krippendorff_alpha
from osler.eval.statistics import wilson

SCALES = list(Scale)
labels = st.one_of(st.none(), st.sampled_from(["right", "partly", "错误"]))
rated_pairs = st.lists(st.tuples(labels, labels), max_size=15)
ratings = st.one_of(st.none(), st.integers(-2, 3))
rated_items = st.lists(st.lists(ratings, max_size=4), max_size=7)


def from_table(counts: list[list[int]]) -> tuple[list[int], list[int]]:
    """Two raters whose confusion table this is."""
    pairs = [(a, b) for a, row in enumerate(counts) for b, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


# Kappa


def test_confusion_counts_rows_by_the_first_rater() -> None:
    table = confusion(["y", "y", "n", None, "y"], ["y", "n", "n", "y", None])
    assert (table.labels, table.counts, table.n, table.left_out) == (("n", "y"), ((1, 0), (1, 1)), 3, 2)


@settings(max_examples=60)
@given(rated_pairs)
def test_kappa_is_that_of_statsmodels(pairs: list[tuple[str | None, str | None]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    result = cohens_kappa(first, second, resamples=100)
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    assert (result.table.n, result.table.left_out) == (len(both), len(pairs) - len(both))
    if not both:
        assert (result.value, result.interval, result.agreement) == (None, None, None)
        return
    assert result.agreement == pytest.approx(sum(a == b for a, b in both) / len(both))
    if len({label for pair in both for label in pair}) == 1:
        assert (result.value, result.interval) == (None, None)
        return
    theirs = their_kappa(np.array(result.table.counts), return_results=False)
    assert result.value is not None
    assert math.isclose(result.value, theirs, abs_tol=1e-12)
    if result.interval:
        assert result.interval.low <= result.value <= result.interval.high


def test_kappa_by_hand() -> None:
    """35 of 50 agree; chance agrees on (25·30 + 25·20) / 2500 = 0.5."""
    result = cohens_kappa(*from_table([[20, 5], [10, 15]]))
    assert result.agreement == pytest.approx(0.7)
    assert result.value == pytest.approx(0.4)


def test_kappa_interval_is_that_of_scipy_over_items() -> None:
    first, second = from_table([[30, 6, 2], [5, 25, 4], [1, 3, 14]])

    def kappa(a: Sequence[int], b: Sequence[int]) -> float:
        counts = np.zeros((3, 3))
        np.add.at(counts, (np.asarray(a), np.asarray(b)), 1)
        return float(their_kappa(counts, return_results=False))

    theirs = stats.bootstrap(
        (first, second),
        kappa,
        n_resamples=2_000,
        paired=True,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert cohens_kappa(first, second, seed=1).interval == pytest.approx(tuple(theirs), abs=0.015)


def test_kappa_depends_on_the_seed_alone() -> None:
    first, second = from_table([[20, 5], [10, 15]])
    assert cohens_kappa(first, second, seed=1) == cohens_kappa(first[::-1], second[::-1], seed=1)
    assert cohens_kappa(first, second, seed=1).interval != cohens_kappa(first, second, seed=2).interval


def test_perfect_agreement_is_not_certain_to_stay_so() -> None:
    """Chance agrees on half, so the lower end is as far below 1 as Wilson's is, twice over."""
    verdicts = [True, False] * 10
    result, share = cohens_kappa(verdicts, verdicts), wilson(20, 20)
    assert result.value == 1 and result.interval and share
    assert result.interval == pytest.approx((1 - 2 * (1 - share.low), 1.0))


def test_agreement_on_a_single_label_is_not_defined() -> None:
    result = cohens_kappa(["yes"] * 5, ["yes"] * 5)
    assert (result.value, result.interval, result.agreement) == (None, None, 1.0)
    assert cohens_kappa(["yes"], ["no"]).value == 0
    assert cohens_kappa(["yes"], ["no"]).interval is None
    assert cohens_kappa([None, None], ["yes", None]).value is None


def test_draws_without_a_kappa_are_passed_over() -> None:
    """One item of four differs: about a third of all draws hold a single label."""
    result = cohens_kappa(["y", "y", "y", "y"], ["y", "y", "y", "n"])
    assert result.value == 0
    assert result.interval is not None and all(map(math.isfinite, result.interval))


def test_raters_must_have_rated_the_same_items() -> None:
    with pytest.raises(ValueError, match="shorter"):
        cohens_kappa(["y"], [])


# Alpha


def by_definition(items: list[list[int | None]], scale: Scale) -> Fraction | None:
    """Disagreement of all pairs within items over that of all pairs at all, in whole numbers."""
    known = [[rating for rating in item if rating is not None] for item in items]
    pairable = [item for item in known if len(item) > 1]
    pool = [rating for item in pairable for rating in item]

    def apart(a: int, b: int) -> Fraction:
        low, high = min(a, b), max(a, b)
        match scale:
            case Scale.NOMINAL:
                return Fraction(a != b)
            case Scale.ORDINAL:
                between = sum(low <= rating <= high for rating in pool)
                return (between - Fraction(pool.count(a) + pool.count(b), 2)) ** 2
            case Scale.INTERVAL:
                return Fraction(a - b) ** 2

    def disagreement(ratings: list[int]) -> Fraction:
        return sum((apart(a, b) for i, a in enumerate(ratings) for j, b in enumerate(ratings) if i != j), Fraction(0))

    expected = disagreement(pool)
    if not expected:
        return None
    observed = sum((disagreement(item) / (len(item) - 1) for item in pairable), Fraction(0))
    return 1 - observed * (len(pool) - 1) / expected


@pytest.mark.parametrize("scale", SCALES)
@settings(max_examples=40)
@given(items=rated_items)
def test_alpha_is_that_of_its_definition(scale: Scale, items: list[list[int | None]]) -> None:
    result, exact = krippendorff_alpha(items, scale), by_definition(items, scale)
    if exact is None:
        assert result.value is None
    else:
        assert result.value == pytest.approx(float(exact), abs=1e-12)
    sizes = [sum(rating is not None for rating in item) for item in items]
    assert result.items == sum(size > 1 for size in sizes)
    assert result.ratings == sum(size for size in sizes if size > 1)
    assert result.left_out == len(items) - result.items


@pytest.mark.parametrize(
    ("scale", "alpha"), [(Scale.NOMINAL, 5 / 8), (Scale.ORDINAL, 11 / 14), (Scale.INTERVAL, 59 / 62)]
)
def test_alpha_by_hand(scale: Scale, alpha: float) -> None:
    """Two ratings of 1, three of 2, two of 5; 1 and 2 meet twice in an item of three.

    Nominal: 1 - (2/7) / (32/42). Ordinal, with 6.25, 25 and 6.25 between neighbours, ends, neighbours:
    1 - (12.5/7) / (350/42). Interval, with 1, 16 and 9: 1 - (2/7) / (248/42).
    """
    result = krippendorff_alpha([[1, 1, 2], [5, None, 5], [None, 2, 2], [5, None, None], []], scale)
    assert result.value == pytest.approx(alpha)
    assert (result.items, result.ratings, result.left_out) == (3, 7, 2)


def test_alpha_of_words() -> None:
    """Three of one and five of the other, one meeting: 1 - (2/8) / (30/56)."""
    result = krippendorff_alpha([["对", "对"], ["对", "错"], ["错", "错"], ["错", "错", None], ["对"]], Scale.NOMINAL)
    assert result.value == pytest.approx(8 / 15)


@pytest.mark.parametrize("scale", SCALES)
@settings(max_examples=40)
@given(
    items=st.lists(st.lists(ratings, min_size=4, max_size=4), min_size=1, max_size=6), order=st.permutations(range(4))
)
def test_alpha_does_not_know_raters_by_name(scale: Scale, items: list[list[int | None]], order: list[int]) -> None:
    there = krippendorff_alpha(items, scale)
    renamed = krippendorff_alpha([[item[rater] for rater in order] for item in items], scale)
    assert renamed == there


@pytest.mark.parametrize("scale", SCALES)
@settings(max_examples=40)
@given(verdicts=st.lists(st.integers(-5, 5), min_size=2, max_size=9), raters=st.integers(2, 4))
def test_alpha_of_perfect_agreement_is_one(scale: Scale, verdicts: list[int], raters: int) -> None:
    assume(len(set(verdicts)) > 1)
    assert krippendorff_alpha([[verdict] * raters for verdict in verdicts], scale).value == 1


@pytest.mark.parametrize("scale", SCALES)
def test_alpha_needs_something_to_disagree_about(scale: Scale) -> None:
    nothing: list[list[list[int | None]]] = [[], [[]], [[None, None], [1, None]], [[2, 2], [2, 2, None]]]
    for items in nothing:
        assert krippendorff_alpha(items, scale).value is None


def test_alpha_does_not_depend_on_the_unit_of_an_interval() -> None:
    items: list[list[int | None]] = [[1, 2, None], [4, 4, 5], [2, None, 2], [9, 7, 8]]
    value = krippendorff_alpha(items, Scale.INTERVAL).value
    for factor in (1e-300, 0.1, 1e300):
        scaled = [[None if rating is None else rating * factor for rating in item] for item in items]
        assert krippendorff_alpha(scaled, Scale.INTERVAL).value == pytest.approx(value)


@pytest.mark.parametrize("rating", ["good", math.nan, math.inf])
def test_what_has_no_place_on_a_scale_is_refused(rating: str | float) -> None:
    with pytest.raises(ValueError, match="give numbers, or rate on the nominal scale"):
        krippendorff_alpha([[1, rating]], Scale.ORDINAL)
