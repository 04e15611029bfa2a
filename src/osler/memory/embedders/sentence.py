"""Sentence encoders that run on this machine, through sentence-transformers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.errors import UserError
from osler.memory.embedders.base import CachedEmbedder, Vectors


@dataclass(eq=False)
class SentenceEmbedder(CachedEmbedder):
    """A model of sentence-transformers."""

    name_or_path: str
    """A model's name on the Hugging Face hub, or the folder that holds it."""

    def __post_init__(self) -> None:
        """Load the model, or raise `UserError` where the package or the model is not there."""
        self.name = f"st:{self.name_or_path}"
        self._model = _load(self.name_or_path)

    async def new_rows(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, computed in a thread so that other consultations go on."""
        if not texts:
            return (await self.new_rows([""]))[:0]
        return await asyncio.to_thread(self._encode, self._model.encode_document, list(texts))

    async def new_query(self, text: str) -> NDArray[np.float32]:
        """One row; models trained with a prompt for questions get theirs."""
        rows = await asyncio.to_thread(self._encode, self._model.encode_query, [text])
        return np.asarray(rows[0], dtype=np.float32)

    def _encode(self, encode: Any, texts: list[str]) -> Vectors:
        rows = encode(
            texts, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(rows, dtype=np.float32)


def _load(name_or_path: str) -> Any:
    """The model.

    `Any`, because the package is optional and its types are not here to check against.
    """
    try:
        package = import_module("sentence_transformers")
    except ImportError as error:
        raise UserError(
            f"sentence-transformers cannot be imported ({error})",
            "install it with `pip install 'osler[st]'`",
        ) from None
    try:
        return package.SentenceTransformer(name_or_path)
    # The hub, torch and the model's own code each have errors of their own.
    except Exception as error:
        first = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise UserError(
            f"the sentence encoder {name_or_path!r} cannot be loaded ({first[:200]})",
            "check its name and the network, or give the path of a folder that holds it",
        ) from None
