"""Vectors by id, and the nearest of them to a query: exact while there are few, by cells when there are many.

Two groupings live side by side. The groups of the paper are as constructed (`Hashing`); the organizer works on them and
`search(probes=...)` looks into them. They are few, and random directions know nothing of what is stored. So a plain
search over many vectors uses cells of its own: hashing again, but along directions that are learned from a sample of
the vectors, as many as suit their number. How many of them a query has to probe is measured on the vectors themselves.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.memory.tim.lsh import Hashing, learned

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]

EXACT_BELOW = 1000
"""With fewer vectors exact search over one matrix is faster than cells. `benchmarks/memory.py --crossing` says, for 384
dimensions: 0.081 ms against 0.112 ms for 500 vectors, 0.122 against 0.115 for 1,000, 0.200 against 0.112 for 2,000."""

_GROUPS = 8
_LOOSE = 512
"""Vectors that a search looks through one by one before they are sorted into cells."""
_CELLS = 1024
"""At most so many: sorting takes time in proportion, and with these a million vectors take 40 to 60 s on one thread."""
_SAMPLE_PER_CELL = 24
_AT_LEAST = 4
"""Cells that are looked into even for the clearest query; they cost next to nothing."""
_CHUNK = 16384
_USUAL = 5
"""How many a memory asks for as a rule."""
_WORTH = 0.25
"""Where more than this share of the vectors has to be looked at, one matrix is not much slower, and exact."""
_QUERIES = 256
_DEPTH = 32
"""The calibration knows this many nearest vectors of each of its queries."""
_QUERY_COSINES = (0.5, 0.95)
"""How near the calibration's queries are to the vector that they were made from: a question is not its answer."""
_UNIT = 1e-6
"""As near to length 1 as single precision comes: such a vector is kept to the bit."""
_SLACK = 1e-5
"""More than what the order of additions can make of a cosine in single precision."""


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
            nearest = (rows @ self.directions.T).argmax(axis=1)
            order = np.argsort(nearest, kind="stable")
            used, starts = np.unique(nearest[order], return_index=True)
            for cell, some in zip(used.tolist(), np.split(order, starts[1:]), strict=True):
                self.blocks[cell].extend(ids[some], rows[some], groups[some])
                yield ids[some].tolist(), self.blocks[cell]

    def visit(self, query: Rows, k: int) -> list[Block]:
        """The blocks to look into for the k nearest: few where the query is clear, more where it is between cells."""
        projections = self.directions @ query
        few = min(_AT_LEAST, len(projections))
        limit = min(projections.max() - self.reach(k), np.partition(projections, -few)[-few])
        near = (projections >= limit).nonzero()[0]
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
            self._reach[k] = float(next(enough, tried[-1])) + _SLACK
        return self._reach[k]

    def calibrate(self, rng: np.random.Generator) -> float:
        """Ask for vectors that are in the cells and note how far off the cells of the nearest are.

        Returns the share of the vectors that a usual search looks at.
        """
        queries = _blurred(_sample(self.blocks, _QUERIES, rng), rng)
        scores, cells = self._nearest(queries)
        found = cells[np.argsort(-scores, axis=1, kind="stable")[:, :_DEPTH]]
        projections = queries @ self.directions.T
        short = projections.max(axis=1, keepdims=True) - projections
        self.gaps = np.take_along_axis(short, found, axis=1)
        self._reach.clear()
        sizes = np.array([len(block) for block in self.blocks])
        return float(((short <= self.reach(_USUAL)) @ sizes).mean() / sizes.sum())

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


class Made(NamedTuple):
    """What an index is made with; a snapshot can only be restored into one made alike."""

    dimensions: int
    groups: int
    seed: int
    target: float


class VectorIndex:
    """Vectors by integer id; the nearest are found by cosine."""

    def __init__(
        self,
        dimensions: int,
        groups: int = _GROUPS,
        seed: int = 0,
        target: float = 0.95,
        exact_below: int = EXACT_BELOW,
    ) -> None:
        """Make an empty one; `target` is the share of the exact answer that a search over very many has to keep."""
        if not 0.0 < target <= 1.0:
            raise ValueError(f"the target is a share above 0 and up to 1, not {target}")
        self.made = Made(dimensions, groups, seed, target)
        self.hashing = Hashing(dimensions, groups, seed)
        self.cells: Cells | None = None
        """None while the search is exact."""
        self._exact_below = exact_below
        self._loose = Block(dimensions)
        self._block_of: dict[int, Block] = {}

    def __len__(self) -> int:
        return len(self._block_of)

    def __contains__(self, id: int) -> bool:
        return id in self._block_of

    def add(self, id: int, vector: Rows, group: int | None = None) -> int:
        """Keep a vector and return its group: the given one, or the one that its hash says."""
        if id in self._block_of:
            raise ValueError(f"there is a vector {id} already")
        row = self._unit(vector)
        if group is None:
            group = self.hashing.group(row)
        elif not 0 <= group < self.made.groups:
            raise ValueError(f"there are {self.made.groups} groups, from 0; {group} is none of them")
        self._loose.add(id, row, group)
        self._block_of[id] = self._loose
        return group

    def remove(self, id: int) -> None:
        """Let go of a vector."""
        self._block_of.pop(id).remove(id)

    def group_of(self, id: int) -> int:
        """The group that a vector lies in."""
        return self._block_of[id].group_of(id)

    def members(self, group: int) -> list[int]:
        """The ids in a group, smallest first."""
        ids: list[int] = np.sort(np.concatenate([b.ids[b.groups == group] for b in self._blocks()])).tolist()
        return ids

    def search(self, vector: Rows, k: int, probes: int | None = None) -> list[tuple[int, float]]:
        """The k nearest with their cosines, best first, of two alike the smaller id first.

        With `probes`, only the vectors in that many groups are looked at, in the order of the query's hash: 1 is what
        the paper does. Without, the answer is exact or, over very many vectors, keeps the target share of the exact.
        """
        query = self._unit(vector)
        if k < 1 or not self:
            return []
        if probes is not None:
            return _best(query, self._within(self.hashing.order(query)[:probes]), k)
        self._settle()
        blocks = [self._loose, *self.cells.visit(query, k)] if self.cells else [self._loose]
        return _best(query, [(block.ids, block.rows) for block in blocks], k)

    def cosine(self, id: int, vector: Rows) -> float:
        """How near one of the vectors is to a query."""
        return _cosines(self._block_of[id].row(id)[None], self._unit(vector))[0]

    def sample(self, size: int) -> Rows:
        """Some of the vectors, or all when there are fewer; the same ones each time while the index is the same."""
        return _sample(self._blocks(), size, np.random.default_rng([self.made.seed, len(self)]))

    def snapshot(self) -> dict[str, Any]:
        """Everything, as plain data."""
        blocks = self._blocks()
        cells = self.cells
        return {
            "made": list(self.made),
            "exact_below": self._exact_below,
            "ids": [id for block in blocks for id in block.ids.tolist()],
            "groups": [group for block in blocks for group in block.groups.tolist()],
            "vectors": _encoded(np.concatenate([block.rows for block in blocks])),
            "cells": cells
            and {
                "sizes": [len(block) for block in cells.blocks],
                "directions": _encoded(cells.directions),
                "built_for": cells.built_for,
                "gaps": _encoded(cells.gaps),
                "depth": cells.gaps.shape[1],
            },
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Become exactly what `snapshot` saw."""
        if Made(*state["made"]) != self.made:
            raise ValueError(f"the snapshot is of an index made with {Made(*state['made'])}, this one with {self.made}")
        dimensions = self.made.dimensions
        rows = _decoded(state["vectors"], dimensions)
        ids = np.array(state["ids"], dtype=np.int64)
        groups = np.array(state["groups"], dtype=np.int32)
        self._exact_below = state["exact_below"]
        self._loose, self._block_of, self.cells = Block(dimensions), {}, None
        sizes: list[int] = []
        if saved := state["cells"]:
            directions = _decoded(saved["directions"], dimensions)
            self.cells = Cells(directions, saved["built_for"], self.made.target)
            self.cells.gaps = _decoded(saved["gaps"], saved["depth"])
            sizes = saved["sizes"]
        ends = np.cumsum([0, len(ids) - sum(sizes), *sizes]).tolist()
        for block, first, last in zip(self._blocks(), ends[:-1], ends[1:], strict=True):
            block.extend(ids[first:last], rows[first:last], groups[first:last])
            self._block_of.update(dict.fromkeys(ids[first:last].tolist(), block))

    def _blocks(self) -> list[Block]:
        return [self._loose, *(self.cells.blocks if self.cells else ())]

    def _unit(self, vector: Rows) -> Rows:
        """The vector at length 1; a text without any known word may be all zeros, and stays so."""
        row = np.asarray(vector, dtype=np.float32)
        if row.shape != (self.made.dimensions,):
            raise ValueError(f"a vector has {self.made.dimensions} numbers, not the shape {row.shape}")
        length = math.sqrt(float(row.dot(row)))
        if not math.isfinite(length):
            raise ValueError("a vector has to be of finite numbers")
        return row if abs(length - 1.0) < _UNIT or length == 0.0 else row / np.float32(length)

    def _within(self, groups: Sequence[int]) -> Iterator[tuple[Ids, Rows]]:
        wanted = np.zeros(self.made.groups, dtype=bool)
        wanted[list(groups)] = True
        for block in self._blocks():
            some = wanted[block.groups]
            yield (block.ids, block.rows) if some.all() else (block.ids[some], block.rows[some])

    def _settle(self) -> None:
        """Before a search: learn cells when the number of vectors has doubled or halved, and fill them.

        This happens here so that no insert is ever slow; over many inserts its time is constant for each.
        """
        if self.cells is None:
            if len(self) >= self._exact_below:
                self._learn()
        elif not self.cells.built_for / 2 < len(self) < self.cells.built_for * 2:
            self._learn()
        elif len(self._loose) > _LOOSE:
            self._take(self.cells, self._loose)
            self._loose = Block(self.made.dimensions)

    def _learn(self) -> None:
        """Make the cells anew, or go back to none where there are too few vectors or no structure to follow."""
        if len(self) < self._exact_below:
            self._dissolve()
            return
        old = self._blocks()
        rng = np.random.default_rng([self.made.seed, len(self)])
        count = max(2, min(_CELLS, 2 * math.isqrt(len(self))))
        self.cells = Cells(learned(_sample(old, count * _SAMPLE_PER_CELL, rng), count), len(self), self.made.target)
        self._loose = Block(self.made.dimensions)
        while old:
            self._take(self.cells, old.pop(0))
        if self.cells.calibrate(rng) > _WORTH:
            self._exact_below = 2 * len(self)
            self._dissolve()

    def _dissolve(self) -> None:
        whole = Block(self.made.dimensions)
        for block in self._blocks():
            whole.extend(block.ids, block.rows, block.groups)
        self.cells, self._loose = None, whole
        self._block_of = dict.fromkeys(self._block_of, whole)

    def _take(self, cells: Cells, block: Block) -> None:
        for ids, home in cells.sort_in(block):
            self._block_of.update(dict.fromkeys(ids, home))


def _sample(blocks: Sequence[Block], size: int, rng: np.random.Generator) -> Rows:
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


def _best(query: Rows, parts: Iterable[tuple[Ids, Rows]], k: int) -> list[tuple[int, float]]:
    """The k nearest rows of all parts.

    A matrix product adds up in an order that depends on the shape of the matrix. So it only picks who may be among
    the best; these are then weighed one by one in double precision, and the answer is the same however rows lie.
    """
    scored = [(ids, rows, rows @ query) for ids, rows in parts if len(ids)]
    if not scored:
        return []
    scores = np.concatenate([some for _, _, some in scored]) if len(scored) > 1 else scored[0][2]
    floor = -math.inf if len(scores) <= k else float(np.partition(scores, -k)[-k]) - _SLACK
    found: list[tuple[int, float]] = []
    for ids, rows, some in scored:
        near = (some >= floor).nonzero()[0]
        if len(near):
            found += zip(ids[near].tolist(), _cosines(rows.take(near, axis=0), query), strict=True)
    found.sort(key=lambda hit: (-hit[1], hit[0]))
    return found[:k]


def _cosines(rows: Rows, query: Rows) -> list[float]:
    exactly = query.astype(np.float64)
    return [float(row.dot(exactly)) for row in rows.astype(np.float64)]


def _encoded(rows: Rows) -> str:
    return base64.b64encode(rows.astype("<f4").tobytes()).decode("ascii")


def _decoded(text: str, dimensions: int) -> Rows:
    return np.frombuffer(base64.b64decode(text), dtype="<f4").reshape(-1, dimensions).astype(np.float32)
