"""How often an interval holds the truth, exactly: every run that is possible is listed, with its
chance.

A patient's trials have something in common: the likeness is the correlation between two of them, 0
where patients do not differ and 1 where a patient's trials all end alike (Dirichlet-multinomial).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bounds = tuple[float, float]
IntervalOf = Callable[[dict[str, list[float]]], Bounds | None]
"""Makes the interval of all patients' values."""
RIGHT_OR_WRONG = (1.0, 0.0)
AHEAD_BEHIND_OR_NEITHER = (1.0, -1.0, 0.0)
LIKENESSES = (0.0, 0.3, 0.7, 1.0)
ACCURACIES = (0.1, 0.3, 0.5, 0.7, 0.9)


class Truth(NamedTuple):
    """What is so of all patients."""

    chances: tuple[float, ...]
    """Of each kind of value."""
    likeness: float


class Coverage(NamedTuple):
    """One cell of the grid."""

    share: float
    """Of runs whose interval holds the truth."""
    width: float
    """Of the interval, on average."""


def of_one_column() -> list[Truth]:
    """Columns that are right more or less often."""
    return [Truth((share, 1 - share), likeness) for share in ACCURACIES for likeness in LIKENESSES]


def of_two_columns() -> list[Truth]:
    """Pairs of columns that are right independently, and pairs that seldom disagree."""
    shares = [
        (one * (1 - two), two * (1 - one)) for one in ACCURACIES for two in ACCURACIES if one >= two
    ]
    shares += [(0.1, 0.0), (0.3, 0.0), (0.05, 0.05), (0.2, 0.02), (0.9, 0.05)]
    return [
        Truth((one, two, 1 - one - two), likeness) for one, two in shares for likeness in LIKENESSES
    ]


def coverages(
    interval_of: IntervalOf,
    values: Sequence[float],
    patients: int,
    trials: int,
    truths: Sequence[Truth],
) -> list[Coverage]:
    """Return how often the interval of a mean holds it, for each truth.

    Args:
        interval_of: Makes the interval of a run.
        values: The values that a trial can have.
        patients: How many there are.
        trials: Of each patient.
        truths: What may be so; a run of one of them may be a run of any other.
    """
    endings = list(_endings(trials, len(values)))
    runs = np.array(list(combinations_with_replacement(range(len(endings)), patients)))
    found = [interval_of(_values(run, endings, values)) for run in runs]
    bounds = np.array([interval or (math.nan, math.nan) for interval in found])
    ways = [math.lgamma(count + 1) for count in range(patients + 1)]
    counts = np.array([np.bincount(run, minlength=len(endings)) for run in runs])
    orders = ways[patients] - np.array(ways)[counts].sum(axis=1)
    return [
        _coverage(bounds, _chances(counts, orders, endings, truth), values, truth)
        for truth in truths
    ]


def drawn_coverages(
    interval_of: IntervalOf,
    values: Sequence[float],
    patients: int,
    trials: int,
    truths: Sequence[Truth],
    draws: int,
) -> list[Coverage]:
    """Return about the same from so many drawn runs of each truth; for more runs than can be
    listed."""
    endings = list(_endings(trials, len(values)))
    known: dict[tuple[int, ...], Bounds] = {}
    found = []
    for number, truth in enumerate(truths):
        generator = np.random.default_rng([patients, trials, number])
        chance = np.array([_chance(ending, truth) for ending in endings])
        runs = np.sort(
            generator.choice(len(endings), size=(draws, patients), p=chance / chance.sum()), axis=1
        )
        for run in map(tuple, runs):
            if run not in known:
                known[run] = interval_of(_values(run, endings, values)) or (math.nan, math.nan)
        bounds = np.array([known[run] for run in map(tuple, runs)])
        found.append(_coverage(bounds, np.full(draws, 1 / draws), values, truth))
    return found


def possible_runs(kinds: int, patients: int, trials: int) -> int:
    """How many runs there are when patients have no names and the order of trials does not
    matter."""
    endings = math.comb(trials + kinds - 1, kinds - 1)
    return math.comb(endings + patients - 1, patients)


def _values(
    run: Sequence[int], endings: list[tuple[int, ...]], values: Sequence[float]
) -> dict[str, list[float]]:
    """The values of each patient of a run."""
    of_ending = [
        [value for value, count in zip(values, ending, strict=True) for _ in range(count)]
        for ending in endings
    ]
    return {f"p{place:02}": of_ending[ending] for place, ending in enumerate(run)}


def _coverage(
    bounds: npt.NDArray[np.float64],
    chances: npt.NDArray[np.float64],
    values: Sequence[float],
    truth: Truth,
) -> Coverage:
    mean = math.fsum(value * chance for value, chance in zip(values, truth.chances, strict=True))
    holds = (bounds[:, 0] <= mean + 1e-12) & (mean - 1e-12 <= bounds[:, 1])
    width = float((chances * (bounds[:, 1] - bounds[:, 0])).sum())
    return Coverage(float(chances[holds].sum()), width)


def _chances(
    counts: npt.NDArray[np.int64],
    orders: npt.NDArray[np.float64],
    endings: list[tuple[int, ...]],
    truth: Truth,
) -> npt.NDArray[np.float64]:
    """Return the chance of every run: of as many patients with each ending as it has."""
    chance = np.array([_chance(ending, truth) for ending in endings])
    possible = ~((counts > 0) & (chance == 0)).any(axis=1)
    logs = np.log(np.where(chance > 0, chance, 1.0))
    return np.where(possible, np.exp(orders + counts @ logs), 0.0)


def _chance(ending: tuple[int, ...], truth: Truth) -> float:
    """Return the chance that a patient's trials end so: this many of each kind."""
    trials = sum(ending)
    if truth.likeness == 1:
        return math.fsum(
            chance for chance, count in zip(truth.chances, ending, strict=True) if count == trials
        )
    # An urn from which each trial draws, and puts back one more of the same kind.
    more = truth.likeness / (1 - truth.likeness)
    orders, drawn = math.factorial(trials), 1.0
    for chance, count in zip(truth.chances, ending, strict=True):
        orders //= math.factorial(count)
        drawn *= math.prod(chance + more * place for place in range(count))
    return orders * drawn / math.prod(1 + more * place for place in range(trials))


def _endings(trials: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """All ways in which a patient's trials can end: how many of each kind."""
    if kinds == 1:
        yield (trials,)
        return
    for count in range(trials + 1):
        for rest in _endings(trials - count, kinds - 1):
            yield (count, *rest)
