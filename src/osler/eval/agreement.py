"""How far raters agree beyond chance: Cohen's kappa for two, Krippendorff's alpha for any number with gaps."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real

import numpy as np

from osler.eval.statistics.clusters import Array
from osler.eval.statistics.intervals import LEVEL, RESAMPLES, Interval, percentiles, wilson
from osler.eval.statistics.sampling import generator, pieces


@dataclass(frozen=True)
class Confusion:
    """How often the first rater's label (the row) met the second's (the column)."""

    labels: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    left_out: int
    """Items that one of the raters did not rate."""

    @property
    def n(self) -> int:
        """Items that both raters rated."""
        return sum(map(sum, self.counts))


@dataclass(frozen=True)
class Kappa:
    """Agreement of two raters, as the part that chance does not explain: 1 is perfect, 0 is chance."""

    value: float | None
    """None without items, and when both raters gave one and the same label throughout: chance explains that too."""
    interval: Interval | None
    agreement: float | None
    """The share of items on which both say the same."""
    table: Confusion


class Scale(StrEnum):
    """What the distance between two ratings means."""

    NOMINAL = "nominal"
    """They differ or they do not."""
    ORDINAL = "ordinal"
    """The more ratings lie between them, the farther apart they are."""
    INTERVAL = "interval"
    """Their difference as numbers."""


@dataclass(frozen=True)
class Alpha:
    """Agreement of any number of raters: 1 is perfect, 0 is chance."""

    value: float | None
    """None without two ratings of one item, and when all ratings are equal: then nothing could have disagreed."""
    items: int
    ratings: int
    left_out: int
    """Items with fewer than two ratings, which say nothing about agreement."""


def confusion(first: Sequence[Hashable | None], second: Sequence[Hashable | None]) -> Confusion:
    """The table of two raters' labels over the same items; None stands for a rating that is missing."""
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    labels = _in_order({label for pair in both for label in pair})
    place = {label: index for index, label in enumerate(labels)}
    counts = [[0] * len(labels) for _ in labels]
    for a, b in both:
        counts[place[a]][place[b]] += 1
    return Confusion(labels, tuple(map(tuple, counts)), left_out=len(first) - len(both))


def cohens_kappa(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    seed: int = 0,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> Kappa:
    """Cohen's kappa over the items that both rated, with the interval of a bootstrap over items."""
    table = confusion(first, second)
    if not table.n:
        return Kappa(None, None, None, table)
    counts = np.array(table.counts, dtype=np.float64)
    agreement = float(np.trace(counts)) / table.n
    values = _kappas(counts[None])
    if not len(values):
        return Kappa(None, None, agreement, table)
    value = float(values[0])
    return Kappa(value, _interval(counts, value, seed, level, resamples), agreement, table)


def krippendorff_alpha(ratings_by_item: Sequence[Sequence[Hashable | None]], scale: Scale) -> Alpha:
    """Krippendorff's alpha; each item lists its ratings in any order, None for one that is missing."""
    given = [[rating for rating in ratings if rating is not None] for ratings in ratings_by_item]
    pairable = [ratings for ratings in given if len(ratings) > 1]
    every = [rating for ratings in pairable for rating in ratings]
    values = _in_order(set(every)) if scale is Scale.NOMINAL else tuple(sorted({_number(rating) for rating in every}))
    left_out = len(given) - len(pairable)
    if len(values) < 2:
        return Alpha(None, len(pairable), len(every), left_out)
    place = {value: index for index, value in enumerate(values)}
    counts = np.zeros((len(pairable), len(values)))
    for row, ratings in zip(counts, pairable, strict=True):
        for rating in ratings:
            row[place[rating]] += 1
    return Alpha(_alpha(counts, _distances(values, counts.sum(axis=0), scale)), len(pairable), len(every), left_out)


def _kappas(tables: Array) -> Array:
    """The kappa of each table of counts for which it is defined."""
    n = tables.sum(axis=(1, 2))
    # Counts stay whole numbers as long as possible, so that a chance agreement of exactly 1 is seen as such.
    observed = n * np.trace(tables, axis1=1, axis2=2)
    expected = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    defined = expected < n * n
    kappas: Array = (observed[defined] - expected[defined]) / (n * n - expected)[defined]
    return kappas


def _interval(counts: Array, value: float, seed: int, level: float, resamples: int) -> Interval | None:
    """Items drawn anew; draws in which kappa is not defined are passed over.

    Perfect agreement stays perfect in every draw. There the lower end is the kappa of the lowest agreement that
    Wilson's interval leaves open.
    """
    n = int(counts.sum())
    if n < 2:
        return None
    if np.trace(counts) == n and (share := wilson(n, n, level)):
        chance = float((counts.sum(axis=0) / n) @ (counts.sum(axis=1) / n))
        return Interval((share.low - chance) / (1 - chance), 1.0)
    draws = generator(seed, "kappa")
    shares = counts.ravel() / n
    drawn = [
        _kappas(draws.multinomial(n, shares, size=rows).reshape(rows, *counts.shape).astype(np.float64))
        for rows in pieces(resamples, counts.size)
    ]
    # The table itself is one of the draws, so that there is always one in which kappa is defined.
    return percentiles(np.concatenate([*drawn, [value]]), value, level)


def _alpha(counts: Array, distances: Array) -> float:
    """One minus observed over expected disagreement, from how often each item got each value."""
    weights = 1 / (counts.sum(axis=1) - 1)
    # A value never disagrees with itself, so the diagonal of the coincidences needs no care.
    observed = float(((counts.T * weights) @ counts * distances).sum())
    totals = counts.sum(axis=0)
    expected = float((np.outer(totals, totals) * distances).sum() / (totals.sum() - 1))
    return 1 - observed / expected


def _distances(values: Sequence[Hashable], totals: Array, scale: Scale) -> Array:
    """Squared distances of values, up to a factor, which alpha does not depend on."""
    if scale is Scale.NOMINAL:
        return 1 - np.eye(len(values))
    if scale is Scale.ORDINAL:
        # The ratings that lie between two values, both ends counted half.
        places = np.cumsum(totals) - totals / 2
    else:
        places = np.array([_number(value) for value in values])
        places = places / np.abs(places).max()
    return np.subtract.outer(places, places) ** 2


def _number(rating: Hashable) -> float:
    """The rating as a number, which an order or a difference needs."""
    if isinstance(rating, Real) and math.isfinite(rating):
        return float(rating)
    raise ValueError(f"{rating!r} has no place on a scale of numbers; give numbers, or rate on the nominal scale")


def _in_order(labels: set[Hashable]) -> tuple[Hashable, ...]:
    """Labels of any kind in an order that is the same every time."""
    return tuple(sorted(labels, key=repr))
