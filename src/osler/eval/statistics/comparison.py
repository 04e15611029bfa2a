"""Two columns of a table over the same patients: which is better, by how much, and whether that may be chance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

import numpy as np

from osler.eval.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Array,
    Clusters,
    Interval,
    ValuesByPatient,
    are_binary,
    bootstrap_mean,
    generator,
    pieces,
    wilson,
)

# So many random flips decide; where all flips there are come to no more, all are tried.
_FLIPS = 10_000


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
    first: Mapping[Trial, float],
    second: Mapping[Trial, float],
    seed: int = 0,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> Paired:
    """Compare two columns trial by trial.

    Right and wrong on one trial per patient go through McNemar's exact test. For anything else whole patients change
    sides: were the columns alike, each patient's difference might as well have had the other sign.
    """
    shared = sorted(first.keys() & second.keys())
    gains: dict[str, list[float]] = defaultdict(list)
    for trial in shared:
        gains[trial[0]].append(float(first[trial]) - float(second[trial]))
    clusters = Clusters.of(gains)
    every_gain = [gain for group in gains.values() for gain in group]
    ahead, behind = sum(gain > 0 for gain in every_gain), sum(gain < 0 for gain in every_gain)
    binary = are_binary(chain.from_iterable((first[trial], second[trial]) for trial in shared))
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
        interval=_interval(gains, binary, seed, level, resamples),
        only_first=ahead,
        only_second=behind,
        test=test,
        p_value=p_value,
    )


def _interval(gains: ValuesByPatient, binary: bool, seed: int, level: float, resamples: int) -> Interval | None:
    """The bootstrap's interval, except where all differences of zeros and ones are equal and it would have no width.

    There, Wilson's interval says how many other patients might yet differ, and each could at most turn the
    difference to the far end of its range.
    """
    distinct = {gain for group in gains.values() for gain in group}
    unlike = wilson(0, len(gains), level)
    if not (binary and len(distinct) == 1 and unlike):
        return bootstrap_mean(gains, seed, level, resamples)
    gain = distinct.pop()
    return Interval(gain - unlike.high * (1 + gain), gain + unlike.high * (1 - gain))


def _mcnemar(ahead: int, behind: int) -> float:
    """Twice the binomial tail of the trials on which only one column is right, at most 1."""
    discordant = ahead + behind
    tail = sum(math.comb(discordant, count) for count in range(min(ahead, behind) + 1))
    return min(1.0, 2 * tail / (1 << discordant))


def _sign_flip(totals: Array, seed: int) -> tuple[PairedTest, float]:
    """How often the sum of patients' differences, each with a sign of its own, comes out as far from 0.

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
    draws = generator(seed, "sign flips")
    as_far = 0
    for rows in pieces(_FLIPS, len(moved)):
        signs = 1 - 2.0 * draws.integers(2, size=(rows, len(moved)))
        as_far += int((np.abs(signs @ moved) >= reach).sum())
    # The data themselves are one of the flips, so that no p-value is 0.
    return PairedTest.SIGN_FLIP_SAMPLED, (1 + as_far) / (1 + _FLIPS)
