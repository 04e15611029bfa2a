"""How far two equally good columns would differ by chance, and what an observed difference would need to stand out.

The null model is the one of the paired test: if two columns are equally good on every patient, it is chance which of
them got the better of a patient, so each patient's difference could as well have had the other sign. That needs no
guess about the share of consultations that come out differently when repeated: with one trial per column, how often
the two disagree is the only estimate of it. If the columns do differ, they disagree more than two equal ones would,
and the noise is overstated.

With repeated trials, the variance between the trials of one record is the noise of running again, without the
differences between patients. It says how much more trials could still help; more patients always do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from osler.eval.intervals import FEWEST, Array, Clusters, student_t
from osler.eval.statistics import Trial, chance_tails, paired_gains

POWER = 0.8
"""The chance to tell the columns apart again that a needed number of patients or trials gives."""
_z = NormalDist().inv_cdf
MOST = 100_000
"""Larger numbers of patients or trials are not named."""


@dataclass(frozen=True)
class Noise:
    """What chance does to one difference."""

    floor: float
    """The largest difference, in either direction, that does not tell the columns apart."""
    rerun: float | None
    """How far the difference would move if both columns were run again; None with one trial per record."""
    patients_needed: int | None
    """Patients with whom this difference would be told apart with a chance of 80 %; None if it is, or if it is 0."""
    trials_needed: int | None
    """Trials per record, with the same patients, for the same; also None if not known, or if no number is enough."""


def noise_of(first: Mapping[Trial, float], second: Mapping[Trial, float], level: float) -> Noise | None:
    """Return the noise of a difference at this significance level; None if the columns share fewer than three patients.

    A difference is beyond the floor exactly if the p-value of `paired` is below the level.
    """
    patients = Clusters.of(paired_gains(first, second))
    if len(patients) < FEWEST:
        return None
    values = math.fsum(patients.sizes)
    floor = int(np.flatnonzero(chance_tails(patients.totals) >= level)[-1])
    within = _variance_between_trials(first, second)
    seen = abs(round(math.fsum(patients.totals)))
    needed = _Needed(patients, level) if 0 < seen <= floor else None
    records = len({(trial.patient, trial.record) for trial in first.keys() & second.keys()})
    return Noise(
        floor=floor / values,
        rerun=None if within is None else _rerun(within, level, values),
        patients_needed=needed.patients() if needed else None,
        trials_needed=needed.trials(within.variance, records) if needed and within is not None else None,
    )


class _Needed:
    """How many patients or trials a test needs for its power, by the formula for McNemar's test and its like."""

    def __init__(self, patients: Clusters, level: float) -> None:
        """Take each patient's difference, which do not add up to 0, and the level of the test."""
        self._sizes, self._count = math.fsum(patients.sizes), len(patients)
        self._critical, self._power = _z(1 - level / 2), _z(POWER)
        self._mean = abs(math.fsum(patients.totals)) / self._count
        self._variance = patients.variance_of_mean * self._sizes**2 / self._count
        self._differing = np.count_nonzero(patients.totals) / self._count
        # If fewer patients differ, the test is never significant, even if all of them differ in the same direction.
        self._fewest = math.floor(math.log2(2 / level)) + 1

    def patients(self) -> int:
        """At the same difference and variance per patient."""
        enough = (self._reach(np.array(self._variance)) / self._mean) ** 2
        return max(math.ceil(enough), math.ceil(self._fewest / self._differing), self._count + 1)

    def trials(self, within: float, records: int) -> int | None:
        """With the same patients: the variance between patients stays, and that between trials shrinks."""
        if self._count < self._fewest:
            return None
        of_trials = within * self._sizes / self._count
        between = max(0.0, self._variance - of_trials)
        trials = self._sizes / records
        tried = np.arange(math.floor(trials) + 1, MOST + 1)
        enough = self._reach(between + of_trials * trials / tried) <= self._mean * math.sqrt(self._count)
        return int(tried[enough][0]) if enough.any() else None

    def _reach(self, variance: Array) -> Array:
        """Return the mean that one patient would need to be told apart; more patients need less by their root."""
        spread = np.sqrt(np.maximum(variance, 0))
        return np.asarray(self._critical * np.hypot(spread, self._mean) + self._power * spread)


class _BetweenTrials(NamedTuple):
    """What trials of the same record differ by."""

    variance: float
    """Of both columns together."""
    freedom: int
    """Degrees of freedom of each column's estimate."""


def _rerun(within: _BetweenTrials, level: float, values: float) -> float:
    """Return how far a difference would move; a variance from few repeated trials is itself uncertain."""
    return student_t(level / 2, within.freedom) * math.sqrt(within.variance / values)


def _variance_between_trials(first: Mapping[Trial, float], second: Mapping[Trial, float]) -> _BetweenTrials | None:
    """Add up both columns' variance between trials of the same record; None without two trials of any record."""
    total, repeats = 0.0, 0
    for column in (first, second):
        records: dict[tuple[str, str], list[float]] = defaultdict(list)
        for trial in sorted(first.keys() & second.keys()):
            records[trial.patient, trial.record].append(column[trial])
        repeats = sum(len(values) - 1 for values in records.values())
        if not repeats:
            return None
        total += sum(float(np.var(values)) * len(values) for values in records.values()) / repeats
    return _BetweenTrials(total, repeats)
