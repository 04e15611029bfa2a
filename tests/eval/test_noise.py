"""The noise of a comparison: equal columns are not told apart, and what a difference is said to
need is enough."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.eval.compare import compare, comparison_json, comparison_tables
from osler.eval.compare.noise import MOST, Noise, noise_of
from osler.eval.runs import load_run
from osler.eval.statistics import Trial, paired
from osler.records import RecordPool
from osler.runs.plan import Cell
from osler.tables import WRITERS
from tests.eval.held_runs import made_run

LANGUAGES = ("en", "zh")
Chances = npt.NDArray[np.float64]
"""The chance to be right, by patient and language."""


def chances(draws: np.random.Generator, accuracy: float, patients: int) -> Chances:
    """Patients differ in how hard they are, and the two languages of a patient less so."""
    of_patient = draws.beta(2 * accuracy, 2 * (1 - accuracy), patients)
    return np.stack(
        [of_patient, np.clip(of_patient + draws.normal(0, 0.05, patients), 0, 1)], axis=1
    )


def held(draws: np.random.Generator, right: Chances, trials: int) -> dict[Trial, float]:
    """One column: every record consulted this often."""
    outcomes = draws.random((*right.shape, trials)) < right[:, :, None]
    return {
        Trial(f"p{patient:04}", trial + 1, f"p{patient:04}-{LANGUAGES[language]}"): float(outcome)
        for (patient, language, trial), outcome in np.ndenumerate(outcomes)
    }


def found(
    first: dict[Trial, float], second: dict[Trial, float], level: float = 0.05
) -> tuple[float, bool, Noise]:
    """The difference, whether it is significant, and its noise."""
    result, noise = paired(first, second), noise_of(first, second, level)
    assert noise is not None and result.difference is not None and result.p_value is not None
    return result.difference, result.p_value < level, noise


@pytest.mark.parametrize(("accuracy", "trials"), [(0.05, 1), (0.3, 3), (0.9, 1)])
def test_two_equal_columns_are_told_apart_in_no_more_than_one_of_twenty(
    accuracy: float, trials: int
) -> None:
    draws = np.random.default_rng([17, trials, round(100 * accuracy)])
    samples, told_apart, floors, spread = 250, 0, [], []
    for _ in range(samples):
        right = chances(draws, accuracy, 30)
        difference, significant, noise = found(
            held(draws, right, trials), held(draws, right, trials)
        )
        assert significant == (abs(difference) > noise.floor + 1e-9), (
            "the noise and the test say the same"
        )
        told_apart += significant
        floors.append(noise.floor)
        spread.append(difference)
    assert told_apart / samples <= 0.05 + 2.5 * (0.05 * 0.95 / samples) ** 0.5
    assert np.mean(floors) == pytest.approx(1.96 * np.std(spread), rel=0.25), (
        "nor is it wider than it has to be"
    )


@given(
    st.lists(
        st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4),
        min_size=3,
        max_size=30,
    ),
    st.sampled_from([0.05, 0.025, 0.01]),
)
def test_the_noise_never_contradicts_the_test(
    patients: list[list[tuple[bool, bool]]], level: float
) -> None:
    named = {
        Trial(f"p{n}", t): pair for n, pairs in enumerate(patients) for t, pair in enumerate(pairs)
    }
    columns = [{trial: float(pair[place]) for trial, pair in named.items()} for place in (0, 1)]
    difference, significant, noise = found(columns[0], columns[1], level)
    assert significant == (abs(difference) > noise.floor + 1e-9)
    assert (noise.patients_needed is None) == (significant or difference == 0)
    if noise.patients_needed is not None:
        assert noise.patients_needed > len(patients), "those there are were not enough"
    assert noise.trials_needed is None or noise.trials_needed > len(named) / len(patients)


def told_apart_share(
    draws: np.random.Generator, one: Chances, other: Chances, patients: int, trials: int
) -> float:
    """How often columns of these chances are told apart with so many patients."""
    told = []
    for _ in range(120):
        drawn = np.resize(np.arange(len(one)), patients)
        told.append(found(held(draws, one[drawn], trials), held(draws, other[drawn], trials))[1])
    return float(np.mean(told))


def needs(draws: np.random.Generator, one: Chances, other: Chances, trials: int) -> list[Noise]:
    """What differences of about the true size are said to need, over many samples."""
    expected = float((one - other).mean())
    said = [found(held(draws, one, trials), held(draws, other, trials)) for _ in range(150)]
    return [
        noise for difference, told, noise in said if abs(difference - expected) < 0.01 and not told
    ]


def test_the_patients_that_are_needed_tell_the_columns_apart_four_times_in_five() -> None:
    draws = np.random.default_rng(5)
    one = chances(draws, 0.4, 40)
    other = np.clip(one - 0.1, 0, 1)
    said = needs(draws, one, other, trials=1)
    assert len(said) > 5 and all(
        noise.trials_needed is None and noise.rerun is None for noise in said
    )
    patients = int(
        np.median([noise.patients_needed for noise in said if noise.patients_needed is not None])
    )
    assert patients > 40 and 0.68 < told_apart_share(draws, one, other, patients, 1) < 0.92


def test_the_trials_that_are_needed_tell_the_columns_apart_four_times_in_five() -> None:
    """Where every patient gains the same, more trials are as good as more patients; the estimate is
    a rough one."""
    draws = np.random.default_rng(6)
    one = np.clip(draws.normal(0.5, 0.1, (40, 2)), 0.2, 0.8)
    other = one - 0.09
    said = [noise.trials_needed or MOST for noise in needs(draws, one, other, trials=3)]
    trials = int(np.median(said))
    assert (
        len(said) > 5
        and trials > 3
        and 0.68 < told_apart_share(draws, one, other, 40, trials) < 0.97
    )


def test_trials_do_not_help_where_every_trial_ends_alike() -> None:
    """Two fixed columns, 12 patients ahead and 6 behind: running them again changes nothing."""
    ahead = [1.0] * 12 + [0.0] * 6 + [1.0] * 30
    first = {Trial(f"p{n}", trial): value for n, value in enumerate(ahead) for trial in (1, 2, 3)}
    second = {
        trial: 1 - value if int(trial.patient[1:]) < 18 else value for trial, value in first.items()
    }
    _, significant, noise = found(first, second)
    assert not significant and noise.rerun == 0 and noise.trials_needed is None
    assert noise.patients_needed is not None and 48 < noise.patients_needed < 300


def pool_run(path: Path, seed: int) -> Path:
    """A run in which chance decides every verdict."""
    draws = random.Random(seed)
    return made_run(path, RecordPool.open(), lambda _: draws.choice(["correct", "wrong"]))


def test_random_columns_are_not_told_apart_in_any_format(tmp_path: Path) -> None:
    runs = [load_run(pool_run(tmp_path / f"{seed}.osler", seed)) for seed in (1, 2)]
    comparison = compare(runs)
    (one,) = (one for one in comparison.differences if one.measure == "diagnosis_right")
    assert one.noise and one.paired.difference and abs(one.paired.difference) <= one.noise.floor
    for form in ("markdown", "latex", "csv", "html", "json"):
        writer = WRITERS[form]
        text = "".join(map(writer, comparison_tables(comparison)))
        assert "not told apart" in text and f"± {100 * one.noise.floor:.1f}" in text
        assert f"{one.noise.patients_needed:,} patients" in text
    told = json.loads(comparison_json(comparison))["differences"][0]
    assert (
        told["is_told_apart"] is False
        and told["noise"]["patients_needed"] == one.noise.patients_needed
    )
    frame = runs[0].compare(runs[1]).query("measure == 'diagnosis_right'").set_index("run")
    assert frame.loc["2", "noise"] == one.noise.floor and not frame.loc["2", "told_apart"]
    assert frame.loc["2", "patients_needed"] == one.noise.patients_needed


def test_a_run_against_itself_shows_no_difference_and_another_is_told_apart(tmp_path: Path) -> None:
    def by_memory(cell: Cell) -> str:
        hard = sum(map(ord, cell.case)) % 3
        return "correct" if hard > (cell.column.memory == "none") else "wrong"

    run = made_run(tmp_path / "run.osler", RecordPool.open(), by_memory, memories=("none", "raw"))
    same = made_run(tmp_path / "same.osler", RecordPool.open(), by_memory, memories=("none", "raw"))
    found = [
        one
        for one in compare([load_run(run), load_run(same)]).differences
        if one.measure == "diagnosis_right"
    ]
    for one in found:
        if one.first.memory == one.second.memory:
            assert (
                not one.is_told_apart
                and one.paired.difference == 0
                and one.noise
                and one.noise.floor == 0
            )
        else:
            assert one.is_told_apart and one.noise and one.noise.patients_needed is None
    page = "".join(
        map(WRITERS["markdown"], comparison_tables(compare([load_run(run), load_run(same)])))
    )
    assert "no difference seen" in page and "| told apart |" in page


def test_more_comparisons_widen_the_noise_of_each(tmp_path: Path) -> None:
    """Among more columns, one is ahead by luck more often, and the noise allows for it."""
    first, second, *more = (pool_run(tmp_path / f"{seed}.osler", seed) for seed in range(4))
    floors = []
    for runs in ((first, second), (first, second, *more)):
        one = compare([load_run(run) for run in runs]).differences[0]
        assert one.noise is not None
        floors.append(one.noise.floor)
    assert floors[0] < floors[1]
