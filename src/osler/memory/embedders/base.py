"""The interface of embedders: text into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Text into rows of unit length, so that a product of two is their cosine."""

    name: str

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows for texts that are to be kept; an embedder that learns from what arrives learns here."""
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row for a text that only looks for others; nothing is learned from it."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """What it has learned, as plain data (JSON)."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Know exactly what `snapshot` knew."""
        ...


class FixedEmbedder:
    """An embedder that learns nothing, so that its state is empty."""

    def snapshot(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to do."""
