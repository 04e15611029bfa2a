"""Decisions by scores: which is best, in which order, and whether one reaches a limit.

Floating-point results differ slightly between CPUs, so no decision may depend on the last digits. Scores within `CLOSE`
are ties, here and at every limit, broken by name. Unlike rounding, this has no boundary where two nearly equal scores
get split.
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
"""Scores up to 1 that differ by less are equal; of larger ones, those that differ by less than this share."""

_disturb: Callable[[float], float] | None = None
"""Applied to each score first; it changes something only within `disturbed`."""


def reaches(score: float, limit: float) -> bool:
    """Check whether a score is as high as a limit or higher."""
    return (score if _disturb is None else _disturb(score)) >= limit - _slack(limit)


def exceeds(score: float, limit: float) -> bool:
    """Check whether a score is higher than a limit."""
    return (score if _disturb is None else _disturb(score)) > limit + _slack(limit)


def reaching(scores: Scores, limit: float) -> NDArray[np.bool_]:
    """Return which of many scores are as high as a limit or higher."""
    return all_seen(scores) >= limit - _slack(limit)


def best(scores: Sequence[float], names: Sequence[SupportsRichComparison]) -> int:
    """Return the index of the highest score; of ties, the one whose name comes first."""
    now = scores if _disturb is None else [_disturb(score) for score in scores]
    highest = max(now)
    least = highest - _slack(highest)
    equal = [place for place, score in enumerate(now) if score >= least]
    return min(equal, key=names.__getitem__) if len(equal) > 1 else equal[0]


def ranked(scores: Sequence[float], names: Sequence[SupportsRichComparison]) -> list[int]:
    """Return all indices, the highest score first; ties in the order of their names.

    Equal is what is close to the highest of them, so that a long row of small steps does not become one score.
    """
    now = scores if _disturb is None else [_disturb(score) for score in scores]
    order = sorted(range(len(now)), key=now.__getitem__, reverse=True)
    found: list[int] = []
    while len(found) < len(order):
        highest = now[order[len(found)]]
        least = highest - _slack(highest)
        stop = len(found) + 1
        while stop < len(order) and now[order[stop]] >= least:
            stop += 1
        equal = order[len(found) : stop]
        found += sorted(equal, key=names.__getitem__) if len(equal) > 1 else equal
    return found


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
            equal = order[start:end]
            order[start:end] = equal[np.argsort(names[equal], kind="stable")]
    return order


def _close_to_the_next(falling: NDArray[F]) -> NDArray[np.intp]:
    """Return the places of falling scores that may be ties with the score behind them."""
    import numpy as np

    first, second = falling[:-1], falling[1:]
    slack = CLOSE * np.maximum(np.abs(first), 1.0)
    return np.flatnonzero((second >= first - slack) | (first == second))


def all_seen(scores: NDArray[F]) -> NDArray[F]:
    """Return scores as decisions see them: unchanged, except within `disturbed`."""
    if _disturb is None:
        return scores
    import numpy as np

    found: NDArray[Any] = np.array([_disturb(score) for score in scores.ravel().tolist()])
    return found.reshape(scores.shape)


@contextmanager
def disturbed(noise: float, seed: int = 0) -> Iterator[None]:
    """For tests: every score is off by a random share of itself, up to this one.

    What is kept from before is not looked at again, so this belongs at the beginning of a process.
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
    return CLOSE * abs(score) if math.isfinite(score) else 0.0
