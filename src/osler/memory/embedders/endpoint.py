"""Embeddings from a server that speaks the OpenAI protocol: OpenAI, vLLM, Ollama, llama.cpp …."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.api_keys import ServerKey
from osler.memory.embedders.base import CachedEmbedder, Vectors
from osler.models.compatible import HttpEndpoint
from osler.models.completion import whole_characters
from osler.models.errors import BackboneError, FailureKind
from osler.models.retry import RETRIES, RetryPolicy, Sleep

BATCH = 64
"""Texts in one request; larger ones meet the limits of servers."""
TIMEOUT = 60.0
"""Seconds for one request."""
_LARGEST_BODY = 40_000_000
"""In bytes: a batch of rows of 4096 numbers, each of twenty digits, fits seven times."""
_REMEDY = (
    "check that the model is one for embeddings, and that the address ends as the server wants it,"
    " usually in /v1"
)


@dataclass(eq=False)
class EndpointEmbedder(CachedEmbedder):
    """A model behind `/embeddings`, under the same retry policy as chat."""

    model: str
    base_url: str
    """The address up to and without `/embeddings`."""
    key: ServerKey
    """Sent with every request and shown nowhere."""
    retries: int = RETRIES
    sleep: Sleep = asyncio.sleep
    """How to pause; tests give one that does not."""
    _dimensions: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Prepare to call the server; nothing is sent yet."""
        self.name = f"{self.model}@{self.base_url}"
        self._where = f"{self.model} at {self.base_url}"
        self._policy = RetryPolicy(self.name, self.retries, self.sleep)

    async def new_rows(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, by as many requests as the number of texts needs.

        Raises:
            BackboneError: The server cannot be reached, refuses, or answers with something else
                than embeddings.
        """
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        rows = [await self._request(batch) for batch in batches]
        if rows:
            return np.concatenate(rows)
        return np.zeros((0, self._dimensions), dtype=np.float32)

    async def new_query(self, text: str) -> NDArray[np.float32]:
        """One row, the same as for a text that is kept."""
        return np.asarray((await self._request([text]))[0], dtype=np.float32)

    async def _request(self, texts: Sequence[str]) -> Vectors:
        body = {
            "model": self.model,
            # OpenAI refuses a text of no characters.
            "input": [whole_characters(text) or " " for text in texts],
            "encoding_format": "float",
        }
        # Connections last for one request, so that nobody need close an embedder.
        url = f"{self.base_url}/embeddings"
        endpoint = HttpEndpoint(
            url, self.key, self._where, TIMEOUT, expects="embeddings", largest=_LARGEST_BODY
        )
        try:
            answer, _ = await self._policy.run(lambda: endpoint.post(body))
        finally:
            await endpoint.close()
        return self._read(answer, len(texts))

    @np.errstate(over="ignore")  # a number that is too large is infinite, and then refused
    def _read(self, answer: Any, expected: int) -> Vectors:
        """The answer's vectors in the order of the texts, checked and brought to unit length."""
        try:
            data = sorted(answer["data"], key=lambda item: item["index"])
            rows = np.array([item["embedding"] for item in data], dtype=np.float32)
            complete = [item["index"] for item in data] == list(range(expected))
        except (LookupError, TypeError, ValueError, OverflowError):
            raise self._error("did not answer with an embedding for each text", _REMEDY) from None
        lengths = np.linalg.norm(rows, axis=1, keepdims=True) if rows.ndim == 2 else np.zeros(1)
        if not complete or not np.isfinite(lengths).all() or not lengths.all():
            raise self._error("did not answer with an embedding for each text", _REMEDY)
        if self._dimensions not in (0, rows.shape[1]):
            message = f"gave rows of {rows.shape[1]} numbers after rows of {self._dimensions}"
            raise self._error(message, "check that one model alone answers at this address")
        self._dimensions = rows.shape[1]
        return np.asarray(rows / lengths, dtype=np.float32)

    def _error(self, message: str, remedy: str) -> BackboneError:
        return BackboneError(FailureKind.NOT_JSON, f"{self._where} {message}", remedy)
