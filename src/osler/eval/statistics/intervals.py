"""How far a mean or a share can be trusted: standard errors, Wilson's interval, the bootstrap over patients."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from osler.seeds import derive

ValuesByPatient = Mapping[str, Sequence[float]]
Array = npt.NDArray[np.float64]

# No score comes near it, and squares and sums of what lies below it cannot overflow.
_LARGEST = 1e100
LEVEL = 0.95
RESAMPLES = 10_000

# Below this many patients a bootstrap of zeros and ones is too narrow.
_FEW_PATIENTS = 30
# How many drawn numbers are held at a time.
_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class Clusters:
    """Each patient's total and number of values, in the patients' order by name.

    The order makes a seeded result independent of the order in which consultations ended.
    """

    totals: Array
    sizes: Array

    @classmethod
    def of(cls, values_by_patient: ValuesByPatient) -> Clusters:
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


def mean(values_by_patient: ValuesByPatient) -> float | None:
    """The mean of all trials, which every interval here is about; None without any."""
    clusters = Clusters.of(values_by_patient)
    return clusters.mean if len(clusters) else None


def clustered_standard_error(values_by_patient: ValuesByPatient) -> float | None:
    """The standard error of the mean when trials of one patient go together; None below two patients.

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


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose."""
    return np.random.default_rng(derive(seed, "", 0, purpose))


def pieces(draws: int, width: int) -> Iterator[int]:
    """How many draws of this many numbers to make at a time, until all are made."""
    if draws < 1:
        raise ValueError(f"{draws} draws give no interval; ask for at least 1")
    rows = max(1, _AT_ONCE // width)
    for start in range(0, draws, rows):
        yield min(rows, draws - start)
