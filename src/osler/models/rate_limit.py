"""The rate limit of one endpoint: calls at a time, calls and tokens a minute, and less after a 429."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from osler.models.chat import ChatClient, ChatRequest, ClientWrapper, estimated_tokens
from osler.models.completion import Completion
from osler.models.errors import BackboneError
from osler.models.retry import LONGEST_PAUSE, retry_after

_BURST_SECONDS = 1.0
"""How much of a minute's allowance may be used at once after a quiet time: servers count in short windows, too."""
_DEBT_SECONDS = 60.0
"""How long the largest debt is waited for: a server that allows so much a minute has forgotten it after one."""
_TOO_MANY = 429
_NO_TIME = 1e-6
"""Seconds that are not worth waiting for; what is left of a wait may be a rounding error."""

Clock = Callable[[], float]
Later = Callable[[float, Callable[[], None]], object]
"""Does something after so many seconds."""


@dataclass(frozen=True)
class Rates:
    """What an endpoint allows; None: as much as it takes."""

    at_once: int | None = None
    per_minute: float | None = None
    tokens_per_minute: float | None = None

    def shared_by(self, workers: int) -> Rates:
        """The part of one of several processes that ask the same endpoint."""
        return Rates(
            at_once=None if self.at_once is None else max(1, self.at_once // workers),
            per_minute=None if self.per_minute is None else self.per_minute / workers,
            tokens_per_minute=None if self.tokens_per_minute is None else self.tokens_per_minute / workers,
        )


@dataclass
class _Bucket:
    """An allowance that refills. Who finds no debt may go; the debt it leaves, the next one waits for."""

    per_second: float
    clock: Clock
    level: float = field(init=False)
    seen: float = field(init=False)

    def __post_init__(self) -> None:
        self.level, self.seen = self.per_second * _BURST_SECONDS, self.clock()

    def wait(self) -> float:
        """How many seconds until there is no debt."""
        now = self.clock()
        self.add((now - self.seen) * self.per_second)
        self.seen = now
        return max(0.0, -self.level / self.per_second)

    def add(self, amount: float) -> None:
        """Put an amount in, or take a negative one out."""
        most, least = self.per_second * _BURST_SECONDS, -self.per_second * _DEBT_SECONDS
        self.level = max(least, min(most, self.level + amount))


def _on_the_loop(seconds: float, do: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_later(seconds, do)


class RateLimiter:
    """Lets calls through, in the order they come. One object for all consultations that share an endpoint.

    Calls at a time shrink by half when the server says 429, once per round of calls, and grow by one per round that
    goes well: the usual way to find what a shared server takes without being told.
    """

    def __init__(self, rates: Rates | None = None, *, clock: Clock = time.monotonic, later: Later = _on_the_loop):
        """Start as fast as allowed."""
        rates = rates or Rates()
        self._clock, self._later = clock, later
        self._most = float(rates.at_once) if rates.at_once is not None else float("inf")
        self._limit = self._most
        self._calls = _Bucket(rates.per_minute / 60, clock) if rates.per_minute else None
        self._tokens = _Bucket(rates.tokens_per_minute / 60, clock) if rates.tokens_per_minute else None
        self._in_flight = 0
        self._waiting: deque[tuple[int, asyncio.Future[float]]] = deque()
        self._looks_again = False
        self._not_before = self._shrunk_at = float("-inf")

    @property
    def at_once(self) -> float:
        """How many calls may be under way now."""
        return self._limit

    @property
    def counts_tokens(self) -> bool:
        """Whether it matters how many tokens a call has."""
        return self._tokens is not None

    def turn(self, tokens: int) -> asyncio.Future[float]:
        """When a call of about that many tokens may begin: now, or later. Who began one leaves when it is over."""
        turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((tokens, turn))
        self._admit()
        return turn

    def leave(self, began: float, status: int | None = None, pause: float | None = None) -> None:
        """A call that began then is over.

        Args:
            began: What its turn said.
            status: The HTTP status of the answer, where there was one: it tells how fast the server is.
            pause: How long a server that refused asks to be left alone.
        """
        self._in_flight -= 1
        if status == _TOO_MANY:
            self._refused(began, pause)
        elif status is not None and 200 <= status < 300 and self._limit < self._most:
            self._limit = min(self._most, self._limit + 1 / max(self._limit, 1.0))
        self._admit()

    def used(self, expected: int, used: int) -> None:
        """How many tokens a call had, of which so many were expected."""
        if self._tokens is not None:
            self._tokens.add(expected - used)

    def _admit(self) -> None:
        while self._waiting and self._in_flight < self._limit:
            if self._waiting[0][1].done():  # nobody waits for it any more
                self._waiting.popleft()
                continue
            pause = self._pause()
            if pause > _NO_TIME:
                self._look_again(pause)
                return
            tokens, turn = self._waiting.popleft()
            self._in_flight += 1
            turn.set_result(self._clock())
            for bucket, amount in ((self._calls, 1), (self._tokens, tokens)):
                if bucket is not None:
                    bucket.add(-amount)

    def _pause(self) -> float:
        waits = [bucket.wait() for bucket in (self._calls, self._tokens) if bucket is not None]
        return max([0.0, self._not_before - self._clock(), *waits])

    def _look_again(self, pause: float) -> None:
        if not self._looks_again:
            self._looks_again = True
            self._later(pause, self._looked)

    def _looked(self) -> None:
        self._looks_again = False
        self._admit()

    def _refused(self, began: float, pause: float | None) -> None:
        if pause is not None:
            self._not_before = max(self._not_before, self._clock() + min(pause, LONGEST_PAUSE))
        if began > self._shrunk_at:  # what was under way when the limit shrank says nothing about the new limit
            self._limit = max(1.0, min(self._limit, self._in_flight + 1) / 2)
            self._shrunk_at = self._clock()
            self._most = min(self._most, 1024.0)  # an open limit needs a top to grow back to


class RateLimitedClient(ClientWrapper):
    """A client whose calls wait for their turn; the time they have to answer begins after that."""

    def __init__(self, inner: ChatClient, limiter: RateLimiter) -> None:
        """Wrap the client that sends."""
        super().__init__(inner)
        self._limiter = limiter

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask when it is its turn."""
        limiter = self._limiter
        expected = estimated_tokens(request) if limiter.counts_tokens else 0
        turn = limiter.turn(expected)
        try:
            began = await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was let in and gave up at the same moment
                limiter.leave(turn.result())
            raise
        status, pause = None, None
        try:
            answer = await self.inner.complete(request)
            status = 200
        except BackboneError as error:
            status, pause = error.status, retry_after(error.retry_after)
            raise
        finally:
            limiter.leave(began, status, pause)
        if used := (answer.tokens_in or 0) + (answer.tokens_out or 0):
            limiter.used(expected, used)
        return answer
