"""Embeddings from a server that speaks the OpenAI protocol: OpenAI itself, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from osler.addresses import is_loopback
from osler.api_keys import ServerKey, scrub
from osler.errors import UserError
from osler.memory.embedders.base import Vectors
from osler.waiting import LONGEST_PAUSE, retry_after

BATCH = 64
"""Texts in one request; larger ones meet the limits of servers."""
RETRIES = 4
TIMEOUT = 60.0
FIRST_PAUSE = 0.5

_LONGEST_DETAIL = 200

Sleep = Callable[[float], Awaitable[None]]


class EndpointEmbedder:
    """A model behind `/embeddings`. It learns nothing, so its state is empty."""

    def __init__(
        self,
        model: str,
        base_url: str,
        key: ServerKey,
        *,
        retries: int = RETRIES,
        timeout: float = TIMEOUT,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Prepare to call the server; nothing is sent yet.

        Args:
            model: The model's name at the server.
            base_url: The address up to and without `/embeddings`.
            key: Sent with every request and shown nowhere.
            retries: How often a failed request is sent again.
            timeout: Seconds for one attempt.
            sleep: How to pause; tests give one that does not.
        """
        self.name = f"{model}@{base_url}"
        self._model = model
        self._where = f"{model} at {base_url}"
        self._key = key
        self._retries = retries
        self._timeout = timeout
        self._sleep = sleep
        self._jitter = np.random.default_rng(int.from_bytes(sha256(self.name.encode()).digest()[:8]))
        self._client = _client(base_url, key, timeout)
        self._dimensions = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, by as many requests as the number of texts needs.

        Raises:
            UserError: The server cannot be reached, refuses, or answers with something else than embeddings.
        """
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        rows = [await self._request(batch) for batch in batches]
        return np.concatenate(rows) if rows else np.zeros((0, self._dimensions), dtype=np.float32)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row, the same as for a text that is kept."""
        return np.asarray((await self._request([text]))[0], dtype=np.float32)

    def snapshot(self) -> dict[str, Any]:
        """Nothing: the model does not learn."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to do."""

    async def _request(self, texts: Sequence[str]) -> Vectors:
        attempt = 0
        while True:
            answer = await self._attempt(texts)
            if not isinstance(answer, _Failure):
                return self._rows(answer, len(texts))
            if not answer.passing or attempt == self._retries:
                raise self._error(answer.message, answer.remedy)
            await self._sleep(self._pause(attempt, answer.retry_after))
            attempt += 1

    async def _attempt(self, texts: Sequence[str]) -> Any:
        """The server's answer, or what went wrong. `Any`, because a server may send anything."""
        import openai

        try:
            async with asyncio.timeout(self._timeout):
                return await self._client.embeddings.create(
                    model=self._model,
                    input=[text or " " for text in texts],  # OpenAI refuses a text of no characters
                    encoding_format="float",  # not every server knows the SDK's own choice, base64
                )
        except openai.APIStatusError as error:
            return _refusal(error.status_code, error.body, error.response.headers.get("retry-after"), self._key)
        except (openai.APITimeoutError, TimeoutError):
            message, remedy = f"did not answer within {self._timeout:g} s", "give it more time, or look at its log"
            return _Failure(message, remedy, passing=True)
        except openai.APIConnectionError:
            return _Failure("cannot be reached", "check that the server runs at this address", passing=True)
        except (openai.OpenAIError, ValueError, OverflowError, RecursionError):
            return _NOT_EMBEDDINGS  # the SDK could not read the answer

    def _pause(self, attempt: int, header: str | None) -> float:
        asked = retry_after(header)
        if asked is not None:
            return min(asked, LONGEST_PAUSE)
        return float(self._jitter.uniform(0, min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)))

    @np.errstate(over="ignore")  # a number that is too large is infinite, and then refused
    def _rows(self, answer: Any, expected: int) -> Vectors:
        """The answer's vectors in the order of the texts, checked and brought to unit length."""
        try:
            data = sorted(answer.data, key=lambda item: item.index)
            rows = np.array([item.embedding for item in data], dtype=np.float32)
            complete = [item.index for item in data] == list(range(expected))
        except (AttributeError, TypeError, ValueError, OverflowError):
            raise self._error(_NOT_EMBEDDINGS.message, _NOT_EMBEDDINGS.remedy) from None
        lengths = np.linalg.norm(rows, axis=1, keepdims=True) if rows.ndim == 2 else np.zeros(1)
        if not complete or not np.isfinite(lengths).all() or not lengths.all():
            raise self._error(_NOT_EMBEDDINGS.message, _NOT_EMBEDDINGS.remedy)
        if self._dimensions not in (0, rows.shape[1]):
            message = f"gave rows of {rows.shape[1]} numbers after rows of {self._dimensions}"
            raise self._error(message, "check that one model alone answers at this address")
        self._dimensions = rows.shape[1]
        return np.asarray(rows / lengths, dtype=np.float32)

    def _error(self, message: str, remedy: str) -> UserError:
        return UserError(scrub(f"{self._where} {message}", self._key.value), remedy)


class _Failure:
    """Why one attempt gave no answer. No exception, since those hold the request and with it the key."""

    def __init__(self, message: str, remedy: str, *, passing: bool, retry_after: str | None = None) -> None:
        self.message = message
        self.remedy = remedy
        self.passing = passing
        self.retry_after = retry_after


_NOT_EMBEDDINGS = _Failure(
    "did not answer with an embedding for each text",
    "check that the model is one for embeddings, and that the address ends as the server wants it, usually in /v1",
    passing=False,
)
_REFUSALS = {
    404: ("is not known to the server", "check the model's name, and the end of the address, usually /v1"),
    429: ("is asked too often", "run fewer consultations at once, or wait"),
}


def _refusal(status: int, body: object, retry_after: str | None, key: ServerKey) -> _Failure:
    says = _server_says(body)
    message, remedy = _REFUSALS.get(status, ("refused the request", "read what the server says"))
    if status in {401, 403}:
        message, remedy = key.refusal if status == 401 else "does not let this key use the model", key.remedy
    if 300 <= status < 400:
        # Not followed: the key would go along.
        message, remedy = (
            "has moved to another address",
            "give the address that answers, with https where it wants that",
        )
    if status >= 500:
        message, remedy = "has a fault", "look at the server's log, and try again later"
    passing = status == 429 or status >= 500
    if status == 429 and "quota" in says:
        remedy, passing = "check the plan and billing of the key", False
    shown = f": {says}" if says else ""
    return _Failure(f"{message} (HTTP {status}{shown})", remedy, passing=passing, retry_after=retry_after)


def _server_says(body: object) -> str:
    """The message inside the JSON of an error; a page of HTML says nothing in one line."""
    for _ in range(2):  # the SDK unwraps {"error": …} for some servers and not for others
        if isinstance(body, dict):
            body = body.get("error") or body.get("message") or body.get("detail")
    return " ".join(body.split())[:_LONGEST_DETAIL] if isinstance(body, str) and not body.startswith("<") else ""


def _client(base_url: str, key: ServerKey, timeout: float) -> Any:
    """The SDK's client. A connection lasts for one request, so that an embedder need not be closed by anybody."""
    import openai

    near = is_loopback(urlsplit(base_url).hostname or "")  # where no proxy could reach it
    http = openai.DefaultAsyncHttpxClient(timeout=timeout, trust_env=not near, follow_redirects=False)
    return openai.AsyncOpenAI(
        api_key=key.sent,
        base_url=base_url,
        timeout=timeout,
        max_retries=0,
        http_client=http,
        default_headers={"Connection": "close"},
    )
