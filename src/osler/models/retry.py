"""Retry policy for chat and embedding calls, and a circuit breaker for when a server is down."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from osler.errors import RunStopped
from osler.models.chat import ChatRequest, ClientWrapper
from osler.models.completion import Completion
from osler.models.errors import PASSING, BackboneError, FailureKind

RETRIES = 4
"""How often a failed call is made again."""
FIRST_PAUSE = 0.5
"""Seconds before the first of them at most; each further pause may be twice as long."""
LONGEST_PAUSE = 60.0
"""Seconds. A server that asks for more is asked again after this."""
IN_A_ROW = 5
"""Calls that fail one after another, with all attempts, before an endpoint counts as down."""

_AT_ONCE = frozenset(
    {
        FailureKind.UNREACHABLE,
        FailureKind.UNAUTHORIZED,
        FailureKind.UNKNOWN_MODEL,
        FailureKind.QUOTA,
    }
)
"""Before the first answer one of these is enough: the address, the key or the name is wrong."""
_DOWN = PASSING - {FailureKind.CUT_OFF} | _AT_ONCE
"""Failures that concern the endpoint; an empty or refused answer concerns a single prompt."""

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]


@dataclass
class RetryPolicy:
    """Bounded attempts with exponential backoff and full jitter, or a server's `Retry-After`."""

    purpose: str
    """What is called; its jitter comes from a generator of its own."""
    retries: int = RETRIES
    """How often a failed call is tried again."""
    sleep: Sleep = asyncio.sleep
    """How to pause; tests give one that does not."""

    def __post_init__(self) -> None:
        """Seed the jitter."""
        self._rng = random.Random(f"retry {self.purpose}")  # noqa: S311 -- jitter is no secret

    async def run(self, call: Callable[[], Awaitable[T]]) -> tuple[T, int]:
        """Call until it succeeds or the last attempt raises; return the result and the attempts."""
        attempt = 1
        while True:
            try:
                return await call(), attempt
            except BackboneError as error:
                if not error.worth_retry or attempt > self.retries:
                    error.attempts = attempt
                    raise
                pause = error.retry_after
            if pause is None:
                pause = self._rng.uniform(0, FIRST_PAUSE * 2 ** (attempt - 1))
            await self.sleep(min(pause, LONGEST_PAUSE))
            attempt += 1


@dataclass(eq=False)
class CircuitBreaker(ClientWrapper):
    """Passes calls on until the endpoint counts as down; then every call raises `RunStopped`."""

    _failed: int = 0
    _ever_answered: bool = False
    _down: str | None = None

    async def complete(self, request: ChatRequest) -> Completion:
        """Pass the call on, and count failures in a row."""
        if self._down is not None:
            raise RunStopped("endpoint down", self._down)
        try:
            answer = await self.inner.complete(request)
        except BackboneError as error:
            if error.kind not in _DOWN:
                self._note_answer()  # it answered, only not usably
                raise
            self._failed += 1
            is_wrong_from_the_start = not self._ever_answered and error.kind in _AT_ONCE
            if self._failed >= IN_A_ROW or is_wrong_from_the_start:
                self._down = str(error)
                raise RunStopped("endpoint down", self._down) from None
            raise
        self._note_answer()
        return answer

    def _note_answer(self) -> None:
        self._failed = 0
        self._ever_answered = True
