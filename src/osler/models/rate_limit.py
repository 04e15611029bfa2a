"""The rate limit of one endpoint: calls at a time, calls and tokens a minute, less after a 429."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from osler.errors import RunStopped
from osler.models.chat import ChatRequest, ClientWrapper
from osler.models.completion import Completion, check_usable
from osler.models.errors import BackboneError
from osler.models.retry import LONGEST_PAUSE, RetryPolicy

_BURST_SECONDS = 1.0
"""Seconds of allowance that may be used at once after a quiet time.

Servers count in short windows, too."""
_DEBT_SECONDS = 60.0
"""Never wait longer than this. Per-minute limits reset after a minute."""
_NO_TIME = 1e-6
"""Seconds that are not worth waiting for; what is left of a wait may be a rounding error."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Rates:
    """What an endpoint allows; None means no limit."""

    at_once: int | None = None
    per_minute: float | None = None
    tokens_per_minute: float | None = None

    def shared_by(self, workers: int) -> Rates:
        """Return the share of one of several processes that use the same endpoint."""
        at_once = self.at_once
        per_minute = self.per_minute
        tokens = self.tokens_per_minute
        return Rates(
            at_once=None if at_once is None else max(1, at_once // workers),
            per_minute=None if per_minute is None else per_minute / workers,
            tokens_per_minute=None if tokens is None else tokens / workers,
        )


@dataclass
class _Allowance:
    """Token bucket that may go negative: later calls wait until it is repaid."""

    per_second: float
    clock: Clock
    used_until: float = float("-inf")
    """The time by which all that was used is allowed."""

    def wait(self) -> float:
        """Return the seconds until the balance is not negative."""
        return self.used_until - self.clock()

    def use(self, amount: float) -> None:
        """Use an amount, or give back a negative one."""
        now = self.clock()
        used = max(self.used_until, now - _BURST_SECONDS) + amount / self.per_second
        self.used_until = min(used, now + _DEBT_SECONDS)


class RateLimiter:
    """Lets calls through in the order they come; all consultations at an endpoint share it.

    Calls at a time shrink by half when the server says 429, once per round of calls, and grow by
    one per round that goes well: the usual way to find what a shared server allows without being
    told.
    """

    def __init__(
        self,
        rates: Rates | None = None,
        *,
        clock: Clock = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Start as fast as allowed."""
        rates = rates or Rates()
        self._clock = clock
        self._sleep = sleep
        self._most = float(rates.at_once) if rates.at_once is not None else float("inf")
        self.at_once = self._most
        """How many calls may be under way now."""
        self._calls = _allowance(rates.per_minute, clock)
        self._tokens = _allowance(rates.tokens_per_minute, clock)
        self._in_flight = 0
        self._queue = asyncio.Lock()
        self._left = asyncio.Event()
        self._not_before = float("-inf")
        self._shrunk_at = float("-inf")

    async def enter(self, request: ChatRequest) -> float:
        """Wait until the call may begin and return when that was; `leave` when it is over."""
        async with self._queue:  # one after the other, in the order they came
            while True:
                if self._in_flight >= self.at_once:
                    self._left.clear()
                    await self._left.wait()
                elif (pause := self._pause()) > _NO_TIME:
                    await self._sleep(pause)
                else:
                    break
            self._in_flight += 1
            if self._calls is not None:
                self._calls.use(1)
            if self._tokens is not None:
                self._tokens.use(request.estimated_tokens())
            return self._clock()

    def leave(self, began: float, status: int | None = None, pause: float | None = None) -> None:
        """End a call; its HTTP status and `Retry-After` say how fast the server is."""
        self._in_flight -= 1
        if status == 429:
            self._refused(began, pause)
        elif status is not None and 200 <= status < 300 and self.at_once < self._most:
            self.at_once = min(self._most, self.at_once + 1 / max(self.at_once, 1.0))
        self._left.set()

    def used(self, request: ChatRequest, tokens: int) -> None:
        """Correct the estimate of a request by the number of tokens that it had."""
        if self._tokens is not None:
            self._tokens.use(tokens - request.estimated_tokens())

    def _pause(self) -> float:
        waits = [0.0, self._not_before - self._clock()]
        for allowance in (self._calls, self._tokens):
            if allowance is not None:
                waits.append(allowance.wait())
        return max(waits)

    def _refused(self, began: float, pause: float | None) -> None:
        if pause is not None:
            self._not_before = max(self._not_before, self._clock() + min(pause, LONGEST_PAUSE))
        # What was under way when the limit shrank says nothing about the new limit.
        if began > self._shrunk_at:
            self.at_once = max(1.0, min(self.at_once, self._in_flight + 1) / 2)
            self._shrunk_at = self._clock()
            self._most = min(self._most, 1024.0)  # an open limit needs a top to grow back to


def _allowance(per_minute: float | None, clock: Clock) -> _Allowance | None:
    if per_minute:
        return _Allowance(per_minute / 60, clock)
    return None


@dataclass
class InFlight:
    """Counts the requests of all backbones in this process; lets none go once a run is to stop.

    A request that was sent is paid for, so a run that stops waits for its answer; a request that
    was not sent costs nothing.
    """

    count: int = 0
    _stopped: RunStopped | None = None

    def stop(self, reason: RunStopped) -> None:
        """Send no more requests."""
        self._stopped = self._stopped or reason

    def check(self) -> None:
        """Raise `RunStopped` when no more requests may be sent."""
        if self._stopped is not None:
            raise RunStopped(self._stopped.kind, self._stopped.message)


@dataclass(eq=False)
class EndpointClient(ClientWrapper):
    """A client under the rate limit and the retry policy of its endpoint.

    Calls wait for their turn; the time they have to answer begins after that.
    """

    limiter: RateLimiter
    requests: InFlight
    policy: RetryPolicy

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask until there is an answer or no more attempt, unless the run is to stop."""
        answer, attempts = await self.policy.run(lambda: self._attempt(request))
        if attempts == 1:
            return answer
        return answer.model_copy(update={"attempts": attempts})

    async def _attempt(self, request: ChatRequest) -> Completion:
        began = await self.limiter.enter(request)
        status: int | None = None
        pause: float | None = None
        self.requests.count += 1
        try:
            self.requests.check()
            answer = check_usable(await self.inner.complete(request), self.where)
            status = 200
        except BackboneError as error:
            status = error.status
            pause = error.retry_after
            raise
        finally:
            self.requests.count -= 1
            self.limiter.leave(began, status, pause)
        tokens = (answer.tokens_in or 0) + (answer.tokens_out or 0)
        if tokens:
            self.limiter.used(request, tokens)
        return answer
