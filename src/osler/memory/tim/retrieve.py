"""Recall in two stages: the groups nearest to the query, then the best of what is in them.

Vectors alone find less in conversations than words do, so both are asked and their standings are added. When no thought
bears on the query, what was said word for word is searched instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from osler.memory.tim.bank import Bank
from osler.memory.tim.lexical import Lexical
from osler.memory.tim.space import Space
from osler.memory.tim.vectors import VectorIndex

_POOL = 4
"""Candidates asked of each side, times what is wanted: the best of the sum is seldom below that on both."""
_SAMPLE = 64
_UNRELATED = 0.95
"""A cosine above this share of those between unrelated thoughts means something."""


@dataclass(frozen=True)
class Hit:
    """Something found, and how well it fits: by its vector, by its words, by both."""

    number: int
    score: float
    cosine: float
    lexical: float


def fused(
    query: str, vector: NDArray[np.float32], index: VectorIndex, lexical: Lexical, k: int, probes: int | None = None
) -> list[Hit]:
    """The best k by the sum of both standings."""
    if not len(index):
        return []
    near = dict(index.search(vector, max(k * _POOL, k), probes))
    words = lexical.scores(query)
    best_words = sorted(words, key=lambda number: -words[number])[: k * _POOL]
    allowed = near.keys() if probes is not None else near.keys() | set(best_words)
    numbers = sorted(allowed)
    cosines = np.array([near[number] if number in near else index.cosine(number, vector) for number in numbers])
    bm25 = np.array([words.get(number, 0.0) for number in numbers])
    total = _standing(cosines) + _standing(bm25)
    order = np.argsort(-total, kind="stable")[:k]
    return [Hit(numbers[i], float(total[i]), float(cosines[i]), float(bm25[i])) for i in order]


def _standing(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each value by how far it stands from the others; nothing where all are the same."""
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros_like(values)


def recall_thoughts(
    query: str, vector: NDArray[np.float32], space: Space, k: int, probes: int | None = None
) -> list[Hit]:
    """The thoughts that bear on a query, best first; empty when none does."""
    hits = fused(query, vector, space.index, space.lexical, k, probes)
    floor = unrelated_cosine(space.index)
    return hits if any(hit.lexical > 0 or hit.cosine > floor for hit in hits) else []


def recall_turns(query: str, vector: NDArray[np.float32], bank: Bank, k: int) -> list[Hit]:
    """The exchanges that bear on a query, best first."""
    return fused(query, vector, bank.index, bank.lexical, k)


def unrelated_cosine(index: VectorIndex) -> float:
    """How alike thoughts are that have nothing to do with each other: most pairs of a memory are such."""
    rows = index.sample(_SAMPLE)
    if len(rows) < 2:
        return 0.0
    cosines = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    return float(np.quantile(cosines, _UNRELATED))
