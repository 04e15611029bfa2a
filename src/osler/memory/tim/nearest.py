"""The nearest rows to a query, weighed so that the answer does not hang on how the rows lie in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from osler.memory.tim.cells import SLACK, Ids, Rows


def nearest(query: Rows, parts: Iterable[tuple[Ids, Rows]], k: int) -> list[tuple[int, float]]:
    """The k nearest rows of all parts.

    A matrix product adds up in an order that depends on the shape of the matrix. So it only picks who may be among
    the best; these are then weighed one by one in double precision, and the answer is the same however rows lie.
    """
    held = [part for part in parts if len(part[0])]
    if sum([len(ids) for ids, _ in held]) > k:
        held = _promising(query, held, k)
    found: list[tuple[float, int]] = []
    for ids, rows in held:
        found += [(-near, id) for near, id in zip(cosines(rows, query), ids.tolist(), strict=True)]
    found.sort()
    return [(id, -far) for far, id in found[:k]]


def _promising(query: Rows, parts: Sequence[tuple[Ids, Rows]], k: int) -> list[tuple[Ids, Rows]]:
    """Of each part, the rows that may be among the best k."""
    scores = [rows.dot(query) for _, rows in parts]
    every = np.concatenate(scores) if len(scores) > 1 else scores[0].copy()
    every.partition(-k)
    floor = float(every[-k]) - SLACK
    near = [(some >= floor).nonzero()[0] for some in scores]
    return [(ids[at], rows.take(at, axis=0)) for (ids, rows), at in zip(parts, near, strict=True) if len(at)]


def cosines(rows: Rows, query: Rows) -> list[float]:
    """How near each row is to the query, in double precision."""
    if 2 * np.count_nonzero(query) < len(query):  # the rows of hashed words are mostly empty
        told = query.nonzero()[0]
        rows, query = rows[:, told], query[told]
    # The product of two vectors adds up in the same order wherever they lie; that of a matrix does not.
    return list(map(float, map(query.astype(np.float64).dot, rows.astype(np.float64))))
