"""Sentence encoders that run on this machine, through sentence-transformers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.errors import UserError
from osler.memory.embedders.base import FixedEmbedder, Vectors


class SentenceEmbedder(FixedEmbedder):
    """A model of sentence-transformers."""

    def __init__(self, name_or_path: str) -> None:
        """Load the model.

        Args:
            name_or_path: A model's name on the Hugging Face hub, or the folder that holds it.

        Raises:
            UserError: The package is not installed, or the model cannot be loaded.
        """
        self.name = f"st:{name_or_path}"
        self._model = _load(name_or_path)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, computed in a thread so that other consultations go on."""
        if not texts:
            return (await self.embed([""]))[:0]
        return await asyncio.to_thread(self._encode, self._model.encode_document, list(texts))

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row; models trained with a prompt for questions get theirs."""
        rows = await asyncio.to_thread(self._encode, self._model.encode_query, [text])
        return np.asarray(rows[0], dtype=np.float32)

    def _encode(self, encode: Any, texts: list[str]) -> Vectors:
        rows = encode(texts, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(rows, dtype=np.float32)


def _load(name_or_path: str) -> Any:
    """The model; `Any`, because the package is optional and its types are not here to check against."""
    try:
        package = import_module("sentence_transformers")
    except ImportError as error:
        raise UserError(
            f"sentence-transformers cannot be imported ({error})", "install it with `pip install 'osler[st]'`"
        ) from None
    try:
        return package.SentenceTransformer(name_or_path)
    except Exception as error:  # the hub, torch and the model's own code each have errors of their own
        first = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise UserError(
            f"the sentence encoder {name_or_path!r} cannot be loaded ({first[:200]})",
            "check its name and the network, or give the path of a folder that holds it",
        ) from None
