"""How far two equally good columns differ by chance, and what a difference needs to stand out.

The null model is the one of the paired test: if two columns are equally good on every patient, it
is chance which of them got the better of a patient, so each patient's difference could as well have
had the other sign. That needs no guess about the share of consultations that come out differently
when repeated: with one trial per column, how often the two disagree is the only estimate of it. If
the columns do differ, they disagree more than two equal ones would, and the noise is overstated.

With repeated trials, the variance between the trials of one record is the noise of running again,
without the differences between patients. It says how much more trials could still help; more
patients always do.
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

MOST = 100_000
"""Larger numbers of patients or trials are not named."""


def _z(chance: float) -> float:
    """The value below which a standard normal variable is with this chance."""
    return NormalDist().inv_cdf(chance)


@dataclass(frozen=True)
class Noise:
    """What chance does to one difference."""

    floor: float
    """The largest difference, in either direction, that does not tell the columns apart."""
    rerun: float | None
    """How far the difference would move if both columns were run again; None with one trial per
    record."""
    patients_needed: int | None
    """Patients with whom this difference would be told apart with a chance of 80 %; None if it is,
    or if it is 0."""
    trials_needed: int | None
    """Trials per record, with the same patients, for the same; also None if not known, or if no
    number is enough."""


def noise_of(
    first: Mapping[Trial, float], second: Mapping[Trial, float], level: float
) -> Noise | None:
    """Return the noise of a difference at this significance level.

    It is None if the columns share fewer than three patients.

    A difference is beyond the floor exactly if the p-value of `paired` is below the level.
    """
    patients = Clusters.of(paired_gains(first, second))
    if len(patients) < FEWEST:
        return None
    consultations = patients.count
    chance_sum = _largest_chance_sum(patients, level)
    observed_sum = abs(round(math.fsum(patients.totals)))
    trial_variance = _trial_variance(first, second)
    rerun = patients_needed = trials_needed = None
    if trial_variance is not None:
        rerun = _rerun(trial_variance, level, consultations)
    if 0 < observed_sum <= chance_sum:
        needed = _Needed(patients, level)
        patients_needed = needed.patients()
        if trial_variance is not None:
            records = {(trial.patient, trial.record) for trial in first.keys() & second.keys()}
            trials_needed = needed.trials(trial_variance.variance, len(records))
    return Noise(chance_sum / consultations, rerun, patients_needed, trials_needed)


def _largest_chance_sum(patients: Clusters, level: float) -> int:
    """Return the largest sum of gains that is not significant at this level."""
    tails = chance_tails(patients.totals)
    # `tails` falls from a chance of 1 at a sum of 0, so there is at least one such sum.
    return int(np.flatnonzero(tails >= level)[-1])


class _Needed:
    """How many patients or trials a test needs for its power.

    Of each patient's gain, the sum over its consultations, let m be the mean, without its sign, and
    s² the variance. If the columns are equally good, the signs are random and the gains vary by
    their mean square, s² + m²; if the difference is real, by s². So n patients tell the columns
    apart with the chance `POWER` if

        √n · m ≥ z(1 - level / 2) · √(s² + m²) + z(POWER) · s

    which for one consultation per patient is the usual sample size for McNemar's test (R. J.
    Connor, Biometrics 43, 1987, 207-211). The right side is `_reach`.
    """

    def __init__(self, patients: Clusters, level: float) -> None:
        """Take each patient's gain, which do not add up to 0, and the level of the test."""
        self._consultations = patients.count
        self._patients = len(patients)
        self._critical = _z(1 - level / 2)
        self._power = _z(POWER)
        self._mean = abs(math.fsum(patients.totals)) / self._patients
        # The mean over N consultations is the sum of P gains, divided by N: its variance is
        # P · s² / N², which is solved for s².
        self._variance = patients.variance_of_mean * self._consultations**2 / self._patients
        self._share_differing = np.count_nonzero(patients.totals) / self._patients
        # If k patients differ, all in the same direction, p is 2 · (1/2)^k, and it is no smaller
        # otherwise. It is below the level only if k > log2(2 / level).
        self._fewest_differing = math.floor(math.log2(2 / level)) + 1

    def patients(self) -> int:
        """Return how many patients are needed, at the same m and s²: more than there are."""
        for_power = (self._reach(np.array(self._variance)) / self._mean) ** 2
        for_any = self._fewest_differing / self._share_differing
        return max(math.ceil(for_power), math.ceil(for_any), self._patients + 1)

    def trials(self, trial_variance: float, records: int) -> int | None:
        """Return how many trials of each record are needed, with the same patients.

        Of a patient's variance, the part between trials shrinks with their number; the part between
        patients stays, so that no number may be enough.

        Args:
            trial_variance: The variance of one consultation's gain between trials of its record.
            records: Records of all patients together.
        """
        if self._patients < self._fewest_differing:
            return None
        between_trials = trial_variance * self._consultations / self._patients
        between_patients = max(0.0, self._variance - between_trials)
        trials_now = self._consultations / records
        numbers = np.arange(math.floor(trials_now) + 1, MOST + 1)
        variances = between_patients + between_trials * trials_now / numbers
        is_enough = self._reach(variances) <= self._mean * math.sqrt(self._patients)
        if is_enough.any():
            return int(numbers[is_enough][0])
        return None

    def _reach(self, variance: Array) -> Array:
        """Return the right side of the formula for each variance s²."""
        deviation = np.sqrt(np.maximum(variance, 0))
        if_equal = self._critical * np.hypot(deviation, self._mean)
        return np.asarray(if_equal + self._power * deviation)


class _TrialVariance(NamedTuple):
    """What consultations of the same record differ by, from trial to trial."""

    variance: float
    """Of one consultation's gain: the sum of both columns' variances."""
    freedom: int
    """Degrees of freedom of each column's estimate."""


def _rerun(trial_variance: _TrialVariance, level: float, consultations: float) -> float:
    """Return how far a difference over so many consultations would move in another run.

    It goes by Student's t, as a variance from few repeated trials is itself uncertain.
    """
    quantile = student_t(level / 2, trial_variance.freedom)
    return quantile * math.sqrt(trial_variance.variance / consultations)


def _trial_variance(
    first: Mapping[Trial, float], second: Mapping[Trial, float]
) -> _TrialVariance | None:
    """Add up both columns' variance between trials of the same record.

    It is None if no record has two trials.
    """
    # Both columns have these trials, and so the same degrees of freedom.
    trials_by_record: dict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in sorted(first.keys() & second.keys()):
        trials_by_record[trial.patient, trial.record].append(trial)
    freedom = sum(len(trials) - 1 for trials in trials_by_record.values())
    if not freedom:
        return None
    total = 0.0
    for column in (first, second):
        squares = 0.0
        for trials in trials_by_record.values():
            values = [column[trial] for trial in trials]
            squares += float(np.var(values)) * len(values)
        total += squares / freedom
    return _TrialVariance(total, freedom)
