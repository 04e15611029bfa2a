"""Intervals, paired tests and corrections for figures, with patients as the units.

Means are over all trials. Trials of the same patient are never treated as independent.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

import numpy as np

from osler.eval.intervals import (
    FEWEST,
    SHARES,
    Array,
    Clusters,
    Interval,
    ValuesByPatient,
    difference_interval,
    mean_interval,
)

NO_INTERVAL = f"no interval: too few patients for one (fewer than {FEWEST})"
"""Says why a table shows a figure without brackets."""


@dataclass(frozen=True)
class Figure:
    """A mean or share, with what it rests on."""

    value: float | None
    n: int
    """How many values it was counted from."""
    interval: Interval | None = None
    """None with too few patients, and for what has none."""
    error: float | None = None
    """Standard error, clustered by patient."""

    @classmethod
    def of(cls, values: ValuesByPatient, scale: Interval | None = SHARES) -> Self:
        """The mean of values with its 95 % interval.

        The scale is the lowest and the highest possible value.
        """
        count = sum(map(len, values.values()))
        return cls(
            mean(values), count, mean_interval(values, scale), clustered_standard_error(values)
        )

    @property
    def lacks_interval(self) -> bool:
        """Check whether there is a figure without an interval."""
        return self.value is not None and self.interval is None


def mean(values_by_patient: ValuesByPatient) -> float | None:
    """The mean of all trials, which every interval here is about; None without any."""
    clusters = Clusters.of(values_by_patient)
    if len(clusters):
        return clusters.mean
    return None


def clustered_standard_error(values_by_patient: ValuesByPatient) -> float | None:
    """Return the standard error of the mean, clustered by patient, or None below two patients.

    The cluster-robust error with the usual correction for few clusters, G / (G - 1). With one trial
    each it is the ordinary standard error.
    """
    clusters = Clusters.of(values_by_patient)
    patients = len(clusters)
    if patients < 2:
        return None
    residuals = clusters.totals - clusters.sizes * clusters.mean
    squares = math.fsum(residuals**2)
    return math.sqrt(patients / (patients - 1) * squares) / math.fsum(clusters.sizes)


def pass_hat_k(
    successes_per_patient: Sequence[int], trials_per_patient: Sequence[int], k: int
) -> Figure:
    """The chance that k random trials of a patient are all right, over patients with k trials.

    It is the unbiased estimate: the share of each patient's k-subsets that are all right, on
    average. The plain power (successes / trials) ** k is too high on average, the more so the fewer
    the trials.
    """
    pairs = zip(successes_per_patient, trials_per_patient, strict=True)
    chances = [
        math.comb(successes, k) / math.comb(trials, k) for successes, trials in pairs if trials >= k
    ]
    return Figure(math.fsum(chances) / len(chances) if chances else None, len(chances))


class Trial(NamedTuple):
    """One of a patient's consultations, by which the values of two columns are paired."""

    patient: str
    number: int
    record: str = ""
    """Which of the patient's records it was about; a patient may have one in each language."""


class PairedTest(StrEnum):
    """Where a p-value comes from.

    Both are exact, and the first is the second with one value per patient.
    """

    MCNEMAR = "mcnemar_exact"
    SIGN_FLIP = "sign_flip_exact"


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
    """None when the columns share no trial, as are the test and the p-value."""
    interval: Interval | None
    """None also with too few patients."""
    only_first: int
    """Trials on which the first column is ahead; for values of 0 and 1, on which only the first is
    right."""
    only_second: int
    test: PairedTest | None
    p_value: float | None


def paired(first: Mapping[Trial, float], second: Mapping[Trial, float]) -> Paired:
    """Compare two columns of right (1) and wrong (0), trial by trial.

    The test flips the signs of whole patients: if the columns were equally good, each patient's
    difference could as well have had the other sign. With one trial per patient that is McNemar's
    exact test.

    Raises:
        ValueError: A value is neither 0 nor 1.
    """
    shared = sorted(first.keys() & second.keys())
    gains = paired_gains(first, second)
    clusters = Clusters.of(gains)
    every_gain: list[float] = []
    for of_patient in gains.values():
        every_gain += of_patient
    test = PairedTest.MCNEMAR if len(shared) == len(clusters) else PairedTest.SIGN_FLIP
    return Paired(
        n=len(shared),
        patients=len(clusters),
        left_out=len(first.keys() ^ second.keys()),
        left_out_first=len(first) - len(shared),
        left_out_second=len(second) - len(shared),
        difference=clusters.mean if shared else None,
        interval=difference_interval(gains),
        only_first=sum(gain > 0 for gain in every_gain),
        only_second=sum(gain < 0 for gain in every_gain),
        test=test if shared else None,
        p_value=_p_value(clusters) if shared else None,
    )


def _p_value(gains: Clusters) -> float:
    """The chance of a sum of gains at least as far from zero, were all signs random."""
    total = abs(round(math.fsum(gains.totals)))
    return float(chance_tails(gains.totals)[total])


def paired_gains(
    first: Mapping[Trial, float], second: Mapping[Trial, float]
) -> dict[str, list[float]]:
    """Return the first column minus the second on each trial that both have, by patient.

    Raises:
        ValueError: A value is neither 0 nor 1.
    """
    shared = sorted(first.keys() & second.keys())
    if not all(first[trial] in (0, 1) and second[trial] in (0, 1) for trial in shared):
        raise ValueError(
            "only right (1) and wrong (0) can be paired; leave values that are not known out"
        )
    gains: dict[str, list[float]] = defaultdict(list)
    for trial in shared:
        gains[trial.patient].append(float(first[trial]) - float(second[trial]))
    return dict(gains)


def chance_tails(totals: Iterable[float]) -> Array:
    """Return for s = 0, 1, 2, … the chance that these numbers add up to at least s or -s.

    The numbers are whole, and their signs random. It is exact: numbers of the same size follow a
    binomial distribution, and the sizes are convolved.
    """
    sizes = Counter(abs(round(total)) for total in totals if total)
    chances = np.ones(1)
    for size, count in sizes.items():
        spread = np.zeros(size * count + 1)
        spread[::size] = _coin_tosses(count)
        chances = np.convolve(chances, spread)
    farthest = len(chances) - 1
    distances = np.abs(2 * np.arange(farthest + 1) - farthest)
    tails = np.cumsum(np.bincount(distances, weights=chances)[::-1])[::-1]
    return np.asarray(tails / tails[0])


def _coin_tosses(count: int) -> list[float]:
    """Return the chances of 0, 1, 2, … heads in this many tosses of a coin."""
    # Whole numbers do not round: they are divided only at the end.
    return [math.comb(count, heads) / (1 << count) for heads in range(count + 1)]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, in the order given.

    None, if nothing was tested, stays None and is not counted.
    """
    tested = [(p_value, place) for place, p_value in enumerate(p_values) if p_value is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    floor = 0.0
    for rank, (p_value, place) in enumerate(sorted(tested)):
        floor = max(floor, min(1.0, p_value * (len(tested) - rank)))
        adjusted[place] = floor
    return adjusted


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> Figure:
    """Cohen's kappa of two judges over the n items that both judged: 1 is perfect, 0 is chance.

    It has no value when both gave one and the same verdict to all: then nothing could have
    disagreed.
    """
    n = len(pairs)
    first, second = (Counter(pair[place] for pair in pairs) for place in (0, 1))
    expected = sum(first[name] * second[name] for name in first)
    if not n or expected == n * n:
        return Figure(None, n)
    by_chance = expected / (n * n)
    return Figure((sum(a == b for a, b in pairs) / n - by_chance) / (1 - by_chance), n)


def krippendorff_alpha(
    ratings_by_item: Iterable[Sequence[float]], *, nominal: bool = False
) -> Figure:
    """Krippendorff's alpha over the n items with at least two ratings: 1 is perfect, 0 is chance.

    It has no value without two ratings of one item, and when all are equal: then nothing could have
    disagreed. On an ordinal scale, the more ratings lie between two values, the farther apart these
    are; on a nominal one, all values are equally far apart. Each item lists its ratings in any
    order.
    """
    pairable = [ratings for ratings in ratings_by_item if len(ratings) > 1]
    values = sorted(set[float]().union(*pairable))
    if len(values) < 2:
        return Figure(None, len(pairable))
    counts = np.zeros((len(pairable), len(values)))
    for item, ratings in enumerate(pairable):
        counts[item] = [ratings.count(value) for value in values]
    totals = counts.sum(axis=0)
    # A value's place: the ratings below it, and half of its own.
    places = np.cumsum(totals) - totals / 2
    distances = 1 - np.eye(len(values)) if nominal else np.subtract.outer(places, places) ** 2
    weights = 1 / (counts.sum(axis=1) - 1)
    observed = float(((counts.T * weights) @ counts * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum() / (totals.sum() - 1))
    return Figure(1 - observed / expected, len(pairable))
