"""A cache of the rows of texts that were embedded before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from osler.memory.embedders.base import Embedder, FixedEmbedder, Vectors

MOST_ROWS = 4096
"""Some 25 MB of rows of 1536 numbers."""


class CachedEmbedder(FixedEmbedder):
    """Asks another embedder only for texts it has not seen lately.

    Never around an embedder that learns: its rows for one text change with what arrived in between.
    """

    def __init__(self, inner: Embedder, most: int = MOST_ROWS) -> None:
        """Start empty.

        Args:
            inner: The embedder that does the work.
            most: How many rows are kept; the one that was longest unused goes first.
        """
        self.name = inner.name
        self._inner = inner
        self._most = most
        self._rows: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows for all texts, by one call of the inner embedder for those that are new."""
        if not texts:
            return await self._inner.embed(texts)
        keys = [_key("text", text) for text in texts]
        found = {key: self._rows[key] for key in keys if key in self._rows}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            found.update(zip(new, await self._inner.embed(list(new.values())), strict=True))
        self._keep(found)
        return np.stack([found[key] for key in keys])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row; kept apart from those of texts, since some models treat questions in another way."""
        key = _key("query", text)
        row = self._rows.get(key)
        if row is None:
            row = await self._inner.embed_query(text)
        self._keep({key: row})
        return row.copy()

    def _keep(self, rows: dict[bytes, NDArray[np.float32]]) -> None:
        for key, row in rows.items():
            self._rows[key] = row.copy()  # a slice would keep its whole batch alive
            self._rows.move_to_end(key)
        while len(self._rows) > self._most:
            self._rows.popitem(last=False)


def _key(kind: str, text: str) -> bytes:
    return sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()
