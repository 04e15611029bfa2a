"""Vectors by id, and the nearest of them to a query: exact while there are few, by cells when there are many.

Two groupings live side by side. The groups of the paper are as constructed (`Hashing`); the organizer works on them and
`search(probes=...)` looks into them. They are few, and random directions know nothing of what is stored. So a plain
search over many vectors uses cells of its own: hashing again, but along directions that are learned from a sample of
the vectors, as many as suit their number. How many of them a query has to probe is measured on the vectors themselves.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from osler.memory.tim.cells import Block, Cells, Part, Rows, sample
from osler.memory.tim.lsh import Hashing, learned
from osler.memory.tim.nearest import cosines, nearest

EXACT_BELOW = 1000
"""With fewer vectors exact search over one matrix is faster than cells. `benchmarks/memory.py --crossing` says, for 384
dimensions: 0.081 ms against 0.112 ms for 500 vectors, 0.122 against 0.115 for 1,000, 0.200 against 0.112 for 2,000."""

_GROUPS = 8
_LOOSE = 512
"""Vectors that a search looks through one by one before they are sorted into cells."""
_CELLS = 1024
"""At most so many: sorting takes time in proportion, and with these a million vectors take 40 to 60 s on one thread."""
_SAMPLE_PER_CELL = 24
_WORTH = 0.25
"""Where more than this share of the vectors has to be looked at, one matrix is not much slower, and exact."""
_UNIT = 1e-6
"""As near to length 1 as single precision comes: such a vector is kept to the bit."""


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
        if k < 1 or not self._block_of:
            return []
        if probes is None:
            self._settle()
            blocks = [self._loose, *self.cells.visit(query, k)] if self.cells else [self._loose]
        elif probes >= self.made.groups:  # all of them, whatever their order
            blocks = self._blocks()
        else:
            return nearest(query, self._within(self.hashing.order(query)[:probes]), k)
        return nearest(query, [block.part for block in blocks], k)

    def cosine(self, id: int, vector: Rows) -> float:
        """How near one of the vectors is to a query."""
        return cosines(self._block_of[id].row(id)[None], self._unit(vector))[0]

    def sample(self, size: int) -> Rows:
        """Some of the vectors, or all when there are fewer; the same ones each time while the index is the same."""
        if len(self) <= size:
            blocks = self._blocks()
            return np.concatenate([block.rows for block in blocks]) if len(blocks) > 1 else blocks[0].rows
        return sample(self._blocks(), size, np.random.default_rng([self.made.seed, len(self)]))

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
        length = math.sqrt(row.dot(row))
        if abs(length - 1.0) < _UNIT or length == 0.0:
            return row
        if not math.isfinite(length):
            raise ValueError("a vector has to be of finite numbers")
        return row / np.float32(length)

    def _within(self, groups: Sequence[int]) -> list[Part]:
        wanted = np.zeros(self.made.groups, dtype=bool)
        wanted[list(groups)] = True
        parts = []
        for block in self._blocks():
            some = wanted[block.groups]
            parts.append(block.part if some.all() else (block.ids[some], block.rows[some]))
        return parts

    def _settle(self) -> None:
        """Before a search: learn cells when the number of vectors has doubled or halved, and fill them.

        This happens here so that no insert is ever slow; over many inserts its time is constant for each.
        """
        size = len(self._block_of)
        if self.cells is None:
            if size >= self._exact_below:
                self._learn()
        elif not self.cells.built_for / 2 < size < self.cells.built_for * 2:
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
        self.cells = Cells(learned(sample(old, count * _SAMPLE_PER_CELL, rng), count), len(self), self.made.target)
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


def _encoded(rows: Rows) -> str:
    return base64.b64encode(rows.astype("<f4").tobytes()).decode("ascii")


def _decoded(text: str, dimensions: int) -> Rows:
    return np.frombuffer(base64.b64decode(text), dtype="<f4").reshape(-1, dimensions).astype(np.float32)
