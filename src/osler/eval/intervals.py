"""Intervals of means, shares and differences that hold with few patients, too.

Patients are the units. Trials of one patient are never treated as independent, nor is it assumed
how much they have in common: the spread between patients is estimated, by leaving out one patient
at a time. With few patients that estimate is itself rough, which the t distribution allows for.
`benchmarks/coverage.py` prints how often the intervals hold the truth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

ValuesByPatient = Mapping[str, Sequence[float]]
Array = npt.NDArray[np.float64]

FEWEST = 3
"""Patients that an interval needs. From one, nothing is known of others; from two, it would be all
there is."""
_TAIL = (1 - 0.95) / 2
"""What a 95 % interval leaves out on each side."""
_LARGEST = 1e100
"""No score comes near it, and squares and sums of smaller numbers cannot overflow."""


_ROUNDING = 1e-9
"""How far a value may be off its scale."""


class Interval(NamedTuple):
    """From low to high, both included."""

    low: float
    high: float


SHARES = Interval(0.0, 1.0)
"""The scale of shares, and of right (1) and wrong (0)."""


@dataclass(frozen=True)
class Clusters:
    """Each patient's total and number of values, in the patients' order by name.

    The order makes a result independent of the order in which consultations ended.
    """

    totals: Array
    sizes: Array
    kinds: frozenset[float]
    """The different values there are."""
    spread: float
    """The variance of all values, whoever's they are."""

    @classmethod
    def of(cls, values_by_patient: ValuesByPatient) -> Self:
        """Sum up each patient; patients without values are not there."""
        groups = [values for _, values in sorted(values_by_patient.items()) if len(values)]
        every: list[float] = []
        for values in groups:
            every += values
        for value in every:
            if not abs(value) <= _LARGEST:
                raise ValueError(f"{value} is not a score; leave values that are not known out")
        totals = [math.fsum(values) for values in groups]
        sizes = [len(values) for values in groups]
        return cls(
            totals=np.array(totals, dtype=np.float64),
            sizes=np.array(sizes, dtype=np.float64),
            kinds=frozenset(every),
            spread=_variance(every),
        )

    def __len__(self) -> int:
        return len(self.totals)

    @property
    def count(self) -> float:
        """How many values there are."""
        return math.fsum(self.sizes)

    @property
    def mean(self) -> float:
        """The mean of all values; there must be one."""
        return math.fsum(self.totals) / self.count

    @property
    def equal_patients(self) -> float:
        """How many patients with equally many values would say as much.

        They are fewer than there are if some have many more values than others.
        """
        return self.count**2 / math.fsum(self.sizes**2)

    @property
    def shifts(self) -> Array:
        """How far the mean moves when each patient is left out; there must be two."""
        return (self.sizes * self.mean - self.totals) / (self.count - self.sizes)

    @property
    def variance_of_mean(self) -> float:
        """The jackknife's variance of the mean, at least what independent values would have.

        There must be two patients.
        """
        between = (len(self) - 1) / len(self) * math.fsum(self.shifts**2)
        return max(between, self.spread / self.count)


def _variance(values: Sequence[float]) -> float:
    """The variance of values; 0 if there are none."""
    if not values:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def mean_interval(
    values_by_patient: ValuesByPatient, scale: Interval | None = SHARES
) -> Interval | None:
    """Return the 95 % interval of the mean of all values; None below three patients.

    On a scale it is Wilson's score interval, with the number of independent values that are worth
    as much as these, and with the quantile of the t distribution in place of the normal one. Where
    all values are equal, each patient counts once: trials that all end alike add no evidence about
    other patients.

    Args:
        values_by_patient: All values of each patient.
        scale: The lowest and the highest possible value; None for what has no bounds, such as
            times.

    Raises:
        ValueError: A value is not on the scale.
    """
    return _interval(Clusters.of(values_by_patient), scale)


def _interval(clusters: Clusters, scale: Interval | None) -> Interval | None:
    if len(clusters) < FEWEST:
        return None
    freedom = max(FEWEST - 1, math.ceil(round(clusters.equal_patients, 9)) - 1)
    quantile = student_t(_TAIL, freedom)
    variance = clusters.variance_of_mean
    if scale is None:
        reach = quantile * math.sqrt(variance)
        if variance:
            return Interval(clusters.mean - reach, clusters.mean + reach)
        return None
    lowest = scale.low - _ROUNDING
    highest = scale.high + _ROUNDING
    if not (lowest <= min(clusters.kinds) and max(clusters.kinds) <= highest):
        raise ValueError(f"values are not within {scale.low} to {scale.high}")
    width = scale.high - scale.low
    share = min(1.0, max(0.0, (clusters.mean - scale.low) / width))
    is_equal = len(clusters.kinds) == 1 or not variance or share in (0, 1)
    worth = clusters.equal_patients
    if not is_equal:
        worth = share * (1 - share) * width**2 / variance
    low, high = score_interval(share, worth, quantile)
    if clusters.kinds <= set(scale):
        # A single right trial looks like little spread, but cannot bound the share more closely
        # than none does.
        low = min(low, score_interval(1, clusters.equal_patients, quantile).low)
        high = max(high, score_interval(0, clusters.equal_patients, quantile).high)
    # Rounding must not push the mean out of its interval.
    return Interval(
        low=min(clusters.mean, scale.low + width * low),
        high=max(clusters.mean, scale.low + width * high),
    )


def difference_interval(gains_by_patient: ValuesByPatient) -> Interval | None:
    """Return the 95 % interval of a mean of gains, each -1, 0 or 1; None below three patients.

    Newcombe's way: the shares of trials on which either column is ahead have an interval each, and
    their distances are added as the squares of numbers that depend on each other.
    """
    is_ahead: dict[str, list[float]] = {}
    is_behind: dict[str, list[float]] = {}
    for patient, gains in gains_by_patient.items():
        is_ahead[patient] = [float(gain > 0) for gain in gains]
        is_behind[patient] = [float(gain < 0) for gain in gains]
    first = Clusters.of(is_ahead)
    second = Clusters.of(is_behind)
    ahead = _interval(first, SHARES)
    behind = _interval(second, SHARES)
    if ahead is None or behind is None:
        return None
    difference = first.mean - second.mean
    together = _correlation(first.shifts, second.shifts)
    up = _side(ahead.high - first.mean, second.mean - behind.low, together)
    down = _side(first.mean - ahead.low, behind.high - second.mean, together)
    return Interval(max(-1.0, difference - down), min(1.0, difference + up))


def _side(of_first: float, of_second: float, correlation: float) -> float:
    """Combine the distances of two intervals into that of the difference."""
    return math.sqrt(of_first**2 + of_second**2 - 2 * correlation * of_first * of_second)


def _correlation(first: Array, second: Array) -> float:
    """Return how two shares of the same trials go against each other: 0 to -1."""
    sizes = math.sqrt(math.fsum(first**2) * math.fsum(second**2))
    if not sizes:
        return 0.0
    return min(0.0, max(-1.0, math.fsum(first * second) / sizes))


def score_interval(share: float, worth: float, quantile: float) -> Interval:
    """Return Wilson's interval of a share that is worth this many independent values."""
    shrink = 1 + quantile**2 / worth
    centre = (share + quantile**2 / (2 * worth)) / shrink
    variance = share * (1 - share) / worth + (quantile / (2 * worth)) ** 2
    half = quantile * math.sqrt(variance) / shrink
    # Rounding must not push 0 or 1 out of the interval of a share of 0 or 1.
    return Interval(
        low=min(share, max(0.0, centre - half)), high=max(share, min(1.0, centre + half))
    )


@lru_cache(maxsize=4096)
def student_t(tail: float, freedom: int) -> float:
    """Return the value that Student's t exceeds with this chance, which is below a half.

    The distribution is a finite sum in the angle whose tangent is t / sqrt(freedom); the angle is
    searched by halving.
    """
    low = 0.0
    high = math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        if (1 - _central_share(angle, freedom)) / 2 > tail:
            low = angle
        else:
            high = angle
    return math.sqrt(freedom) * math.tan(low)


def _central_share(angle: float, freedom: int) -> float:
    """Return the chance that Student's t is within this angle on either side.

    Abramowitz and Stegun 26.7.3, 26.7.4.
    """
    cosine = math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for power in range(2 + odd, freedom, 2):
        term *= cosine**2 * (power - 1) / power
        total += term
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total
