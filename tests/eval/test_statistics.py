"""Intervals and tests, against SciPy and statsmodels, on the same numbers."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]
from statsmodels.stats.contingency_tables import mcnemar  # type: ignore[import-untyped]
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from osler.eval.statistics import (
    PairedTest,
    Trial,
    clustered_standard_error,
    holm,
    mean,
    paired,
    pass_hat_k,
)

Values = dict[str, list[float]]
Column = dict[Trial, float]

scores = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(-100, 100))
by_patient = st.dictionaries(st.text(max_size=3), st.lists(scores, max_size=4), max_size=8)
columns = st.dictionaries(
    st.builds(Trial, st.sampled_from("abcdefgh"), st.integers(1, 3)),
    st.sampled_from([0.0, 1.0]),
    max_size=16,
)
binary_columns = st.dictionaries(
    st.builds(Trial, st.sampled_from("abcdefghijkl"), st.just(1), st.just("")),
    st.sampled_from([0.0, 1.0]),
    max_size=12,
)


def single(values: list[float]) -> Values:
    return {f"p{place:03}": [value] for place, value in enumerate(values)}


def column(values: list[float], trial: int = 1) -> Column:
    return {Trial(f"p{place:03}", trial): value for place, value in enumerate(values)}


def mixed_patients(seed: int, patients: int) -> Values:
    """Patients who differ in how hard they are and in how often they were tried."""
    draws = np.random.default_rng(seed)
    return {
        f"p{patient}": [
            float(value) for value in draws.random(draws.integers(1, 6)) < draws.random()
        ]
        for patient in range(patients)
    }


# The clustered error


@pytest.mark.parametrize("seed", range(5))
def test_clustered_error_is_that_of_statsmodels(seed: int) -> None:
    values = mixed_patients(seed, patients=7 + seed)
    every = [value for group in values.values() for value in group]
    groups = [place for place, group in enumerate(values.values()) for _ in group]
    fit = OLS(every, np.ones(len(every))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(groups)}
    )
    assert mean(values) == pytest.approx(fit.params[0])
    assert clustered_standard_error(values) == pytest.approx(fit.bse[0])


def test_clustered_error_of_one_trial_each_is_the_ordinary_one() -> None:
    values = [0.1, 0.9, 0.4, 0.4, 1.0]
    assert clustered_standard_error(single(values)) == pytest.approx(stats.sem(values))


# pass^k


@given(st.lists(st.lists(st.booleans(), max_size=6), max_size=6), st.integers(1, 4))
def test_pass_hat_k_counts_all_choices_of_k_trials(outcomes: list[list[bool]], k: int) -> None:
    result = pass_hat_k(
        [sum(trials) for trials in outcomes], [len(trials) for trials in outcomes], k
    )
    choices = [list(combinations(trials, k)) for trials in outcomes if len(trials) >= k]
    assert result.n == len(choices)
    if not choices:
        assert result.value is None
        return
    shares = [Fraction(sum(map(all, chosen)), len(chosen)) for chosen in choices]
    assert result.value is not None
    assert math.isclose(result.value, sum(shares) / len(shares), abs_tol=1e-12)


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=8))
def test_pass_hat_1_is_the_mean(outcomes: list[list[bool]]) -> None:
    values = {
        str(place): [float(right) for right in trials] for place, trials in enumerate(outcomes)
    }
    assert pass_hat_k(
        [sum(trials) for trials in outcomes], [3] * len(outcomes), 1
    ).value == pytest.approx(mean(values))


# Pairs


@given(binary_columns, binary_columns)
def test_mcnemar_is_that_of_statsmodels_and_of_the_binomial(first: Column, second: Column) -> None:
    result = paired(first, second)
    both = first.keys() & second.keys()
    only_first = sum(first[trial] > second[trial] for trial in both)
    only_second = sum(first[trial] < second[trial] for trial in both)
    assert (result.only_first, result.only_second) == (only_first, only_second)
    assert (result.n, result.patients, result.left_out) == (
        len(both),
        len(both),
        len(first) + len(second) - 2 * len(both),
    )
    if not both:
        assert (result.difference, result.interval, result.test, result.p_value) == (
            None,
            None,
            None,
            None,
        )
        return
    assert result.test is PairedTest.MCNEMAR
    assert result.difference == pytest.approx((only_first - only_second) / len(both))
    if only_first + only_second == 0:
        assert result.p_value == 1.0
        return
    table = [[0, only_first], [only_second, 0]]
    assert result.p_value == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert result.p_value == pytest.approx(
        stats.binomtest(only_first, only_first + only_second).pvalue
    )


def test_mcnemar_of_thousands() -> None:
    first, second = [1.0] * 2_100 + [0.0] * 1_900 + [1.0] * 50, [0.0] * 2_100 + [1.0] * 1_950
    result = paired(column(first), column(second))
    assert result.p_value == pytest.approx(stats.binomtest(2_100, 4_000).pvalue, rel=1e-9)


def several(patients: list[list[tuple[bool, bool]]]) -> tuple[Column, Column]:
    """Two columns from the outcomes of each patient's trials in both."""
    named = {
        Trial(f"p{n:03}", t): pair
        for n, pairs in enumerate(patients)
        for t, pair in enumerate(pairs, 1)
    }
    return {trial: float(a) for trial, (a, _) in named.items()}, {
        trial: float(b) for trial, (_, b) in named.items()
    }


@given(
    st.lists(
        st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=6),
        min_size=2,
        max_size=9,
    )
)
@example([[(True, False)] * 5, [(False, True)] * 2, [(True, False)] * 3, [(True, True)] * 2])
def test_sign_flips_are_those_of_scipy(patients: list[list[tuple[bool, bool]]]) -> None:
    gains = [float(sum(a - b for a, b in pairs)) for pairs in patients]
    result = paired(*several(patients))
    theirs = stats.permutation_test(
        (gains,), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert result.test is PairedTest.SIGN_FLIP
    assert result.p_value == pytest.approx(min(1.0, float(theirs.pvalue)))


def test_sign_flips_of_many_patients_are_near_those_that_scipy_draws() -> None:
    draws = np.random.default_rng(8)
    outcomes = draws.random((60, 3, 2)) < np.array([0.6, 0.45])
    result = paired(*several([[(bool(a), bool(b)) for a, b in trials] for trials in outcomes]))
    gains = (outcomes[:, :, 0].astype(float) - outcomes[:, :, 1]).sum(axis=1)
    theirs = stats.permutation_test(
        (gains,),
        np.mean,
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    )
    assert 0.001 < theirs.pvalue < 0.9
    assert result.p_value == pytest.approx(theirs.pvalue, abs=0.01)


def test_several_trials_of_a_patient_are_one_vote() -> None:
    """Four patients, all better in all of five trials: 2 of 16 flips, not 2 of a million."""
    first = {Trial(patient, trial): 1.0 for patient in "abcd" for trial in range(5)}
    second = dict.fromkeys(first, 0.0)
    result = paired(first, second)
    assert (result.n, result.patients, result.only_first, result.only_second) == (20, 4, 20, 0)
    assert (result.test, result.p_value) == (PairedTest.SIGN_FLIP, 2 / 16)


def test_only_shared_trials_count() -> None:
    first = {Trial("a", 1): 1.0, Trial("a", 2): 0.0, Trial("b", 1): 1.0, Trial("c", 1): 1.0}
    second = {Trial("a", 1): 0.0, Trial("b", 1): 1.0, Trial("d", 1): 1.0}
    result = paired(first, second)
    assert (result.n, result.patients, result.left_out, result.difference) == (2, 2, 3, 0.5)
    assert result.test is PairedTest.MCNEMAR, "one trial of each patient is left"


@settings(max_examples=60)
@given(st.one_of(st.tuples(columns, columns), st.tuples(binary_columns, binary_columns)))
def test_columns_may_change_places(pair: tuple[Column, Column]) -> None:
    there, back = (paired(*order) for order in (pair, pair[::-1]))
    assert (there.n, there.left_out, there.test, there.p_value) == (
        back.n,
        back.left_out,
        back.test,
        back.p_value,
    )
    assert (there.only_first, there.only_second) == (back.only_second, back.only_first)
    if there.difference is None or back.difference is None:
        assert there.p_value is None and there.interval is None
        return
    assert there.difference == -back.difference
    assert there.p_value is not None and 0 < there.p_value <= 1
    assert (there.interval is None) == (back.interval is None)
    if there.interval and back.interval:
        assert there.interval == pytest.approx((-back.interval.high, -back.interval.low))
        assert -1 <= there.interval.low <= there.difference <= there.interval.high <= 1


def test_one_patient_proves_nothing() -> None:
    result = paired(
        {Trial("a", 1): 1.0, Trial("a", 2): 1.0}, {Trial("a", 1): 0.0, Trial("a", 2): 1.0}
    )
    assert (result.patients, result.p_value, result.interval) == (1, 1.0, None)


# Many comparisons


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_keeps_the_order_and_never_lowers(p_values: list[float | None]) -> None:
    adjusted = holm(p_values)
    assert [value is None for value in adjusted] == [value is None for value in p_values]
    tested = sorted(
        (p, a) for p, a in zip(p_values, adjusted, strict=True) if p is not None and a is not None
    )
    assert all(p <= a <= 1 for p, a in tested)
    assert [a for _, a in tested] == sorted(a for _, a in tested)


@pytest.mark.parametrize("seed", range(6))
def test_holm_is_that_of_statsmodels(seed: int) -> None:
    """A handful of examples: theirs takes a tenth of a second each."""
    p_values = [float(p) for p in np.random.default_rng(seed).random(2 + 2 * seed) ** 3]
    p_values[-1] = p_values[0]
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def test_holm_by_hand() -> None:
    assert holm([0.04, None, 0.01, 0.03]) == pytest.approx([0.06, None, 0.03, 0.06])
    assert holm([]) == []


# What cannot be


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda: mean({"a": [math.nan], "b": [1]}), "leave values that are not known out"),
        (lambda: mean({"a": [1e300], "b": [1]}), "not a score"),
        (lambda: paired(column([math.nan]), column([1.0])), "leave values that are not known out"),
        (lambda: paired(column([0.5]), column([1.0])), r"only right \(1\) and wrong \(0\)"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(call: Callable[[], Any], remedy: str) -> None:
    with pytest.raises(ValueError, match=remedy) as refused:
        call()
    assert "\n" not in str(refused.value)
