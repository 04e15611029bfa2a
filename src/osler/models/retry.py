"""The one retry policy, of chat and of embeddings: which calls are tried again, how often, and after which pause."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Generic, NamedTuple, TypeVar

from osler.models.chat import ChatClient, ChatRequest, ClientWrapper
from osler.models.completion import Completion
from osler.models.errors import BackboneError

RETRIES = 4
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
"""Seconds. A server that asks for more is asked again after this."""

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]


class RetryPolicy:
    """Bounded attempts with exponential backoff and full jitter; a server's `Retry-After` is respected."""

    def __init__(
        self,
        purpose: str,
        *,
        retries: int = RETRIES,
        rng: random.Random | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Set the policy.

        Args:
            purpose: What is called; its jitter comes from a generator of its own.
            retries: How often a failed call is tried again.
            rng: Where the jitter comes from instead.
            sleep: How to pause; tests give one that does not.
        """
        self._retries, self._sleep = retries, sleep
        self._rng = rng or generator(f"retry {purpose}")

    async def run(self, call: Callable[[], Awaitable[T]]) -> Attempted[T]:
        """Call until it succeeds, fails for good, or the attempts are used up.

        Raises:
            BackboneError: The last failure, with the number of attempts.
        """
        attempt = 1
        while True:
            try:
                return Attempted(await call(), attempt)
            except BackboneError as error:
                if not error.worth_retry or attempt > self._retries:
                    error.attempts = attempt
                    raise
                pause = self._pause(attempt, error)
            await self._sleep(pause)
            attempt += 1

    def _pause(self, attempt: int, failure: BackboneError) -> float:
        asked = retry_after(failure.retry_after)
        if asked is not None:
            return min(asked, LONGEST_PAUSE)
        return self._rng.uniform(0, min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE))


class Attempted(NamedTuple, Generic[T]):
    """A result, and the number of attempts it took."""

    result: T
    attempts: int


class RetryingClient(ClientWrapper):
    """A chat client under the retry policy."""

    def __init__(self, inner: ChatClient, policy: RetryPolicy) -> None:
        """Wrap the client that does the calls, each for no longer than it may take."""
        super().__init__(inner)
        self._policy = policy

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask until there is an answer or no more attempt."""
        done = await self._policy.run(lambda: self.inner.complete(request))
        return done.result if done.attempts == 1 else done.result.model_copy(update={"attempts": done.attempts})


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait by a `Retry-After` header, which is a number of seconds or an HTTP date."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except (ValueError, OverflowError):
            return None
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = (date - (now or datetime.now(UTC))).total_seconds()
    return max(seconds, 0.0) if seconds == seconds else None


def generator(purpose: str) -> random.Random:
    """A generator of its own for one purpose; no global one is touched."""
    return random.Random(int.from_bytes(sha256(purpose.encode()).digest()))  # noqa: S311 -- jitter is no secret
