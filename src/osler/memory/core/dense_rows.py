"""Rows of numbers in faiss.

Exact while there are few, an inverted file (IVF) when there are very many.

faiss works in single precision, and its last digits differ between processors. So it only picks the
candidates: their cosines are computed again in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import faiss
import numpy as np
from numpy.typing import NDArray

from osler.memory.core.row_store import Places, Rows, drawn_places
from osler.ranking import CLOSE

_VISITED = 0.5
"""Share of the lists of the inverted file that a search visits."""
_TRAINED_ON = 40
"""Vectors for each list from which the lists are learned."""
_MORE = 16
"""Candidates asked of faiss beside those wanted."""
_SLACK = 1e-5 + CLOSE
"""More than single precision can change in a cosine, beside what counts as equal."""
_SHIFT = 1 << 40
"""Added to an id in the inverted file: faiss takes a negative id for none, and turns of earlier
visits have such."""


class DenseRows:
    """Rows of which every number is held, by their place."""

    def __init__(self, dimensions: int, seed: int, exact_below: int) -> None:
        """Start empty."""
        self._dimensions = dimensions
        self._seed = seed
        self._exact_below = exact_below
        # One query gives threads nothing to share, and those of parallel consultations would wait
        # for each other.
        faiss.omp_set_num_threads(1)
        self._flat = faiss.IndexFlatIP(dimensions)
        self._ivf: faiss.IndexIVFFlat | None = None
        """The same vectors in lists, as many as the root of their number; None while searches are
        exact."""

    def __len__(self) -> int:
        return int(self._flat.ntotal)

    @property
    def is_exact(self) -> bool:
        """Whether searches are exact."""
        return self._ivf is None

    def append(self, rows: Rows, ids: Sequence[int]) -> None:
        """Add rows behind the others."""
        self._flat.add(rows)
        if self._ivf is not None:
            self._ivf.add_with_ids(rows, np.array(ids) + _SHIFT)

    def remove(self, place: int, id: int) -> None:
        """Remove a row; the last one takes its place, so that no others have to move."""
        last = len(self) - 1
        if place != last:
            self._all[place] = self._all[last]
        self._flat.remove_ids(faiss.IDSelectorRange(last, last + 1))
        if self._ivf is not None:
            self._ivf.remove_ids(faiss.IDSelectorRange(id + _SHIFT, id + _SHIFT + 1))

    def take(self, places: Places) -> Rows:
        """Copies of some rows."""
        return self._all[places]

    def cosines(self, query: Rows, places: Places | None) -> NDArray[np.float64]:
        """The products in double precision, row by row.

        In a matrix product the last digits would depend on the rows beside.
        """
        rows = self._all if places is None else self._all[places]
        cosines: NDArray[np.float64] = np.vecdot(
            rows.astype(np.float64, order="C"), query.astype(np.float64)
        )
        return cosines

    def candidates(self, query: Rows, k: int, ids: Sequence[int]) -> Places | None:
        """The places that may be among the k nearest, or None if that is all of them.

        A few more than k, so that single precision leaves none out.
        """
        self._learn(ids)
        asked = k + _MORE
        while 2 * asked < len(self):
            cosines, found = (self._flat if self._ivf is None else self._ivf).search(
                query[None], asked
            )
            # Faiss gives -1 where the lists hold no more.
            if found[0, -1] < 0 or cosines[0, k - 1] - cosines[0, -1] > _SLACK:
                best = found[found >= 0]
                if self._ivf is None:
                    return np.asarray(best, dtype=np.intp)
                place_of = {id: place for place, id in enumerate(ids)}
                return np.array([place_of[id - _SHIFT] for id in best.tolist()], dtype=np.intp)
            asked *= 2
        return None

    @property
    def _all(self) -> Rows:
        """The vectors as faiss holds them, not a copy."""
        if not len(self):
            return np.empty((0, self._dimensions), dtype=np.float32)
        numbers = faiss.rev_swig_ptr(self._flat.get_xb(), len(self) * self._dimensions)
        rows: Rows = numbers.reshape(len(self), -1)
        return rows

    def _learn(self, ids: Sequence[int]) -> None:
        """Learn the lists of the inverted file when the number of vectors has doubled or halved."""
        size = len(self)
        lists = math.isqrt(len(self))
        if size < self._exact_below // 2:
            self._ivf = None
        elif size >= self._exact_below and not (
            self._ivf and size / 2 < self._ivf.nlist**2 < size * 2
        ):
            coarse = faiss.IndexFlatIP(self._dimensions)
            ivf = faiss.IndexIVFFlat(coarse, self._dimensions, lists, faiss.METRIC_INNER_PRODUCT)
            ivf.cp.niter = 5
            ivf.cp.seed = self._seed
            ivf.cp.min_points_per_centroid = 1
            ivf.train(self.take(drawn_places(ids, lists * _TRAINED_ON, self._seed)))
            ivf.nprobe = math.ceil(_VISITED * lists)
            ivf.add_with_ids(self._all, np.array(ids) + _SHIFT)
            self._ivf = ivf
