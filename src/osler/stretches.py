"""Stretches of one long array: pieces of different lengths, one behind the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def positions_of(
    starts: NDArray[np.integer[Any]], ends: NDArray[np.integer[Any]]
) -> NDArray[np.intp]:
    """Return the positions from each start up to its end, one stretch after the other.

    For the stretches from 2 to 5, 9 to 9 (none) and 7 to 9:

        lengths    3          0   2
        before     0          3   3     positions that come before each stretch
        result     2  3  4        7  8

    The third number of the result is its place, 2, plus how far its stretch is moved, 2 - 0; the
    fourth is its place, 3, plus 7 - 3.
    """
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    moved_by = np.repeat(starts - before, lengths)
    positions: NDArray[np.intp] = np.arange(int(lengths.sum())) + moved_by
    return positions
