"""How far a share or a mean can be trusted: Wilson's interval and the bootstrap over patients."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from osler.eval.statistics.clusters import Array, Clusters, ValuesByPatient
from osler.eval.statistics.sampling import generator, pieces

LEVEL = 0.95
RESAMPLES = 10_000

# Below this many patients a bootstrap of zeros and ones is too narrow.
_FEW_PATIENTS = 30


class Interval(NamedTuple):
    """From low to high, both included."""

    low: float
    high: float


def wilson(successes: int, n: int, level: float = LEVEL) -> Interval | None:
    """Wilson's score interval of a share; None when nothing was tried."""
    tail = tail_of(level)
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} cannot be; give successes from 0 to n")
    if not n:
        return None
    share = successes / n
    z = -NormalDist().inv_cdf(tail)
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / shrink
    # Rounding must not push 0 or 1 out of the interval of a share of 0 or 1.
    return Interval(min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)))


def bootstrap_mean(
    values_by_patient: ValuesByPatient, seed: int, level: float = LEVEL, resamples: int = RESAMPLES
) -> Interval | None:
    """The percentile interval of the mean when patients are drawn anew, each with all of its trials.

    None below two patients: drawing one patient again and again says nothing about others.
    """
    tail_of(level)
    clusters = Clusters.of(values_by_patient)
    patients = len(clusters)
    if patients < 2:
        return None
    draws = generator(seed, "bootstrap")
    means = []
    for rows in pieces(resamples, patients):
        drawn = draws.integers(patients, size=(rows, patients))
        means.append(clusters.totals[drawn].sum(axis=1) / clusters.sizes[drawn].sum(axis=1))
    return percentiles(np.concatenate(means), clusters.mean, level)


def mean_interval(
    values_by_patient: ValuesByPatient, seed: int, level: float = LEVEL, resamples: int = RESAMPLES
) -> Interval | None:
    """The interval that suits the values: Wilson's where a bootstrap of zeros and ones would claim too much.

    That is with few patients of one trial each, and when all values are equal: then a bootstrap has no width, and
    Wilson's interval counts patients, since trials that all end alike add no evidence about other patients.
    """
    clusters = Clusters.of(values_by_patient)
    values = [value for group in values_by_patient.values() for value in group]
    few_single = len(clusters) < _FEW_PATIENTS and len(values) == len(clusters)
    if are_binary(values) and (few_single or len(set(values)) <= 1):
        return wilson(round(float((clusters.totals / clusters.sizes).sum())), len(clusters), level)
    return bootstrap_mean(values_by_patient, seed, level, resamples)


def percentiles(samples: Array, estimate: float, level: float) -> Interval:
    """The middle part of resampled estimates, widened where needed so that the estimate itself lies in it."""
    tail = tail_of(level)
    low, high = np.quantile(samples, [tail, 1 - tail])
    return Interval(min(float(low), estimate), max(float(high), estimate))


def are_binary(values: Iterable[float]) -> bool:
    """Whether every value is right or wrong, with nothing between."""
    return all(value in (0, 1) for value in values)


def tail_of(level: float) -> float:
    """What an interval of this level leaves out on each side."""
    if not 0 < level < 1:
        raise ValueError(f"{level} is not a level of confidence; give one between 0 and 1, such as 0.95")
    return (1 - level) / 2
