"""Vectors in blocks, and many blocks as cells along learned directions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from osler.ranking import CLOSE, best_columns, reaching

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]
Part = tuple[Ids, Rows]
"""Some rows with the id of each."""

_AT_LEAST = 4
"""Cells that are looked into even for the clearest query; they cost next to nothing."""
_CHUNK = 16384
USUAL = 5
"""How many a memory asks for as a rule."""
_QUERIES = 512
_DEPTH = 32
"""The calibration knows this many nearest vectors of each of its queries."""
_QUERY_COSINES = (0.5, 0.95)
"""How near the calibration's queries are to the vector that they were made from: a question is not its answer."""
SLACK = 1e-5 + CLOSE
"""More than what the order of additions can make of a cosine in single precision, beside what counts as equal."""


class Block:
    """Rows in one piece of memory, with the id and the group of each."""

    def __init__(self, dimensions: int) -> None:
        self._rows = np.empty((0, dimensions), dtype=np.float32)
        self._ids = np.empty(0, dtype=np.int64)
        self._groups = np.empty(0, dtype=np.int32)
        self._at: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._at)

    @property
    def rows(self) -> Rows:
        """The vectors."""
        return self._rows[: len(self)]

    @property
    def ids(self) -> Ids:
        """The id of each row."""
        return self._ids[: len(self)]

    @property
    def part(self) -> Part:
        """The ids and the vectors: a search asks for both, and over few vectors every step of it counts."""
        size = len(self._at)
        return self._ids[:size], self._rows[:size]

    @property
    def groups(self) -> NDArray[np.int32]:
        """The group of each row."""
        return self._groups[: len(self)]

    def group_of(self, id: int) -> int:
        """The group of one row."""
        return int(self._groups[self._at[id]])

    def row(self, id: int) -> Rows:
        """One vector."""
        row: Rows = self._rows[self._at[id]]
        return row

    def add(self, id: int, row: Rows, group: int) -> None:
        """Put one row at the end."""
        position = len(self)
        self._reserve(position + 1)
        self._rows[position] = row
        self._ids[position] = id
        self._groups[position] = group
        self._at[id] = position

    def extend(self, ids: Ids, rows: Rows, groups: NDArray[np.int32]) -> None:
        """Put many rows at the end."""
        first, last = len(self), len(self) + len(ids)
        self._reserve(last)
        self._rows[first:last] = rows
        self._ids[first:last] = ids
        self._groups[first:last] = groups
        self._at.update(zip(ids.tolist(), range(first, last), strict=True))

    def remove(self, id: int) -> None:
        """Take one row out; the last one takes its place."""
        position = self._at.pop(id)
        last = len(self)
        if position != last:
            moved = int(self._ids[last])
            self._rows[position] = self._rows[last]
            self._ids[position] = moved
            self._groups[position] = self._groups[last]
            self._at[moved] = position

    def _reserve(self, size: int) -> None:
        """Grow by half each time, so that a row is moved a bounded number of times on average."""
        room = len(self._ids)
        if size <= room:
            return
        room = max(size, room + room // 2, 16)
        for name in ("_rows", "_ids", "_groups"):
            old = getattr(self, name)
            new = np.empty((room, *old.shape[1:]), dtype=old.dtype)
            new[: len(self)] = old[: len(self)]
            setattr(self, name, new)


class Cells:
    """Many vectors sorted by the learned direction that each is nearest to."""

    def __init__(self, directions: Rows, built_for: int, target: float) -> None:
        self.directions = directions
        self.built_for = built_for
        """How many vectors there were when the directions were learned."""
        self.blocks = [Block(directions.shape[1]) for _ in directions]
        self.gaps: Rows = np.zeros((1, 1), dtype=np.float32)
        """For each query of the calibration, by how much the cell of its nearest vector, of its second nearest, and so
        on, falls short of the query's best cell."""
        self._target = target
        self._reach: dict[int, float] = {}

    def sort_in(self, block: Block) -> Iterator[tuple[list[int], Block]]:
        """Copy what a block holds into the cells, saying where it went."""
        for start in range(0, len(block), _CHUNK):
            part = slice(start, start + _CHUNK)
            ids, rows, groups = block.ids[part], block.rows[part], block.groups[part]
            nearest = best_columns(rows @ self.directions.T)
            order = np.argsort(nearest, kind="stable")
            used, starts = np.unique(nearest[order], return_index=True)
            for cell, some in zip(used.tolist(), np.split(order, starts[1:]), strict=True):
                self.blocks[cell].extend(ids[some], rows[some], groups[some])
                yield ids[some].tolist(), self.blocks[cell]

    def visit(self, query: Rows, k: int) -> list[Block]:
        """The blocks to look into for the k nearest: few where the query is clear, more where it is between cells."""
        projections = self.directions.dot(query)
        few = min(_AT_LEAST, len(projections))
        best = projections.copy()
        best.partition((-few, -1))
        near = reaching(projections, float(min(best[-1] - self.reach(k), best[-few]))).nonzero()[0]
        return [self.blocks[cell] for cell in near.tolist()]

    def reach(self, k: int) -> float:
        """How far below the best projection a cell may lie and is still looked into, so as to keep the target share.

        Two standard errors are taken off what the calibration kept, for it saw a sample only.
        """
        if k not in self._reach:
            gaps = self.gaps[:, :k]
            tried = np.sort(gaps, axis=None)
            tried = tried[math.ceil(self._target * len(tried)) - 1 :]
            enough = (gap for gap in tried if _surely_kept(gaps <= gap) >= self._target)
            self._reach[k] = float(next(enough, tried[-1])) + SLACK
        return self._reach[k]

    def calibrate(self, rng: np.random.Generator) -> float:
        """Ask for vectors that are in the cells and note how far off the cells of the nearest are.

        Returns the share of the vectors that a usual search looks at.
        """
        queries = _blurred(sample(self.blocks, _QUERIES, rng), rng)
        scores, cells = self._nearest(queries)
        found = cells[np.argsort(-scores, axis=1, kind="stable")[:, :_DEPTH]]
        projections = queries @ self.directions.T
        short = projections.max(axis=1, keepdims=True) - projections
        few = min(_AT_LEAST, short.shape[1]) - 1
        short[short <= np.partition(short, few, axis=1)[:, few, None]] = 0  # looked into in any case
        self.gaps = np.take_along_axis(short, found, axis=1)
        self._reach.clear()
        sizes = np.array([len(block) for block in self.blocks])
        return float(((short <= self.reach(USUAL)) @ sizes).mean() / sizes.sum())

    def _nearest(self, queries: Rows) -> tuple[Rows, NDArray[np.int64]]:
        """The best cosines of each query (a row) in every block, and the cell of each column."""
        scores, cells = [], []
        for cell, block in enumerate(self.blocks):
            for start in range(0, len(block), _CHUNK):
                some = queries @ block.rows[start : start + _CHUNK].T
                if some.shape[1] > _DEPTH:
                    some = np.partition(some, some.shape[1] - _DEPTH, axis=1)[:, -_DEPTH:]
                scores.append(some)
                cells.append(np.full(some.shape[1], cell))
        return np.concatenate(scores, axis=1), np.concatenate(cells)


def sample(blocks: Sequence[Block], size: int, rng: np.random.Generator) -> Rows:
    """Rows drawn from all the blocks without preference, in random order."""
    ends = np.cumsum([len(block) for block in blocks])
    drawn = np.sort(rng.choice(ends[-1], min(size, int(ends[-1])), replace=False))
    parts = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
    starts = ends - [len(block) for block in blocks]
    rows = np.concatenate([b.rows[some - start] for b, some, start in zip(blocks, parts, starts, strict=True)])
    return rng.permutation(rows)


def _surely_kept(kept: NDArray[np.bool_]) -> float:
    """The share kept over queries (rows), less two standard errors."""
    shares = kept.mean(axis=1)
    return float(shares.mean() - 2 * shares.std() / math.sqrt(len(shares)))


def _blurred(rows: Rows, rng: np.random.Generator) -> Rows:
    """Queries that look for the rows without being them."""
    noise = rng.standard_normal(rows.shape, dtype=np.float32)
    noise -= (noise * rows).sum(axis=1, keepdims=True) * rows
    lengths = np.linalg.norm(noise, axis=1, keepdims=True)
    noise /= np.where(lengths > 0, lengths, 1)
    cosines = rng.uniform(*_QUERY_COSINES, (len(rows), 1))
    blurred: Rows = (cosines * rows + np.sqrt(1 - cosines**2) * noise).astype(np.float32)
    return blurred
