"""Rows of numbers that are mostly 0, as those of hashed words are: only what is not 0 is held.

A row is a piece of two long arrays, of slots and of numbers in half precision: four bytes for each
number that is not 0, where a dense row takes four bytes for each slot. A row is rounded when it
comes in, so that every later reader sees the same numbers, whether the row was saved in between or
not.

A search over all rows would have to look at every number of every row. So complete blocks of rows
are held by slot as well, from the first such search on: then only the numbers in the slots of the
query are looked at. Products are summed in double precision and in the order of the slots,
whichever way they are found, so the last digit is always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from osler.memory.core.row_store import Places, Rows
from osler.ranking import reaching
from osler.stretches import positions_of

N = TypeVar("N", bound="np.generic[Any]")

_BLOCK = 512
"""Rows of a block that is held by slot."""
_FIRST_ROOM = 64
"""Numbers for which an array has room at first."""
_WORTH_IT = 0.5
"""Share of removed numbers from which the arrays are written anew without them."""


class _Block(NamedTuple):
    """Numbers of some rows, in the order of their slots."""

    bounds: NDArray[np.uint32]
    """Where the numbers of each slot begin, and where the last ones end."""
    rows: NDArray[np.uint16]
    """The row of each number, counted within the block."""
    values: NDArray[np.float16]


class _Growing:
    """A numpy array that can be appended to."""

    def __init__(self, kind: type[np.generic[Any]]) -> None:
        self._room: NDArray[Any] = np.empty(_FIRST_ROOM, dtype=kind)
        self.size = 0

    @property
    def array(self) -> NDArray[Any]:
        """What was appended; do not keep it, since it may move."""
        return self._room[: self.size]

    def append(self, values: NDArray[Any]) -> None:
        needed = self.size + len(values)
        if needed > len(self._room):
            room = np.empty(max(needed, len(self._room) * 3 // 2), dtype=self._room.dtype)
            room[: self.size] = self.array
            self._room = room
        self._room[self.size : needed] = values
        self.size = needed


class SparseRows:
    """Rows of which only the numbers that are not 0 are held.

    Every row has a serial number by the order in which it came. A place leads to a serial number,
    so that a row can take the place of another one without being moved.
    """

    is_exact = True

    def __init__(self, dimensions: int) -> None:
        """Start empty."""
        self._dimensions = dimensions
        self._clear()

    def _clear(self) -> None:
        self._slots = _Growing(np.uint16)
        self._values = _Growing(np.float16)
        self._ends = _Growing(np.int64)
        """Where each row ends, by serial number."""
        self._serials: list[int] = []
        """By place."""
        self._removed = 0
        """Numbers that belong to no row any more."""
        self._blocks: list[_Block] | None = None
        """The rows by slot; None before the first search over all rows."""

    def __len__(self) -> int:
        return len(self._serials)

    def append(self, rows: Rows, ids: Sequence[int]) -> None:
        """Add rows behind the others."""
        places, slots = np.nonzero(rows)
        first = self._ends.size
        self._slots.append(slots)
        self._values.append(rows[places, slots])
        counts = np.bincount(places, minlength=len(rows))
        self._ends.append(self._slots.size - counts.sum() + np.cumsum(counts))
        self._serials += range(first, self._ends.size)

    def remove(self, place: int, id: int) -> None:
        """Remove a row; the last one takes its place."""
        [start], [end] = self._bounds(np.array([self._serials[place]]))
        self._removed += int(end - start)
        last = self._serials.pop()
        if place < len(self._serials):
            self._serials[place] = last
        if self._removed > self._slots.size * _WORTH_IT:
            self._write_anew()

    def _write_anew(self) -> None:
        """Leave out what belongs to no row."""
        numbers, counts = self._numbers(np.array(self._serials, dtype=np.intp))
        slots = self._slots.array[numbers]
        values = self._values.array[numbers]
        had_blocks = self._blocks is not None
        self._clear()
        self._slots.append(slots)
        self._values.append(values)
        self._ends.append(np.cumsum(counts))
        self._serials = list(range(len(counts)))
        self._blocks = [] if had_blocks else None

    def take(self, places: Places) -> Rows:
        """Some rows with all their numbers."""
        numbers, counts = self._numbers(self._serials_at(places))
        row_of_each = np.repeat(np.arange(len(places)), counts)
        rows = np.zeros((len(places), self._dimensions), dtype=np.float32)
        rows[row_of_each, self._slots.array[numbers]] = self._values.array[numbers]
        return rows

    def cosines(self, query: Rows, places: Places | None) -> NDArray[np.float64]:
        """The products of some rows and a query."""
        exact = query.astype(np.float64)
        if places is not None:
            return self._products(exact, self._serials_at(places))
        if not self._serials:
            return np.empty(0)
        return self._all_products(exact)[self._serials_at(None)]

    def candidates(self, query: Rows, k: int, ids: Sequence[int]) -> Places | None:
        """The places that are among the k nearest, or as near as the last of these."""
        if k >= len(self):
            return None
        cosines = self.cosines(query, None)
        least = float(np.partition(cosines, -k)[-k])
        return np.flatnonzero(reaching(cosines, least))

    def _serials_at(self, places: Places | None) -> Places:
        serials = np.array(self._serials, dtype=np.intp)
        if places is None:
            return serials
        return serials[places]

    def _bounds(self, serials: Places) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where rows begin and end."""
        ends = self._ends.array
        # A row begins where the one before it ends. For serial 0 the index is -1, which takes the
        # last end: `where` puts 0 in its place.
        starts = np.where(serials > 0, ends[serials - 1], 0)
        return starts, ends[serials]

    def _numbers(self, serials: Places) -> tuple[Places, Places]:
        """Where the numbers of rows are, one row after the other, and how many each has."""
        starts, ends = self._bounds(serials)
        return positions_of(starts, ends), ends - starts

    def _products(self, query: NDArray[np.float64], serials: Places) -> NDArray[np.float64]:
        """The products of some rows and a query, by looking at all their numbers."""
        numbers, counts = self._numbers(serials)
        terms = query[self._slots.array[numbers]] * self._values.array[numbers]
        return _sums(np.repeat(np.arange(len(serials)), counts), terms, len(serials))

    def _all_products(self, query: NDArray[np.float64]) -> NDArray[np.float64]:
        """The products of all rows and a query, by serial number."""
        blocks = self._all_blocks()
        filled = np.flatnonzero(query)
        products = [_block_products(block, filled, query[filled]) for block in blocks]
        rest = np.arange(len(blocks) * _BLOCK, self._ends.size)
        products.append(self._products(query, rest))
        return np.concatenate(products)

    def _all_blocks(self) -> list[_Block]:
        """The complete blocks; those that were not held by slot are made."""
        if self._blocks is None:
            self._blocks = []
        while (len(self._blocks) + 1) * _BLOCK <= self._ends.size:
            first = len(self._blocks) * _BLOCK
            numbers, counts = self._numbers(np.arange(first, first + _BLOCK))
            slots = self._slots.array[numbers]
            values = self._values.array[numbers]
            order = np.argsort(slots, kind="stable")
            rows = np.repeat(np.arange(_BLOCK, dtype=np.uint16), counts)[order]
            bounds = np.searchsorted(slots[order], np.arange(self._dimensions + 1))
            self._blocks.append(_Block(bounds.astype(np.uint32), rows, values[order]))
        return self._blocks


def _block_products(
    block: _Block, slots: Places, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The products of a block's rows and a query with these weights in these slots, else 0."""
    starts = block.bounds[slots].astype(np.intp)
    ends = block.bounds[slots + 1].astype(np.intp)
    numbers = positions_of(starts, ends)
    terms = np.repeat(weights, ends - starts) * block.values[numbers]
    return _sums(block.rows[numbers], terms, _BLOCK)


def _sums(
    rows: NDArray[np.integer[Any]], terms: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """The sum of the terms of each row; each is added in the order in which it comes."""
    # With weights the sums are no whole numbers.
    sums: NDArray[np.float64] = np.bincount(rows, terms, count)  # type: ignore[assignment]
    return sums
