"""The interface of embedders, which turn text into vectors, and a cache of their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Text into rows of unit length, so that a product of two is their cosine."""

    name: str
    sparse: bool
    """Whether most numbers of a row are 0."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows for texts that are to be kept.

        An embedder that learns from what arrives learns here.
        """
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row for a text that only looks for others; nothing is learned from it."""
        ...

    def learn(self, texts: Sequence[str]) -> None:
        """Learn from texts with known rows what `embed` would have learned from them."""
        ...


@dataclass(kw_only=True, eq=False)
class CachedEmbedder(ABC):
    """Base of embedders that learn nothing.

    A text that was embedded lately is not embedded again.
    """

    most: int = 4096
    """How many rows are kept, some 25 MB of 1536 numbers each; the one that was longest unused goes
    first."""
    name: str = field(init=False)
    sparse: bool = field(default=False, init=False)
    _rows: OrderedDict[bytes, NDArray[np.float32]] = field(default_factory=OrderedDict, init=False)

    @abstractmethod
    async def new_rows(self, texts: Sequence[str]) -> Vectors:
        """Rows for texts that are not in the cache."""

    @abstractmethod
    async def new_query(self, text: str) -> NDArray[np.float32]:
        """One row for a query that is not in the cache."""

    def learn(self, texts: Sequence[str]) -> None:  # noqa: B027 -- there is nothing to learn
        """Nothing to learn."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows for all texts, by one call for those that are new."""
        if not texts:
            return await self.new_rows(texts)
        keys = [_key("text", text) for text in texts]
        found = {key: self._rows[key] for key in keys if key in self._rows}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            found.update(zip(new, await self.new_rows(list(new.values())), strict=True))
        self._keep(found)
        return np.stack([found[key] for key in keys])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row.

        Kept apart from those of texts, since some models treat questions in another way.
        """
        key = _key("query", text)
        row = self._rows.get(key)
        if row is None:
            row = await self.new_query(text)
        self._keep({key: row})
        return row.copy()

    def _keep(self, rows: dict[bytes, NDArray[np.float32]]) -> None:
        for key, row in rows.items():
            self._rows[key] = row.copy()  # a slice would keep its whole batch alive
            self._rows.move_to_end(key)
        while len(self._rows) > self.most:
            self._rows.popitem(last=False)


def _key(kind: str, text: str) -> bytes:
    return sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()
