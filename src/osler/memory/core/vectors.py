"""An index of vectors by number, each in one of the papers' groups.

The nearest are found by cosine.

Vectors of hashed words are held as sparse rows, and every search is exact. Vectors of other
embedders are held by faiss, which only picks the candidates of a search. Cosines are always
computed in double precision, and of two that are equal the smaller number comes first.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.memory.core.dense_rows import DenseRows
from osler.memory.core.lsh import Hashing
from osler.memory.core.row_store import Places, Rows, RowStore, drawn_places
from osler.memory.core.sparse_rows import SparseRows
from osler.ranking import ranked

EXACT_BELOW = 20_000
"""Dense vectors up to which every search is exact.

`benchmarks/vectors.py` on real text with dense rows of 4,096 numbers, at 50,000: an exact search
takes 50 to 60 ms; an inverted file that visits half of its lists takes .53 of that and keeps .94 of
the ten nearest; HNSW takes .22 and keeps .92, but cannot remove a vector, and adding one takes 1 ms
instead of .1. Below 20,000, where a search takes at most 20 ms, no loss is worth it."""

_GROUPS = 8
"""Groups of an index, by hash."""
_UNIT = 1e-6
"""A length this near to 1 is 1 in single precision: such a vector is kept as it is."""
_AT_ONCE = 256
"""Vectors that are written or read at a time, with all their numbers."""


class IndexOptions(NamedTuple):
    """What an index is made with; its rows fit into another one that is made alike."""

    dimensions: int
    groups: int
    seed: int


class VectorIndex:
    """Vectors by integer id."""

    def __init__(
        self,
        dimensions: int,
        groups: int = _GROUPS,
        seed: int = 0,
        exact_below: int = EXACT_BELOW,
        *,
        sparse: bool = False,
    ) -> None:
        """Make an empty index; `sparse` if most numbers of its vectors are 0."""
        self.made = IndexOptions(dimensions, groups, seed)
        self.hashing = Hashing(dimensions, groups, seed)
        self._exact_below = exact_below
        self._is_sparse = sparse
        self._clear()

    def _clear(self) -> None:
        made = self.made
        self._rows: RowStore = (
            SparseRows(made.dimensions)
            if self._is_sparse
            else DenseRows(made.dimensions, made.seed, self._exact_below)
        )
        self._ids: list[int] = []
        """The id of each row."""
        self._row_of: dict[int, int] = {}
        self._group_of: dict[int, int] = {}
        self._members: list[set[int]] = [set() for _ in range(made.groups)]

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, id: int, vector: Rows, group: int | None = None) -> int:
        """Add a vector and return its group: the given one, or the one that its hash says."""
        if id in self._group_of:
            raise ValueError(f"there is a vector {id} already")
        row = self._unit(vector)
        if group is None:
            group = self.hashing.group(row)
        elif not 0 <= group < self.made.groups:
            raise ValueError(
                f"there are {self.made.groups} groups, from 0; {group} is none of them"
            )
        self._extend([id], row[None], [group])
        return group

    def remove(self, id: int) -> None:
        """Remove a vector; the last row takes its place, so that no others have to move."""
        self._members[self._group_of.pop(id)].remove(id)
        row = self._row_of.pop(id)
        moved = self._ids.pop()
        if moved != id:
            self._ids[row], self._row_of[moved] = moved, row
        self._rows.remove(row, id)

    @property
    def is_exact(self) -> bool:
        """Whether searches are exact."""
        return self._rows.is_exact

    def group_of(self, id: int) -> int:
        """The group of a vector."""
        return self._group_of[id]

    def members(self, group: int) -> list[int]:
        """The ids in a group, smallest first."""
        return sorted(self._members[group])

    def search(self, vector: Rows, k: int, probes: int | None = None) -> list[tuple[int, float]]:
        """The k nearest with their cosines, best first, of two alike the smaller id first.

        With `probes`, only the vectors in that many groups are compared, in the order of the
        query's hash: 1 is what the papers do. Without, the answer is exact, or approximate among
        more than `EXACT_BELOW` dense vectors.
        """
        query = self._unit(vector)
        if k < 1 or not self._ids:
            return []
        places: Places | None = None
        if probes is None:
            places = self._rows.candidates(query, k, self._ids)
        elif probes < self.made.groups:
            groups = self.hashing.order(query)[:probes]
            places = self._places([id for group in groups for id in self._members[group]])
        ids = self._ids if places is None else [self._ids[place] for place in places.tolist()]
        values = self._rows.cosines(query, places).tolist()
        return [(ids[place], values[place]) for place in ranked(values, ids)[:k]]

    def cosines(self, vector: Rows, ids: Sequence[int]) -> NDArray[np.float64]:
        """The cosines of some of the vectors and a query."""
        return self._rows.cosines(self._unit(vector), self._places(ids))

    def all_cosines(self, vector: Rows) -> NDArray[np.float64]:
        """The cosines of all vectors and a query, in the order of adding if none was removed."""
        return self._rows.cosines(self._unit(vector), None)

    def sample(self, size: int) -> Rows:
        """Some of the vectors, or all when there are fewer.

        They are the same ones for the same ids, in whatever order these were added.
        """
        return self._rows.take(drawn_places(self._ids, size, self.made.seed))

    def rows_of(self, ids: Sequence[int]) -> dict[str, Any]:
        """Some of the vectors with their groups, as plain data for `extend`."""
        groups = [self._group_of[id] for id in ids]
        return {"ids": list(ids), "groups": groups, "vectors": _encoded(self._some_at_a_time(ids))}

    def vectors(self, ids: Sequence[int]) -> Rows:
        """Some of the vectors, in the order of the ids."""
        return self._rows.take(self._places(ids))

    def extend(self, rows: dict[str, Any]) -> None:
        """Add vectors that `rows_of` returned."""
        ids = rows["ids"]
        groups = rows["groups"]
        first = 0
        for some in _decoded(rows["vectors"], self.made.dimensions):
            last = first + len(some)
            self._extend(ids[first:last], some, groups[first:last])
            first = last
        if first != len(ids):
            raise ValueError(f"there are {first} vectors for {len(ids)} ids")

    def _places(self, ids: Sequence[int]) -> Places:
        return np.fromiter(map(self._row_of.__getitem__, ids), dtype=np.intp, count=len(ids))

    def _some_at_a_time(self, ids: Sequence[int]) -> Iterator[Rows]:
        for first in range(0, len(ids), _AT_ONCE):
            yield self.vectors(ids[first : first + _AT_ONCE])

    def _extend(self, ids: Sequence[int], rows: Rows, groups: Sequence[int]) -> None:
        self._group_of.update(zip(ids, groups, strict=True))
        for id, group in zip(ids, groups, strict=True):
            self._members[group].add(id)
        self._row_of.update(zip(ids, range(len(self), len(self) + len(ids)), strict=True))
        self._ids += ids
        self._rows.append(rows, ids)

    def _unit(self, vector: Rows) -> Rows:
        """The vector at length 1; a text without any known word may be all zeros, and stays so."""
        row = np.ascontiguousarray(vector, dtype=np.float32)
        if row.shape != (self.made.dimensions,):
            raise ValueError(
                f"a vector has {self.made.dimensions} numbers, not the shape {row.shape}"
            )
        length = math.sqrt(row.dot(row))
        if abs(length - 1.0) < _UNIT or length == 0.0:
            return row
        if not math.isfinite(length):
            raise ValueError("a vector has to be of finite numbers")
        return row / np.float32(length)


def _encoded(rows: Iterator[Rows]) -> str:
    """Packed, since most numbers of hashed words are 0."""
    packer = zlib.compressobj(level=1)
    packed = b"".join(packer.compress(some.astype("<f4").tobytes()) for some in rows)
    return base64.b64encode(packed + packer.flush()).decode("ascii")


def _decoded(text: str, dimensions: int) -> Iterator[Rows]:
    """The vectors of a text, some at a time."""
    unpacker = zlib.decompressobj()
    packed = base64.b64decode(text)
    size = _AT_ONCE * dimensions * np.dtype("<f4").itemsize
    while data := unpacker.decompress(packed, size):
        # A piece may end within a row only if the text is damaged, and is then refused here.
        yield np.frombuffer(data, dtype="<f4").reshape(-1, dimensions).astype(np.float32)
        packed = unpacker.unconsumed_tail
