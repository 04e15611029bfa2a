"""Locality-sensitive hashing: near vectors tend to fall into the same group."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from osler.ranking import best, ranked


class Hashing:
    """One table of the cross-polytope hash, H(x) = argmax([xR ; -xR]) with a random R.

    The paper looks into the one group that a query falls into. The other projections say how near
    the query is to the other groups, so that a search may go on to the second, the third, and so
    forth.
    """

    def __init__(self, dimensions: int, groups: int, seed: int = 0) -> None:
        """Draw R from the seed: the same seed gives the same groups in every process."""
        if groups < 2 or groups % 2:
            raise ValueError(
                f"groups come in pairs, a direction and its opposite: {groups} is not an even"
                " number"
            )
        self.dimensions = dimensions
        self.groups = groups
        self._directions = _drawn(dimensions, groups // 2, seed)

    def group(self, vector: NDArray[np.float32]) -> int:
        """The group of a vector; its length does not matter."""
        return best(self._projections(vector).tolist(), range(self.groups))

    def order(self, vector: NDArray[np.float32]) -> list[int]:
        """All groups, the vector's own first, then by how near the vector is to them."""
        return ranked(self._projections(vector).tolist(), range(self.groups))

    def _projections(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        half = self._directions @ np.asarray(vector, dtype=np.float64)
        return np.concatenate((half, -half))


@lru_cache(maxsize=1)
def _drawn(dimensions: int, count: int, seed: int) -> NDArray[np.float64]:
    """Random directions, one to a row.

    A memory's two indexes, made one after the other, share theirs.
    """
    drawn = np.random.default_rng(seed).standard_normal((dimensions, count))
    # Each lies in one piece, which makes a product four times as fast.
    return np.ascontiguousarray(drawn.T)
