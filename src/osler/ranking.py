"""Decisions by scores: which is best, in which order, and whether one reaches a limit.

Floating-point results differ slightly between CPUs, so no decision may depend on the last digits.
Scores within `CLOSE` are ties, here and at every limit, broken by name. Unlike rounding, this has
no boundary where two nearly equal scores get split.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from _typeshed import SupportsRichComparison
    from numpy.typing import NDArray

    Scores = NDArray[np.floating[Any]]

F = TypeVar("F", bound="np.floating[Any]")

CLOSE = 1e-6
"""Scores up to 1 that differ by less are equal; of larger scores, those within this share."""

_disturb: Callable[[float], float] | None = None
"""Applied to each score first; it changes something only within `disturbed`."""


def reaches(score: float, limit: float) -> bool:
    """Check whether a score is as high as a limit or higher."""
    if _disturb is not None:
        score = _disturb(score)
    return score >= limit - _slack(limit)


def exceeds(score: float, limit: float) -> bool:
    """Check whether a score is higher than a limit."""
    if _disturb is not None:
        score = _disturb(score)
    return score > limit + _slack(limit)


def reaching(scores: Scores, limit: float) -> NDArray[np.bool_]:
    """Return which of many scores are as high as a limit or higher."""
    return all_seen(scores) >= limit - _slack(limit)


def best(scores: Sequence[float], names: Sequence[SupportsRichComparison]) -> int:
    """Return the index of the highest score; of ties, the one whose name comes first."""
    scores = _disturbed_scores(scores)
    highest = max(scores)
    least = highest - _slack(highest)
    ties = [place for place, score in enumerate(scores) if score >= least]
    if len(ties) > 1:
        return min(ties, key=names.__getitem__)
    return ties[0]


def ranked(scores: Sequence[float], names: Sequence[SupportsRichComparison]) -> list[int]:
    """Return all indices, the highest score first; ties in the order of their names.

    Equal is what is close to the highest of them, so that a long row of small steps does not become
    one score.
    """
    scores = _disturbed_scores(scores)
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    start = 0
    while start < len(order):
        highest = scores[order[start]]
        least = highest - _slack(highest)
        end = start + 1
        while end < len(order) and scores[order[end]] >= least:
            end += 1
        if end - start > 1:
            order[start:end] = sorted(order[start:end], key=names.__getitem__)
        start = end
    return order


def _disturbed_scores(scores: Sequence[float]) -> Sequence[float]:
    if _disturb is None:
        return scores
    return [_disturb(score) for score in scores]


def ranked_places(scores: NDArray[F], names: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Return what `ranked` returns, for many scores with numbers as names."""
    import numpy as np

    falling = -all_seen(scores)
    order = np.argsort(falling, kind="stable")
    falling = falling[order]
    end = 0
    for start in _close_to_the_next(-falling).tolist():
        if start >= end:
            highest = -float(falling[start])
            end = int(np.searchsorted(falling, _slack(highest) - highest, side="right"))
            ties = order[start:end]
            order[start:end] = ties[np.argsort(names[ties], kind="stable")]
    return order


def _close_to_the_next(falling: NDArray[F]) -> NDArray[np.intp]:
    """Return the places of falling scores that may be ties with the score behind them."""
    import numpy as np

    first = falling[:-1]
    second = falling[1:]
    slack = CLOSE * np.maximum(np.abs(first), 1.0)
    return np.flatnonzero((second >= first - slack) | (first == second))


def all_seen(scores: NDArray[F]) -> NDArray[F]:
    """Return scores as decisions see them: unchanged, except within `disturbed`."""
    if _disturb is None:
        return scores
    import numpy as np

    values: NDArray[Any] = np.array([_disturb(score) for score in scores.ravel().tolist()])
    return values.reshape(scores.shape)


@contextmanager
def disturbed(noise: float, seed: int = 0) -> Iterator[None]:
    """For tests: every score is off by a random share of itself, up to this one.

    What was cached before is not looked at again, so this belongs at the beginning of a process.
    """
    global _disturb
    draws = random.Random(seed)  # noqa: S311 -- decides nothing
    _disturb = lambda score: score * (1 + draws.uniform(-noise, noise))  # noqa: E731
    try:
        yield
    finally:
        _disturb = None


def _slack(score: float) -> float:
    """Return by how much another score may differ from this one and be a tie."""
    if -1.0 <= score <= 1.0:
        return CLOSE
    if math.isfinite(score):
        return CLOSE * abs(score)
    return 0.0
