"""A faiss index of vectors by number: exact while there are few, an inverted file (IVF) when there are very many.

faiss works in single precision, and its last digits differ between processors. So it only picks the candidates: their
cosines are computed again in double precision, and of two that are equal the smaller number comes first.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import faiss
import numpy as np
from numpy.typing import NDArray

from osler.memory.tim.lsh import Hashing
from osler.ranking import CLOSE, ranked

Rows = NDArray[np.float32]

EXACT_BELOW = 20_000
"""Vectors up to which every search is exact.

`benchmarks/vectors.py` on real text with the default embedder, at 50,000: an exact search takes 50 to 60 ms; an
inverted file that visits half of its lists takes .53 of that and keeps .94 of the ten nearest; HNSW takes .22 and keeps
.92, but cannot remove a vector, and adding one takes 1 ms instead of .1. Below 20,000, where a search takes at most 20
ms, no loss is worth it."""

_GROUPS = 8
_VISITED = 0.5
"""Share of the lists of the inverted file that a search visits."""
_TRAINED_ON = 40
"""Vectors for each list from which the lists are learned."""
_MORE = 16
"""Candidates asked of faiss beside those wanted."""
_SLACK = 1e-5 + CLOSE
"""More than single precision can change in a cosine, beside what counts as equal."""
_SHIFT = 1 << 40
"""Added to an id in the inverted file: faiss takes a negative id for none, and turns of earlier visits have such."""
_UNIT = 1e-6
"""A length this near to 1 is 1 in single precision: such a vector is kept to the bit."""


class IndexOptions(NamedTuple):
    """What an index is made with; a snapshot can only be restored into one made alike."""

    dimensions: int
    groups: int
    seed: int


class VectorIndex:
    """Vectors by integer id, each in one of the papers' groups; the nearest are found by cosine."""

    def __init__(self, dimensions: int, groups: int = _GROUPS, seed: int = 0, exact_below: int = EXACT_BELOW) -> None:
        """Make an empty index."""
        self.made = IndexOptions(dimensions, groups, seed)
        self.hashing = Hashing(dimensions, groups, seed)
        self._exact_below = exact_below
        # One query gives threads nothing to share, and those of parallel consultations would wait for each other.
        faiss.omp_set_num_threads(1)
        self._clear()

    def _clear(self) -> None:
        self._flat = faiss.IndexFlatIP(self.made.dimensions)
        self._ids: list[int] = []
        """The id of each row of `_flat`."""
        self._row_of: dict[int, int] = {}
        self._group_of: dict[int, int] = {}
        self._members: list[set[int]] = [set() for _ in range(self.made.groups)]
        self._ivf: faiss.IndexIVFFlat | None = None
        """The same vectors in lists, as many as the root of their number; None while searches are exact."""

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
            raise ValueError(f"there are {self.made.groups} groups, from 0; {group} is none of them")
        self._extend([id], row[None], [group])
        return group

    def remove(self, id: int) -> None:
        """Remove a vector; the last row takes its place, so that no others have to move."""
        self._members[self._group_of.pop(id)].remove(id)
        row, last = self._row_of.pop(id), len(self) - 1
        moved = self._ids.pop()
        if row != last:
            self._rows_of_faiss(last + 1)[row] = self._rows_of_faiss(last + 1)[last]
            self._ids[row], self._row_of[moved] = moved, row
        self._flat.remove_ids(faiss.IDSelectorRange(last, last + 1))
        if self._ivf is not None:
            self._ivf.remove_ids(faiss.IDSelectorRange(id + _SHIFT, id + _SHIFT + 1))

    @property
    def is_exact(self) -> bool:
        """Whether searches are exact."""
        return self._ivf is None

    def group_of(self, id: int) -> int:
        """The group of a vector."""
        return self._group_of[id]

    def members(self, group: int) -> list[int]:
        """The ids in a group, smallest first."""
        return sorted(self._members[group])

    def search(self, vector: Rows, k: int, probes: int | None = None) -> list[tuple[int, float]]:
        """The k nearest with their cosines, best first, of two alike the smaller id first.

        With `probes`, only the vectors in that many groups are compared, in the order of the query's hash: 1 is what
        the papers do. Without, the answer is exact, or approximate among more than `EXACT_BELOW` vectors.
        """
        query = self._unit(vector)
        if k < 1 or not self._ids:
            return []
        if probes is None:
            ids = self._candidates(query, k)
        elif probes < self.made.groups:
            ids = [id for group in self.hashing.order(query)[:probes] for id in self._members[group]]
        else:
            ids = self._ids
        values = self._cosines(query, ids).tolist()
        return [(ids[place], values[place]) for place in ranked(values, ids)[:k]]

    def cosines(self, vector: Rows, ids: Sequence[int]) -> NDArray[np.float64]:
        """The cosines of some of the vectors and a query."""
        return self._cosines(self._unit(vector), ids)

    def all_cosines(self, vector: Rows) -> NDArray[np.float64]:
        """The cosines of all vectors and a query, in the order in which they were added, if none was removed."""
        return self._cosines(self._unit(vector), self._ids)

    def sample(self, size: int) -> Rows:
        """Some of the vectors, or all when there are fewer; the same ones for the same ids, in whatever order added."""
        ids = sorted(self._ids)
        if len(ids) > size:
            drawn = np.random.default_rng([self.made.seed, len(ids)]).choice(len(ids), size, replace=False)
            ids = [ids[place] for place in drawn.tolist()]
        return self.vectors(ids)

    def snapshot(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {"made": list(self.made), **self.rows_of(self._ids)}

    def rows_of(self, ids: Sequence[int]) -> dict[str, Any]:
        """Some of the vectors with their groups, in the order of the ids, as plain data for `extend`."""
        groups = [self._group_of[id] for id in ids]
        return {"ids": list(ids), "groups": groups, "vectors": _encoded(self.vectors(ids))}

    def vectors(self, ids: Sequence[int]) -> Rows:
        """Some of the vectors, in the order of the ids."""
        return self._rows[[self._row_of[id] for id in ids]]

    def extend(self, rows: dict[str, Any]) -> None:
        """Add vectors that `rows_of` returned."""
        self._extend(rows["ids"], _decoded(rows["vectors"], self.made.dimensions), rows["groups"])

    def restore(self, state: dict[str, Any]) -> None:
        """Become what `snapshot` saw; the lists of an inverted file are learned anew."""
        if IndexOptions(*state["made"]) != self.made:
            raise ValueError(
                f"the snapshot is of an index made with {IndexOptions(*state['made'])}, this one with {self.made}"
            )
        self._clear()
        self.extend(state)

    @property
    def _rows(self) -> Rows:
        """The vectors as faiss holds them, not a copy."""
        return self._rows_of_faiss(len(self))

    def _rows_of_faiss(self, count: int) -> Rows:
        if not count:
            return np.empty((0, self.made.dimensions), dtype=np.float32)
        numbers = faiss.rev_swig_ptr(self._flat.get_xb(), count * self.made.dimensions)
        rows: Rows = numbers.reshape(count, -1)
        return rows

    def _extend(self, ids: Sequence[int], rows: Rows, groups: Sequence[int]) -> None:
        self._group_of.update(zip(ids, groups, strict=True))
        for id, group in zip(ids, groups, strict=True):
            self._members[group].add(id)
        self._row_of.update(zip(ids, range(len(self), len(self) + len(ids)), strict=True))
        self._ids += ids
        self._flat.add(rows)
        if self._ivf is not None:
            self._ivf.add_with_ids(rows, np.array(ids) + _SHIFT)

    def _unit(self, vector: Rows) -> Rows:
        """The vector at length 1; a text without any known word may be all zeros, and stays so."""
        row = np.ascontiguousarray(vector, dtype=np.float32)
        if row.shape != (self.made.dimensions,):
            raise ValueError(f"a vector has {self.made.dimensions} numbers, not the shape {row.shape}")
        length = math.sqrt(row.dot(row))
        if abs(length - 1.0) < _UNIT or length == 0.0:
            return row
        if not math.isfinite(length):
            raise ValueError("a vector has to be of finite numbers")
        return row / np.float32(length)

    def _cosines(self, query: Rows, ids: Sequence[int]) -> NDArray[np.float64]:
        """In double precision, row by row: in a matrix product the last digits depend on the rows beside."""
        filled = np.flatnonzero(query)
        if 2 * len(filled) > len(query):  # hashed words leave most of a row empty, other embedders nothing
            filled = np.arange(len(query))
        if ids is self._ids:
            rows = self._rows[:, filled]
        else:
            rows = self._rows[np.ix_(np.fromiter(map(self._row_of.__getitem__, ids), dtype=np.intp), filled)]
        cosines: NDArray[np.float64] = np.vecdot(rows.astype(np.float64, order="C"), query[filled].astype(np.float64))
        return cosines

    def _candidates(self, query: Rows, k: int) -> list[int]:
        """The ids that may be among the k nearest: a few more than k, so that single precision leaves none out."""
        self._learn()
        asked = k + _MORE
        while 2 * asked < len(self):
            cosines, found = (self._flat if self._ivf is None else self._ivf).search(query[None], asked)
            if found[0, -1] < 0 or cosines[0, k - 1] - cosines[0, -1] > _SLACK:  # -1: the lists hold no more
                best: list[int] = found[found >= 0].tolist()
                return [id - _SHIFT for id in best] if self._ivf is not None else [self._ids[row] for row in best]
            asked *= 2
        return self._ids

    def _learn(self) -> None:
        """Before a search, learn the lists of the inverted file when the number of vectors has doubled or halved."""
        size, lists = len(self), math.isqrt(len(self))
        if size < self._exact_below // 2:
            self._ivf = None
        elif size >= self._exact_below and not (self._ivf and size / 2 < self._ivf.nlist**2 < size * 2):
            coarse = faiss.IndexFlatIP(self.made.dimensions)
            ivf = faiss.IndexIVFFlat(coarse, self.made.dimensions, lists, faiss.METRIC_INNER_PRODUCT)
            ivf.cp.niter, ivf.cp.seed, ivf.cp.min_points_per_centroid = 5, self.made.seed, 1
            ivf.train(self.sample(lists * _TRAINED_ON))
            ivf.nprobe = math.ceil(_VISITED * lists)
            ivf.add_with_ids(self._rows, np.array(self._ids) + _SHIFT)
            self._ivf = ivf


def _encoded(rows: Rows) -> str:
    """Packed, since most numbers of hashed words are 0."""
    return base64.b64encode(zlib.compress(rows.astype("<f4").tobytes(), level=1)).decode("ascii")


def _decoded(text: str, dimensions: int) -> Rows:
    packed = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(packed, dtype="<f4").reshape(-1, dimensions).astype(np.float32)
