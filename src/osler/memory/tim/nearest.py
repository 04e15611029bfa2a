"""The nearest rows to a query, weighed so that the answer does not hang on how the rows lie in memory.

A matrix product adds up in an order that depends on the shape of the matrix. So it only picks who may be among the
best; these are then weighed one by one in double precision, and the answer is the same however rows lie.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osler.memory.tim.cells import SLACK, Part, Rows
from osler.ranking import ranked

_SHORT = 512
"""Dimensions up to which a row is weighed sooner than it is looked through for what is empty."""


def nearest(query: Rows, parts: Sequence[Part], k: int) -> list[tuple[int, float]]:
    """The k nearest rows of all parts, best first, of two alike the smaller id first."""
    ids, rows = parts[0] if len(parts) == 1 else _gathered(query, parts, k)
    if len(ids) > k:
        scores = rows.dot(query)
        at = (scores >= _floor(scores, k)).nonzero()[0]
        ids, rows = ids[at], rows.take(at, 0)
    near, names = cosines(rows, query), ids.tolist()
    return [(names[place], near[place]) for place in ranked(near, names)[:k]]


def _gathered(query: Rows, parts: Sequence[Part], k: int) -> Part:
    """In one piece, those rows of several parts that may be among the best."""
    if sum(len(ids) for ids, _ in parts) > k:
        scored = [(ids, rows, rows.dot(query)) for ids, rows in parts if len(ids)]
        floor = _floor(np.concatenate([scores for _, _, scores in scored]), k)
        picked = ((ids, rows, (scores >= floor).nonzero()[0]) for ids, rows, scores in scored)
        parts = [(ids[at], rows.take(at, 0)) for ids, rows, at in picked if len(at)]
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([rows for _, rows in parts])


def _floor(scores: Rows, k: int) -> np.float32:
    """What a row must reach to be among the best k, by scores that are not exact."""
    best = scores.copy()
    best.partition(-k)
    floor: np.float32 = best[-k] - SLACK
    return floor


def cosines(rows: Rows, query: Rows) -> list[float]:
    """How near each row is to the query, in double precision."""
    if len(query) > _SHORT and 2 * np.count_nonzero(query) < len(query):  # hashed words leave most of a row empty
        told = query.nonzero()[0]
        rows, query = rows.take(told, axis=1), query[told]
    # Row by row: each adds up in the same order whatever lies beside it; in a matrix product it does not.
    near: list[float] = np.vecdot(rows.astype(np.float64, order="C"), query.astype(np.float64)).tolist()
    return near
