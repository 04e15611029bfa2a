"""What holds the rows of a vector index, and which rows are drawn as a sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Places = NDArray[np.intp]
"""Where rows are, from 0."""


class RowStore(Protocol):
    """Rows by their place. The index beside it knows the id of each place."""

    @property
    def is_exact(self) -> bool:
        """Whether a search finds the nearest for certain."""
        ...

    def append(self, rows: Rows, ids: Sequence[int]) -> None:
        """Add rows behind the others."""
        ...

    def remove(self, place: int, id: int) -> None:
        """Remove a row; the last one takes its place."""
        ...

    def take(self, places: Places) -> Rows:
        """Some rows with all their numbers."""
        ...

    def cosines(self, query: Rows, places: Places | None) -> NDArray[np.float64]:
        """The products of some rows and a query in double precision.

        Without places, they are of all rows in their order.
        """
        ...

    def candidates(self, query: Rows, k: int, ids: Sequence[int]) -> Places | None:
        """The places that may be among the k nearest; None is all of them."""
        ...


def drawn_places(ids: Sequence[int], size: int, seed: int) -> Places:
    """The places of some rows, or of all when there are fewer.

    The same ids in whatever order they were added.
    """
    order = np.argsort(np.array(ids, dtype=np.int64), kind="stable")
    if len(ids) > size:
        drawn = np.random.default_rng([seed, len(ids)]).choice(len(ids), size, replace=False)
        order = order[drawn]
    return order
