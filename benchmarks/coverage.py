"""How often the 95 % intervals hold the truth, beside those of before.

python benchmarks/coverage.py [--differences] [--quick]

For 3 to 12 patients with 1 to 4 trials each: the worst coverage over accuracies of .1 to .9 (with
--differences: over pairs of columns) and over what a patient's trials have in common, from nothing
to everything. It is exact, every run that is possible being listed, but for differences with so
many runs that they are drawn. Then the widths, also with many patients. Before: Wilson's interval
where each patient had one trial or all values were equal, else the percentile interval of 10,000
resamples of patients (here 1,000).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.eval.exact_coverage import (
    AHEAD_BEHIND_OR_NEITHER,
    RIGHT_OR_WRONG,
    Coverage,
    Truth,
    coverages,
    drawn_coverages,
    of_one_column,
    of_two_columns,
    possible_runs,
)

from osler.eval.intervals import (
    FEWEST,
    Interval,
    difference_interval,
    mean_interval,
    score_interval,
)

Values = Mapping[str, Sequence[float]]
PATIENTS, TRIALS = range(FEWEST, 13), range(1, 5)
MANY = (20, 44, 88)
_Z = NormalDist().inv_cdf(0.975)
_RESAMPLES = 1_000
_MOST_RUNS = 7_000
"""More possible runs are drawn, not listed."""
_DRAWN, _DRAWN_OF_MANY = 3_000, 300


def main() -> None:
    """Print the grid and the widths."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--differences", action="store_true", help="of paired differences, not of shares"
    )
    parser.add_argument(
        "--quick", action="store_true", help="the new intervals alone, without large numbers"
    )
    asked = parser.parse_args()
    values = AHEAD_BEHIND_OR_NEITHER if asked.differences else RIGHT_OR_WRONG
    truths = of_two_columns() if asked.differences else of_one_column()
    now = difference_interval if asked.differences else mean_interval
    before = difference_before if asked.differences else mean_before
    ways: dict[str, Callable[[Values], Interval | None]] = {"now": now}
    if not asked.quick:
        ways = {"before": before, **ways}
    print(f"patients  trials  {'  '.join(f'worst {name:>6}  width {name:>6}' for name in ways)}")
    worst: dict[str, list[float]] = {name: [] for name in ways}
    for patients in PATIENTS if asked.quick else (*PATIENTS, *MANY):
        for trials in TRIALS if patients in PATIENTS else (1, 3):
            cells = []
            for name, way in ways.items():
                found = _found(way, values, patients, trials, truths)
                lowest = min(one.share for one in found)
                if patients in PATIENTS:
                    worst[name].append(lowest)
                cells.append(f"{lowest:12.3f}  {np.mean([one.width for one in found]):12.3f}")
            print(f"{patients:8}  {trials:6}  {'  '.join(cells)}", flush=True)
    for name, each in worst.items():
        below = sum(share < 0.93 for share in each)
        print(
            f"{name}: worst {min(each):.3f}, below .93 in {below} of {len(each)} cells of 3 to 12"
            " patients"
        )


def _found(
    way: Callable[[Values], Interval | None],
    values: Sequence[float],
    patients: int,
    trials: int,
    truths: list[Truth],
) -> list[Coverage]:
    """The cells of some patients and trials, one for each truth."""
    if possible_runs(len(values), patients, trials) <= _MOST_RUNS and patients not in MANY:
        return coverages(way, values, patients, trials, truths)
    drawn = _DRAWN_OF_MANY if patients in MANY else _DRAWN
    return drawn_coverages(way, values, patients, trials, truths, drawn)


def mean_before(values_by_patient: Values) -> Interval | None:
    """The interval of a share as it was."""
    totals = np.array([math.fsum(values) for values in values_by_patient.values()])
    sizes = np.array([len(values) for values in values_by_patient.values()])
    patients, distinct = (
        len(totals),
        {value for values in values_by_patient.values() for value in values},
    )
    if len(distinct) == 1 or (patients < 30 and set(sizes) == {1}):
        return score_interval(float((totals / sizes).mean()), patients, _Z)
    return _bootstrap(totals, sizes)


def difference_before(gains_by_patient: Values) -> Interval | None:
    """The interval of a difference as it was."""
    totals = np.array([math.fsum(gains) for gains in gains_by_patient.values()])
    sizes = np.array([len(gains) for gains in gains_by_patient.values()])
    distinct = {gain for gains in gains_by_patient.values() for gain in gains}
    if len(distinct) > 1:
        return _bootstrap(totals, sizes)
    (gain,) = distinct
    unlike = score_interval(0, len(totals), _Z).high
    return Interval(gain - unlike * (1 + gain), gain + unlike * (1 - gain))


def _bootstrap(totals: npt.NDArray[np.float64], sizes: npt.NDArray[np.int64]) -> Interval:
    chosen = np.random.default_rng(0).integers(len(totals), size=(_RESAMPLES, len(totals)))
    means = totals[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    mean = totals.sum() / sizes.sum()
    return Interval(min(float(low), mean), max(float(high), mean))


if __name__ == "__main__":
    main()
