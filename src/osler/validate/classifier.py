"""A simple classifier of replies: logistic regression on what replies are made of.

Plain numpy, and the same result for the same input: no random start, no threads.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

_FEWEST = 2
"""Training replies that a feature must be in."""
_MOST_STEPS = 500
_REMEMBERED_STEPS = 10
_SETTLED = 0.02
"""The weights are settled when no part of the gradient is above this share of the penalty."""


@dataclass(frozen=True)
class FeatureRows:
    """How often each reply has each feature, as a sparse matrix."""

    rows: Whole
    columns: Whole
    counts: Floats
    size: tuple[int, int]
    """Replies, features."""

    @classmethod
    def of(cls, replies: Sequence[Sequence[str]]) -> FeatureRows:
        """Number the features of all replies."""
        numbers: dict[str, int] = {}
        rows: list[int] = []
        columns: list[int] = []
        counts: list[float] = []
        for row, features in enumerate(replies):
            for feature, count in Counter(features).items():
                rows.append(row)
                columns.append(numbers.setdefault(feature, len(numbers)))
                counts.append(count)
        return cls(
            np.array(rows, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            np.array(counts, dtype=np.float64),
            (len(replies), len(numbers)),
        )

    def weighted(self, training: npt.NDArray[np.bool_]) -> WeightedRows:
        """Weigh features by how rare they are among the training replies, and level the rows.

        A feature of fewer than two training replies is left out. The count enters by its logarithm.
        """
        replies, features = self.size
        in_training = training[self.rows]
        found_in = np.bincount(self.columns[in_training], minlength=features)
        rarity = np.log((1 + training.sum()) / (1 + found_in)) + 1
        used = found_in[self.columns] >= _FEWEST
        rows, columns = self.rows[used], self.columns[used]
        values = (1 + np.log(self.counts[used])) * rarity[columns]
        lengths = np.sqrt(np.bincount(rows, weights=values**2, minlength=replies))
        return WeightedRows(rows, columns, values / lengths[rows], self.size)


@dataclass(frozen=True)
class WeightedRows:
    """Replies as vectors of length 1; one without any known feature is zero."""

    rows: Whole
    columns: Whole
    values: Floats
    size: tuple[int, int]

    def times(self, weights: Floats) -> Floats:
        """One number per reply."""
        products = self.values * weights[self.columns]
        return _sums(self.rows, products, self.size[0])

    def back(self, numbers: Floats) -> Floats:
        """One number per feature, from one per reply."""
        products = self.values * numbers[self.rows]
        return _sums(self.columns, products, self.size[1])


def _sums(places: Whole, numbers: Floats, size: int) -> Floats:
    """Add up the numbers of each place."""
    return np.asarray(np.bincount(places, weights=numbers, minlength=size), dtype=np.float64)


@dataclass(frozen=True)
class Classifier:
    """Weights of features, and an offset."""

    weights: Floats
    offset: float

    def scores(self, replies: WeightedRows) -> Floats:
        """Above 0: rather of the class 1."""
        return replies.times(self.weights) + self.offset


def fit(
    replies: WeightedRows,
    labels: Floats,
    training: npt.NDArray[np.bool_],
    strength: float = 1.0,
) -> Classifier:
    """Fit a logistic regression with a quadratic penalty on the weights, not on the offset.

    Both classes count the same in all, however many replies each has.

    Args:
        replies: All replies.
        labels: 1 or 0 for each.
        training: Which of them to learn from.
        strength: How little the weights are held back.
    """
    shares = np.zeros(len(labels))
    for label in (0.0, 1.0):
        members = training & (labels == label)
        if members.any():
            shares[members] = 0.5 / members.sum()
    penalty = 1 / (strength * training.sum())

    def loss_and_gradient(point: Floats) -> tuple[float, Floats]:
        weights = point[:-1]
        scores = replies.times(weights) + point[-1]
        losses = np.logaddexp(0, scores) - labels * scores
        slopes = shares * (1 / (1 + np.exp(-scores)) - labels)
        loss = float(shares @ losses + penalty / 2 * (weights @ weights))
        return loss, np.append(replies.back(slopes) + penalty * weights, slopes.sum())

    point = minimise(loss_and_gradient, replies.size[1] + 1, _SETTLED * penalty)
    return Classifier(point[:-1], float(point[-1]))


def minimise(
    loss_and_gradient: Callable[[Floats], tuple[float, Floats]], size: int, tolerance: float
) -> Floats:
    """Find the lowest point of a smooth convex function by L-BFGS, from zero.

    It ends where no part of the gradient is above the tolerance.
    """
    point = np.zeros(size)
    loss, gradient = loss_and_gradient(point)
    pairs: deque[tuple[Floats, Floats]] = deque(maxlen=_REMEMBERED_STEPS)
    for _ in range(_MOST_STEPS):
        if np.abs(gradient).max() <= tolerance:
            break
        direction = -_times_inverse_curvature(gradient, pairs)
        length, slope = 1.0, float(gradient @ direction)
        while True:
            following = point + length * direction
            following_loss, following_gradient = loss_and_gradient(following)
            if following_loss <= loss + 1e-4 * length * slope or length < 1e-10:
                break
            length /= 2
        pairs.append((following - point, following_gradient - gradient))
        point, loss, gradient = following, following_loss, following_gradient
    return point


def _times_inverse_curvature(gradient: Floats, pairs: deque[tuple[Floats, Floats]]) -> Floats:
    """The gradient times the inverse curvature, as the last steps showed it."""
    result = gradient.copy()
    factors = []
    for step, change in reversed(pairs):
        factor = (step @ result) / (step @ change)
        result -= factor * change
        factors.append(factor)
    if pairs:
        step, change = pairs[-1]
        result *= (step @ change) / (change @ change)
    for (step, change), factor in zip(pairs, reversed(factors), strict=True):
        result += (factor - (change @ result) / (step @ change)) * step
    return result


def area_under_curve(scores: Floats, labels: Floats) -> float:
    """The chance that a reply of class 1 has the higher score than one of class 0; ties are half.

    Both classes must be there.
    """
    _, places, counts = np.unique(np.round(scores, 9), return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    positive = labels == 1
    ones, zeros = int(positive.sum()), int((~positive).sum())
    above = ranks[places[positive]].sum() - ones * (ones + 1) / 2
    return float(above / (ones * zeros))
