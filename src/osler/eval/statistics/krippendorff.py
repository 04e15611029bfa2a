"""How far raters agree beyond chance: Krippendorff's alpha, for any number of raters with gaps, on an ordinal scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Alpha:
    """Agreement of any number of raters: 1 is perfect, 0 is chance."""

    value: float | None
    """None without two ratings of one item, and when all ratings are equal: then nothing could have disagreed."""
    items: int
    """Items with at least two ratings; the others say nothing about agreement."""


def krippendorff_alpha(ratings_by_item: Sequence[Sequence[float | None]]) -> Alpha:
    """One minus observed over expected disagreement.

    The more ratings lie between two values, the farther apart these are. Each item lists its ratings in any order,
    None for one that is missing.

    Raises:
        ValueError: A rating is no number.
    """
    given = [[rating for rating in ratings if rating is not None] for ratings in ratings_by_item]
    pairable = [ratings for ratings in given if len(ratings) > 1]
    values = sorted({rating for ratings in pairable for rating in ratings})
    if not all(map(math.isfinite, values)):
        raise ValueError("a rating is not a finite number; leave out what was not rated")
    if len(values) < 2:
        return Alpha(None, len(pairable))
    counts = np.array([[ratings.count(value) for value in values] for ratings in pairable], dtype=np.float64)
    totals = counts.sum(axis=0)
    # A value's place: the ratings below it, and half of its own.
    places = np.cumsum(totals) - totals / 2
    distances = np.subtract.outer(places, places) ** 2
    weights = 1 / (counts.sum(axis=1) - 1)
    observed = float(((counts.T * weights) @ counts * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum() / (totals.sum() - 1))
    return Alpha(1 - observed / expected, len(pairable))
