"""How fast one endpoint may be asked: calls at a time, calls and tokens a minute, and less after a 429."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from osler.waiting import LONGEST_PAUSE, retry_after

_BURST_SECONDS = 1.0
"""How much of a minute's allowance may be used at once after a quiet time: servers count in short windows, too."""

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


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
    """An allowance that refills; a request larger than what is left waits until the debt is paid."""

    per_second: float
    clock: Clock
    level: float = field(init=False)
    seen: float = field(init=False)

    def __post_init__(self) -> None:
        self.level, self.seen = self.per_second * _BURST_SECONDS, self.clock()

    def take(self, amount: float) -> float:
        """Take an amount; how many seconds to wait before using it."""
        now = self.clock()
        self.level = min(self.per_second * _BURST_SECONDS, self.level + (now - self.seen) * self.per_second)
        self.seen = now
        before, self.level = self.level, self.level - amount
        return max(
            0.0, -before / self.per_second
        )  # who finds no debt may go; the debt it leaves, the next one waits for

    def correct(self, difference: float) -> None:
        """Give back what was taken too much, or take what was too little."""
        self.level = min(self.per_second * _BURST_SECONDS, self.level + difference)


class Pace:
    """Lets calls through, in the order they come. One object for all consultations that share an endpoint.

    Calls at a time shrink by half when the server says 429, once per round of calls, and grow by one per round that
    goes well: the usual way to find what a shared server takes without being told.
    """

    def __init__(self, rates: Rates | None = None, *, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep):
        """Start as fast as allowed."""
        rates = rates or Rates()
        self._clock, self._sleep = clock, sleep
        self._most = float(rates.at_once) if rates.at_once is not None else float("inf")
        self._limit = self._most
        self._calls = _Bucket(rates.per_minute / 60, clock) if rates.per_minute else None
        self._tokens = _Bucket(rates.tokens_per_minute / 60, clock) if rates.tokens_per_minute else None
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = self._shrunk_at = float("-inf")
        self.refusals = 0
        """How often the server said that it is asked too often."""

    @property
    def at_once(self) -> float:
        """How many calls may be under way now."""
        return self._limit

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[_Slot]:
        """Wait for a turn, for a request of about that many tokens."""
        await self._enter()
        began = self._clock()
        try:
            await self._due(tokens)
            began = self._clock()
            yield _Slot(self, began, tokens)
        finally:
            self._in_flight -= 1
            self._wake()

    async def _enter(self) -> None:
        if self._in_flight < self._limit and not self._waiting:
            self._in_flight += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was let in and left at the same moment
                self._in_flight -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiting and self._in_flight < self._limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

    async def _due(self, tokens: int) -> None:
        waits = [bucket.take(amount) for bucket, amount in ((self._calls, 1), (self._tokens, tokens)) if bucket]
        pause = max([0.0, self._not_before - self._clock(), *waits])
        while pause > 0:
            await self._sleep(pause)
            pause = self._not_before - self._clock()

    def went_well(self, expected: int, used: int | None) -> None:
        """A call was answered."""
        if self._tokens is not None and used is not None:
            self._tokens.correct(expected - used)
        if self._limit < self._most:
            self._limit = min(self._most, self._limit + 1 / max(self._limit, 1.0))
            self._wake()

    def too_many(self, began: float, asked: str | None) -> None:
        """The server refused a call that began then, and may have said for how long."""
        self.refusals += 1
        pause = retry_after(asked)
        if pause is not None:
            self._not_before = max(self._not_before, self._clock() + min(pause, LONGEST_PAUSE))
        if began > self._shrunk_at:  # what was under way when the limit shrank says nothing about the new limit
            self._limit = max(1.0, min(self._limit, self._in_flight) / 2)
            self._shrunk_at = self._clock()
            self._most = min(self._most, 1024.0)  # an open limit needs a top to grow back to


@dataclass(frozen=True)
class _Slot:
    """One call that was let through."""

    pace: Pace
    began: float
    tokens: int

    def went_well(self, used: int | None) -> None:
        self.pace.went_well(self.tokens, used)

    def too_many(self, asked: str | None) -> None:
        self.pace.too_many(self.began, asked)
