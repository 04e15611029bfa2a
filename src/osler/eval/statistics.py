"""Intervals, paired tests and corrections for the figures of a comparison, with patients as the units.

Means are over all trials. Trials of the same patient are never treated as independent.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from osler.seeds import derive

ValuesByPatient = Mapping[str, Sequence[float]]
Array = npt.NDArray[np.float64]

_TAIL = (1 - 0.95) / 2
"""What a 95 % interval leaves out on each side."""
RESAMPLES = 10_000
_FLIPS = 10_000
"""Number of random sign flips; if there are no more possible flips than this, all are tried."""
_LARGEST = 1e100
"""No score comes near it, and squares and sums of smaller numbers cannot overflow."""
_FEW_PATIENTS = 30
"""Below this many patients a bootstrap of zeros and ones is too narrow."""
_AT_ONCE = 1_000_000
"""How many drawn numbers are in memory at a time."""


@dataclass(frozen=True)
class Clusters:
    """Each patient's total and number of values, in the patients' order by name.

    The order makes a seeded result independent of the order in which consultations ended.
    """

    totals: Array
    sizes: Array

    @classmethod
    def of(cls, values_by_patient: ValuesByPatient) -> Self:
        """Sum up each patient; patients without values are not there."""
        groups = [values for _, values in sorted(values_by_patient.items()) if len(values)]
        for value in (value for values in groups for value in values):
            if not abs(value) <= _LARGEST:
                raise ValueError(f"{value} is not a score; leave values that are not known out")
        return cls(
            totals=np.array([math.fsum(values) for values in groups], dtype=np.float64),
            sizes=np.array([len(values) for values in groups], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.totals)

    @property
    def mean(self) -> float:
        """The mean of all values; there must be one."""
        return math.fsum(self.totals) / math.fsum(self.sizes)


class Interval(NamedTuple):
    """From low to high, both included."""

    low: float
    high: float


@dataclass(frozen=True)
class Figure:
    """A mean or share, with what it rests on."""

    value: float | None
    n: int
    """How many values it was counted from."""
    interval: Interval | None = None
    error: float | None = None
    """Standard error, clustered by patient."""

    @classmethod
    def of(cls, values: ValuesByPatient, seed: int) -> Self:
        """The mean of values with its 95 % interval."""
        count = sum(map(len, values.values()))
        return cls(mean(values), count, mean_interval(values, seed), clustered_standard_error(values))


def mean(values_by_patient: ValuesByPatient) -> float | None:
    """The mean of all trials, which every interval here is about; None without any."""
    clusters = Clusters.of(values_by_patient)
    return clusters.mean if len(clusters) else None


def clustered_standard_error(values_by_patient: ValuesByPatient) -> float | None:
    """Return the standard error of the mean, clustered by patient, or None below two patients.

    The cluster-robust error with the usual correction for few clusters, G / (G - 1). With one trial each it is the
    ordinary standard error.
    """
    clusters = Clusters.of(values_by_patient)
    patients = len(clusters)
    if patients < 2:
        return None
    residuals = clusters.totals - clusters.sizes * clusters.mean
    squares = math.fsum(residuals**2)
    return math.sqrt(patients / (patients - 1) * squares) / math.fsum(clusters.sizes)


def wilson(successes: int, n: int) -> Interval | None:
    """Return Wilson's score interval of a share, or None if nothing was tried."""
    if not n:
        return None
    share = successes / n
    z = -NormalDist().inv_cdf(_TAIL)
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / shrink
    # Rounding must not push 0 or 1 out of the interval of a share of 0 or 1.
    return Interval(min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)))


def bootstrap_mean(values_by_patient: ValuesByPatient, seed: int, resamples: int = RESAMPLES) -> Interval | None:
    """The percentile interval of the mean when patients are drawn anew, each with all of its trials.

    It is widened where needed so that the mean itself lies in it. None below two patients: drawing one patient again
    and again says nothing about others.
    """
    clusters = Clusters.of(values_by_patient)
    patients = len(clusters)
    if patients < 2:
        return None
    draws = _generator(seed, "bootstrap")
    means = []
    for rows in _pieces(resamples, patients):
        drawn = draws.integers(patients, size=(rows, patients))
        means.append(clusters.totals[drawn].sum(axis=1) / clusters.sizes[drawn].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [_TAIL, 1 - _TAIL])
    return Interval(min(float(low), clusters.mean), max(float(high), clusters.mean))


def mean_interval(values_by_patient: ValuesByPatient, seed: int, resamples: int = RESAMPLES) -> Interval | None:
    """The interval that suits the values: Wilson's where a bootstrap of zeros and ones would claim too much.

    That is with few patients of one trial each, and when all values are equal: then a bootstrap has no width, and
    Wilson's interval counts patients, since trials that all end alike add no evidence about other patients.
    """
    clusters = Clusters.of(values_by_patient)
    values = [value for group in values_by_patient.values() for value in group]
    few_single = len(clusters) < _FEW_PATIENTS and len(values) == len(clusters)
    if _are_binary(values) and (few_single or len(set(values)) <= 1):
        return wilson(round(float((clusters.totals / clusters.sizes).sum())), len(clusters))
    return bootstrap_mean(values_by_patient, seed, resamples)


def pass_hat_k(successes_per_patient: Sequence[int], trials_per_patient: Sequence[int], k: int) -> Figure:
    """The chance that k random trials of a patient are all right, over the n patients with at least k trials.

    It is the unbiased estimate: the share of each patient's k-subsets that are all right, on average. The plain power
    (successes / trials) ** k is too high on average, the more so the fewer the trials.
    """
    pairs = zip(successes_per_patient, trials_per_patient, strict=True)
    chances = [math.comb(successes, k) / math.comb(trials, k) for successes, trials in pairs if trials >= k]
    return Figure(math.fsum(chances) / len(chances) if chances else None, len(chances))


class Trial(NamedTuple):
    """One of a patient's consultations: what a value of one column shares with a value of another."""

    patient: str
    number: int
    record: str = ""
    """Which of the patient's records it was about; a patient may have one in each language."""


class PairedTest(StrEnum):
    """Where a p-value comes from."""

    MCNEMAR = "mcnemar_exact"
    SIGN_FLIP_EXACT = "sign_flip_exact"
    SIGN_FLIP_SAMPLED = "sign_flip_sampled"


@dataclass(frozen=True)
class Paired:
    """The first column minus the second, over the trials that both have."""

    n: int
    """Trials that both columns have."""
    patients: int
    left_out: int
    """Trials that only one of the columns has."""
    left_out_first: int
    """Of these, the first column's."""
    left_out_second: int
    difference: float | None
    """None when the columns share no trial, as are the interval, the test and the p-value."""
    interval: Interval | None
    only_first: int
    """Trials on which the first column is ahead; for values of 0 and 1, on which only the first is right."""
    only_second: int
    test: PairedTest | None
    p_value: float | None


def paired(
    first: Mapping[Trial, float], second: Mapping[Trial, float], seed: int = 0, resamples: int = RESAMPLES
) -> Paired:
    """Compare two columns trial by trial.

    Right and wrong on one trial per patient go through McNemar's exact test. Anything else goes through a sign-flip
    test over whole patients: were the columns alike, each patient's difference might as well have had the other sign.
    """
    shared = sorted(first.keys() & second.keys())
    gains: dict[str, list[float]] = defaultdict(list)
    for trial in shared:
        gains[trial.patient].append(float(first[trial]) - float(second[trial]))
    clusters = Clusters.of(gains)
    every_gain = [gain for group in gains.values() for gain in group]
    ahead, behind = sum(gain > 0 for gain in every_gain), sum(gain < 0 for gain in every_gain)
    binary = _are_binary(column[trial] for trial in shared for column in (first, second))
    test: PairedTest | None = None
    p_value: float | None = None
    if binary and shared and len(shared) == len(clusters):
        test, p_value = PairedTest.MCNEMAR, _mcnemar(ahead, behind)
    elif shared:
        test, p_value = _sign_flip(clusters.totals, seed)
    return Paired(
        n=len(shared),
        patients=len(clusters),
        left_out=len(first.keys() ^ second.keys()),
        left_out_first=len(first) - len(shared),
        left_out_second=len(second) - len(shared),
        difference=clusters.mean if shared else None,
        interval=_paired_interval(gains, binary, seed, resamples),
        only_first=ahead,
        only_second=behind,
        test=test,
        p_value=p_value,
    )


def _paired_interval(gains: ValuesByPatient, binary: bool, seed: int, resamples: int) -> Interval | None:
    """The bootstrap's interval, unless all differences of zeros and ones are equal and it would have no width.

    There, Wilson's interval says how many other patients might yet differ, and each could at most turn the
    difference to the far end of its range.
    """
    distinct = {gain for group in gains.values() for gain in group}
    unlike = wilson(0, len(gains))
    if not (binary and len(distinct) == 1 and unlike):
        return bootstrap_mean(gains, seed, resamples)
    gain = distinct.pop()
    return Interval(gain - unlike.high * (1 + gain), gain + unlike.high * (1 - gain))


def _mcnemar(ahead: int, behind: int) -> float:
    """Twice the binomial tail of the trials on which only one column is right, at most 1."""
    discordant = ahead + behind
    tail = sum(math.comb(discordant, count) for count in range(min(ahead, behind) + 1))
    return min(1.0, 2 * tail / (1 << discordant))


def _sign_flip(totals: Array, seed: int) -> tuple[PairedTest, float]:
    """Return how often the sum of patients' differences, with random signs, comes out as far from 0.

    Patients weigh by their totals, as in the reported difference, so that the test is about that very number.
    """
    moved = totals[totals != 0]
    observed = abs(math.fsum(moved))
    # Sums in another order differ in their last digits; those are ties.
    reach = observed - 1e-9 * math.fsum(np.abs(moved))
    # A flip of all signs comes out as far: the first sign can stay, which halves the work.
    free = max(0, len(moved) - 1)
    if 2**free <= _FLIPS:
        bits = (np.arange(2**free)[:, None] >> np.arange(free)) & 1
        signs = np.hstack([np.ones((2**free, len(moved) - free)), 1 - 2.0 * bits])
        return PairedTest.SIGN_FLIP_EXACT, float((np.abs(signs @ moved) >= reach).mean())
    draws = _generator(seed, "sign flips")
    as_far = 0
    for rows in _pieces(_FLIPS, len(moved)):
        signs = 1 - 2.0 * draws.integers(2, size=(rows, len(moved)))
        as_far += int((np.abs(signs @ moved) >= reach).sum())
    # The data themselves are one of the flips, so that no p-value is 0.
    return PairedTest.SIGN_FLIP_SAMPLED, (1 + as_far) / (1 + _FLIPS)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, in the order given; None, if nothing was tested, stays None and is not counted."""
    tested = [(p_value, place) for place, p_value in enumerate(p_values) if p_value is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    floor = 0.0
    for rank, (p_value, place) in enumerate(sorted(tested)):
        floor = max(floor, min(1.0, p_value * (len(tested) - rank)))
        adjusted[place] = floor
    return adjusted


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> Figure:
    """Cohen's kappa of two judges over the n items that both judged: 1 is perfect, 0 is chance.

    It has no value when both gave one and the same verdict to all: then nothing could have disagreed.
    """
    n = len(pairs)
    first, second = (Counter(pair[place] for pair in pairs) for place in (0, 1))
    expected = sum(first[name] * second[name] for name in first)
    if not n or expected == n * n:
        return Figure(None, n)
    by_chance = expected / (n * n)
    return Figure((sum(a == b for a, b in pairs) / n - by_chance) / (1 - by_chance), n)


def krippendorff_alpha(ratings_by_item: Iterable[Sequence[float]], *, nominal: bool = False) -> Figure:
    """Krippendorff's alpha over the n items with at least two ratings: 1 is perfect, 0 is chance.

    It has no value without two ratings of one item, and when all are equal: then nothing could have disagreed. On an
    ordinal scale, the more ratings lie between two values, the farther apart these are; on a nominal one, all values
    are equally far apart. Each item lists its ratings in any order.
    """
    pairable = [ratings for ratings in ratings_by_item if len(ratings) > 1]
    values = sorted({rating for ratings in pairable for rating in ratings})
    if len(values) < 2:
        return Figure(None, len(pairable))
    counts = np.array([[ratings.count(value) for value in values] for ratings in pairable], dtype=np.float64)
    totals = counts.sum(axis=0)
    # A value's place: the ratings below it, and half of its own.
    places = np.cumsum(totals) - totals / 2
    distances = 1 - np.eye(len(values)) if nominal else np.subtract.outer(places, places) ** 2
    weights = 1 / (counts.sum(axis=1) - 1)
    observed = float(((counts.T * weights) @ counts * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum() / (totals.sum() - 1))
    return Figure(1 - observed / expected, len(pairable))


def _are_binary(values: Iterable[float]) -> bool:
    """Check whether every value is right or wrong, with nothing between."""
    return all(value in (0, 1) for value in values)


def _generator(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng(derive(seed, "", 0, purpose))


def _pieces(draws: int, width: int) -> Iterator[int]:
    """Split draws of this many numbers into batches that fit into memory."""
    rows = max(1, _AT_ONCE // width)
    for start in range(0, draws, rows):
        yield min(rows, draws - start)
