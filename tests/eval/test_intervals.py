"""Intervals hold the truth as often as they say, with few patients and several trials, too; and
SciPy's numbers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]

from osler.eval.causes import Cause, ColumnCauses
from osler.eval.compare import compare
from osler.eval.compare.columns import columns_of
from osler.eval.intervals import (
    FEWEST,
    Interval,
    difference_interval,
    mean_interval,
    score_interval,
    student_t,
)
from osler.eval.probes.figures import LeftOut
from osler.eval.probes.table import probe_table
from osler.eval.runs import load_run
from osler.eval.statistics import NO_INTERVAL, Figure, Trial, clustered_standard_error, mean
from osler.language import Language
from osler.records import RecordPool
from osler.runs.plan import Cell
from osler.tables import on_terminal
from tests.eval.exact_coverage import (
    AHEAD_BEHIND_OR_NEITHER,
    RIGHT_OR_WRONG,
    Truth,
    coverages,
    of_one_column,
    of_two_columns,
)
from tests.eval.held_runs import made_run
from tests.eval.probe_cases import row as probe_row
from tests.eval.test_compare import scored
from tests.eval.test_denominators import forms, text_of

Values = dict[str, list[float]]
ENOUGH = 0.93

shares = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
by_patient = st.dictionaries(st.text(max_size=3), st.lists(shares, max_size=4), max_size=8)
gains = st.dictionaries(
    st.text(max_size=3), st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=4), max_size=8
)


def drawn(seed: int, patients: int, accuracy: float, trials: int) -> Values:
    """Patients who differ in how hard they are."""
    draws = np.random.default_rng(seed)
    chances = draws.beta(2 * accuracy, 2 * (1 - accuracy), patients)
    return {
        f"p{n:03}": [float(right) for right in draws.random(trials) < chances[n]]
        for n in range(patients)
    }


# How often they hold the truth


@pytest.mark.parametrize("patients", range(FEWEST, 13))
def test_the_interval_of_a_share_holds_it_in_93_of_100_runs_whatever_trials_have_in_common(
    patients: int,
) -> None:
    """Exactly, by listing all runs, for accuracies of .1 to .9 and trials that have nothing or
    everything in common."""
    truths = of_one_column()
    for trials in range(1, 5):
        for truth, found in zip(
            truths, coverages(mean_interval, RIGHT_OR_WRONG, patients, trials, truths), strict=True
        ):
            assert found.share >= ENOUGH, (patients, trials, truth, found)


@pytest.mark.parametrize(("patients", "trials"), [(3, 1), (3, 3), (5, 2), (8, 1), (12, 1)])
def test_the_interval_of_a_difference_holds_it_too(patients: int, trials: int) -> None:
    truths = of_two_columns()
    found = coverages(difference_interval, AHEAD_BEHIND_OR_NEITHER, patients, trials, truths)
    for truth, one in zip(truths, found, strict=True):
        assert one.share >= ENOUGH, (patients, trials, truth, one)


def test_more_trials_of_equal_patients_narrow_the_interval_and_trials_that_end_alike_do_not() -> (
    None
):
    alike, apart = Truth((0.5, 0.5), 1.0), Truth((0.5, 0.5), 0.0)
    once, often = (
        coverages(mean_interval, RIGHT_OR_WRONG, 10, trials, [alike, apart]) for trials in (1, 4)
    )
    assert often[0].width == pytest.approx(once[0].width) and often[1].width < 0.8 * once[1].width


@pytest.mark.parametrize("accuracy", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("trials", [1, 2, 4])
def test_with_88_patients_it_is_about_as_wide_as_a_bootstrap_of_patients(
    accuracy: float, trials: int
) -> None:
    values = drawn(3, 88, accuracy, trials)
    means = np.array([np.mean(each) for each in values.values()])
    resampled = means[np.random.default_rng(4).integers(88, size=(4_000, 88))].mean(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    interval = mean_interval(values)
    assert interval is not None
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.12)
    assert interval == pytest.approx((low, high), abs=0.03)


# What is shown


def shown(*patients: str) -> Interval | None:
    """The interval that a comparison shows; each patient's trials are right (1) or not (0)."""
    rows = [
        scored(f"p{place}", "raw", "correct" if right == "1" else "wrong", trial=trial)
        for place, trials in enumerate(patients)
        for trial, right in enumerate(trials, start=1)
    ]
    (column,) = columns_of(rows)
    return column.figures["diagnosis_right"].interval


def test_eight_of_ten_right_in_five_patients_are_not_known_to_be_more_than_half() -> None:
    interval = shown("11", "11", "11", "10", "10")
    assert interval is not None and interval.low < 0.5 and 0.9 < interval.high < 1


def test_five_patients_with_three_trials_are_covered_by_what_a_comparison_shows() -> None:
    """All 56 runs, where half is right and trials have much in common."""
    truth = Truth((0.5, 0.5), 0.7)

    def by_comparison(values: dict[str, list[float]]) -> Interval | None:
        return shown(*("".join(f"{value:.0f}" for value in each) for each in values.values()))

    (found,) = coverages(by_comparison, RIGHT_OR_WRONG, 5, 3, [truth])
    assert found.share >= ENOUGH


def one_patient_run(path: Path) -> Path:
    """Four trials of one patient: one column is right in two, the other in one."""

    def judge(cell: Cell) -> str:
        right = cell.trial <= (2 if cell.column.memory == "raw" else 1)
        return "correct/correct" if right else "wrong/wrong"

    return made_run(
        path, [RecordPool.open().get("gout-en")], judge, memories=("none", "raw"), trials=4
    )


def test_one_patient_has_no_interval_no_noise_and_no_number_needed_and_tables_say_so(
    tmp_path: Path,
) -> None:
    comparison = compare([load_run(one_patient_run(tmp_path / "run.osler"))])
    for column in comparison.columns:
        assert (
            column.figures["diagnosis_right"].value is not None
            and column.figures["diagnosis_right"].interval is None
        )
    (one,) = (one for one in comparison.differences if one.measure == "diagnosis_right")
    assert one.paired.difference is not None and one.noise is None and one.paired.interval is None
    terminal, *others = forms(comparison)
    for text in (terminal, *others[:2]):
        assert NO_INTERVAL in " ".join(text.split())
    for text in (terminal, *others):
        assert not re.search(r"\d patients", text) and "too few patients" in " ".join(text.split())
    frame = comparison.frame()
    assert (
        frame["low"].isna().all()
        and frame["patients_needed"].isna().all()
        and frame["noise"].isna().all()
    )


async def test_causes_and_probes_have_none_either_with_two_patients() -> None:
    causes: dict[Trial, str | None] = {
        Trial(name, trial): "memory" for name in "ab" for trial in range(1, 5)
    }
    assert ColumnCauses("x", 8, causes).share(Cause.MEMORY).interval is None
    more = causes | {Trial("c", trial): "inquiry" for trial in range(1, 5)}
    interval = ColumnCauses("x", 12, more).share(Cause.MEMORY).interval
    assert interval is not None and interval.high - interval.low > 0.6
    probed = await probe_row(Language.EN, "tim")
    assert probed.retrieval.value is not None and probed.retrieval.interval is None
    assert NO_INTERVAL in " ".join(
        text_of(on_terminal([probe_table([probed], None, None, LeftOut(0, 0))])).split()
    )


# Edges


@settings(max_examples=80)
@given(by_patient)
def test_every_interval_holds_its_mean_and_stays_on_its_scale(values: Values) -> None:
    estimate, known = mean(values), [group for group in values.values() if group]
    interval = mean_interval(values)
    assert (interval is None) == (len(known) < FEWEST)
    if interval is not None:
        assert estimate is not None and 0 <= interval.low <= estimate <= interval.high <= 1
        assert interval.low < interval.high
    free = mean_interval(values, None)
    if free is not None:
        assert estimate is not None and free.low <= estimate <= free.high


@settings(max_examples=80)
@given(gains)
def test_the_interval_of_a_difference_holds_it_and_turns_round_with_it(values: Values) -> None:
    interval, estimate = difference_interval(values), mean(values)
    turned = difference_interval(
        {patient: [-gain for gain in group] for patient, group in values.items()}
    )
    assert (interval is None) == (turned is None) == (sum(map(bool, values.values())) < FEWEST)
    if interval is not None and turned is not None:
        assert estimate is not None and -1 <= interval.low <= estimate + 1e-12
        assert estimate - 1e-12 <= interval.high <= 1
        assert turned == pytest.approx((-interval.high, -interval.low))


def test_no_right_trial_never_bounds_a_share_less_closely_than_one_does() -> None:
    none: Values = {f"p{n:02}": [0.0] * 4 for n in range(16)}
    single = none | {"p00": [1.0, 0.0, 0.0, 0.0]}
    lower, upper = mean_interval(none), mean_interval(single)
    assert lower is not None and upper is not None and lower.high <= upper.high


def test_columns_that_never_differ_are_not_certain_to_be_equal() -> None:
    interval = difference_interval({name: [0.0] for name in "abcde"})
    assert interval is not None and interval.low == -interval.high and 0.4 < interval.high < 0.7
    always = difference_interval({name: [1.0] for name in "abcde"})
    assert always is not None and always.high == 1 and 0 < always.low < 0.4


def test_a_patient_with_many_trials_is_not_many_patients() -> None:
    even: Values = {name: [float(name in "ab")] for name in "abcdefgh"}
    one_of_many = even | {"a": [1.0] * 40}
    narrow, wide = mean_interval(even), mean_interval(one_of_many)
    assert narrow is not None and wide is not None
    assert wide.high - wide.low > narrow.high - narrow.low


def test_grades_on_a_scale_stay_on_it_and_numbers_without_one_have_students_interval() -> None:
    grades: Values = {"a": [5.0, 5.0], "b": [5.0, 4.0], "c": [5.0], "d": [5.0]}
    interval = mean_interval(grades, Interval(1, 5))
    assert interval is not None and 3 < interval.low < 4.8 and interval.high <= 5
    as_shares = mean_interval(
        {name: [(grade - 1) / 4 for grade in each] for name, each in grades.items()}
    )
    assert as_shares is not None and interval == pytest.approx(
        (1 + 4 * as_shares.low, 1 + 4 * as_shares.high)
    )
    times: Values = {"a": [120.0], "b": [80.0], "c": [100.0], "d": [95.0]}
    free, error = mean_interval(times, None), clustered_standard_error(times)
    assert free is not None and error is not None
    assert free == pytest.approx(stats.t.interval(0.95, 3, loc=98.75, scale=error))
    assert mean_interval({"a": [2.0], "b": [2.0], "c": [2.0]}, None) is None, (
        "nothing tells how they vary"
    )
    with pytest.raises(ValueError, match="not within 0"):
        mean_interval(times)


def test_the_order_of_patients_and_hash_seeds_change_nothing() -> None:
    values = drawn(4, 50, 0.4, 3)
    assert mean_interval(values) == mean_interval(dict(reversed(values.items())))
    assert Figure.of(values) == Figure.of(dict(reversed(values.items())))


def test_without_enough_patients_there_is_no_interval() -> None:
    few: list[Values] = [{}, {"a": []}, {"a": [1.0, 0.0]}, {"a": [1.0], "b": [0.0], "c": []}]
    for values in few:
        assert mean_interval(values) is None and difference_interval(values) is None


# Numbers of others


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_score_interval_is_that_of_statsmodels(successes: int, failures: int) -> None:
    n = successes + failures
    if n:
        interval = score_interval(successes / n, n, stats.norm.ppf(0.975))
        assert interval == pytest.approx(
            proportion_confint(successes, n, alpha=0.05, method="wilson"), abs=1e-12
        )
        assert interval.low <= successes / n <= interval.high


def test_the_score_interval_ends_exactly_at_none_and_all() -> None:
    for n in range(1, 100):
        none, every = score_interval(0, n, 2.0), score_interval(1, n, 2.0)
        assert none.low == 0 < none.high < 1 and 0 < every.low < every.high == 1


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 30, 87, 500])
def test_students_quantile_is_that_of_scipy(freedom: int) -> None:
    for tail in (0.2, 0.025, 0.001):
        assert student_t(tail, freedom) == pytest.approx(stats.t.isf(tail, freedom), rel=1e-9)
