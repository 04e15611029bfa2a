"""The nearest rows to a query, weighed so that the answer does not hang on how the rows lie in memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from osler.memory.tim.cells import SLACK, Ids, Rows


def nearest(query: Rows, parts: Iterable[tuple[Ids, Rows]], k: int) -> list[tuple[int, float]]:
    """The k nearest rows of all parts.

    A matrix product adds up in an order that depends on the shape of the matrix. So it only picks who may be among
    the best; these are then weighed one by one in double precision, and the answer is the same however rows lie.
    """
    scored = [(ids, rows, rows.dot(query)) for ids, rows in parts if len(ids)]
    floor = _floor([scores for *_, scores in scored], k)
    found: list[tuple[float, int]] = []
    for ids, rows, scores in scored:
        at = (scores >= floor).nonzero()[0]
        if len(at):
            found += zip(cosines(rows.take(at, axis=0), query), ids[at].tolist(), strict=True)
    found.sort(key=_best_first)
    return [(id, near) for near, id in found[:k]]


def _best_first(one: tuple[float, int]) -> tuple[float, int]:
    return -one[0], one[1]


def _floor(scores: Sequence[Rows], k: int) -> float:
    """What a row must reach to be among the best k, by scores that are not exact."""
    if sum(map(len, scores)) <= k:
        return -math.inf
    every = np.concatenate(scores) if len(scores) > 1 else scores[0].copy()
    every.partition(-k)
    return float(every[-k]) - SLACK


def cosines(rows: Rows, query: Rows) -> list[float]:
    """How near each row is to the query, in double precision."""
    if 2 * np.count_nonzero(query) < len(query):  # the rows of hashed words are mostly empty
        told = query.nonzero()[0]
        rows, query = rows.take(told, axis=1), query[told]
    # A row that lies in one piece adds up in the same order whatever lies beside it; in a matrix product it does not.
    near: list[float] = np.add.reduce(np.multiply(rows, query, dtype=np.float64, order="C"), axis=1).tolist()
    return near
