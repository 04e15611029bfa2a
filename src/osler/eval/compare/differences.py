"""Test the differences between columns, and set each beside what chance alone does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from osler.eval.compare.columns import ColumnFigures
from osler.eval.compare.noise import Noise, noise_of
from osler.eval.compare.pairs import ColumnPair
from osler.eval.intervals import Interval
from osler.eval.measures import Measure, all_measures
from osler.eval.statistics import Paired, Trial, holm, paired

SIGNIFICANT = 0.05
"""The level that a corrected p-value must be below."""


@dataclass(frozen=True)
class ColumnDifference:
    """One column against another, in one measure."""

    measure: str
    first: ColumnFigures
    second: ColumnFigures
    paired: Paired
    undecided: int
    """Undecided verdicts among the pairs, of either column; the test counts them as not right."""
    bounds: Interval | None
    """The difference if all undecided verdicts were decided for the second column, and if for the
    first."""
    p_holm: float | None = None
    """Corrected over all differences of the table."""
    noise: Noise | None = None
    """At the level that the correction asks of this table; None if the columns share no
    consultation."""

    @property
    def is_significant(self) -> bool:
        """Whether it holds after the correction, which is whether it is larger than its noise."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT

    @property
    def depends_on_undecided(self) -> bool:
        """Whether the undecided verdicts could turn the column ahead into the one behind."""
        if not self.undecided or self.bounds is None:
            return False
        return self.bounds.low <= 0 <= self.bounds.high

    @property
    def is_told_apart(self) -> bool:
        """Whether the difference is significant, whatever the undecided verdicts turn out to be."""
        return self.is_significant and not self.depends_on_undecided


def differences_of(pairs: Iterable[ColumnPair]) -> list[ColumnDifference]:
    """Test every pair in every tested measure, then correct the p-values and find the noise."""
    measures = [measure for measure in all_measures() if measure.is_tested]
    upper_bounds = {
        measure.upper_bound_of: measure for measure in all_measures() if measure.upper_bound_of
    }
    differences = []
    for pair in pairs:
        differences += [
            _difference(measure, upper_bounds.get(measure.name), pair)
            for measure in measures
            if measure.name in pair.column.values and measure.name in pair.reference.values
        ]
    corrected = holm([difference.paired.p_value for difference in differences])
    level = _holm_level(corrected)
    return [
        replace(difference, p_holm=p, noise=_noise(difference, level))
        for difference, p in zip(differences, corrected, strict=True)
    ]


def _holm_level(corrected: Iterable[float | None]) -> float:
    """Return the level below which a p-value, not corrected, is significant in this table.

    Holm's correction goes from the smallest p-value up and multiplies each by the number of those
    that are left, itself included; the first product of 0.05 or more ends it. If it ends with k
    left, then the p-values from there on are at least 0.05 / k, and those before it are smaller
    than 0.05 / (k + 1). So the one level 0.05 / k parts them, and a difference is significant
    exactly if it is larger than its noise at that level.
    """
    not_rejected = sum(p is not None and p >= SIGNIFICANT for p in corrected)
    return SIGNIFICANT / max(1, not_rejected)


def _noise(difference: ColumnDifference, level: float) -> Noise | None:
    name = difference.measure
    return noise_of(difference.first.values[name], difference.second.values[name], level)


def _difference(measure: Measure, upper: Measure | None, pair: ColumnPair) -> ColumnDifference:
    """Pair two columns, with undecided verdicts as not right, and with the bounds they leave."""
    first = pair.column.values[measure.name]
    second = pair.reference.values[measure.name]
    result = paired(first, second)
    shared = first.keys() & second.keys()
    undecided_first = _undecided_count(pair.column, measure, upper, shared)
    undecided_second = _undecided_count(pair.reference, measure, upper, shared)
    bounds = None
    if result.difference is not None:
        # The worst case of the first column: all that is undecided of the second is right.
        low = result.difference - undecided_second / result.n
        high = result.difference + undecided_first / result.n
        bounds = Interval(low, high)
    return ColumnDifference(
        measure=measure.name,
        first=pair.column,
        second=pair.reference,
        paired=result,
        undecided=round(undecided_first + undecided_second),
        bounds=bounds,
    )


def _undecided_count(
    column: ColumnFigures, measure: Measure, upper: Measure | None, trials: Iterable[Trial]
) -> float:
    """Undecided verdicts of a column: by how much its upper bound is above the measure."""
    if upper is None:
        return 0.0
    at_most = column.values[upper.name]
    values = column.values[measure.name]
    return sum(at_most[trial] - values[trial] for trial in trials)
