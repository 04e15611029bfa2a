"""The limits of a consultation and of a run: tokens, cost and seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from osler.errors import RunStopped, UserError
from osler.models.completion import Completion
from osler.models.prices import prices
from osler.runs.events import ConsultationError, Ending
from osler.settings.names import Limits


class RunLimiter:
    """What the whole run may use, and has used so far.

    It stops at a limit, and can be resumed with a larger one.
    """

    def __init__(
        self, limits: Limits, tokens: int = 0, cost: float = 0.0, seconds: float = 0.0
    ) -> None:
        """Start from what was spent before."""
        self.limits = limits
        self.tokens = tokens
        self.cost = cost
        self._began = time.monotonic() - seconds

    @property
    def seconds(self) -> float:
        """How long it has been going, in earlier sessions too."""
        return time.monotonic() - self._began

    def used(self, answer: Completion) -> None:
        """Count an answer; what a server does not report cannot be counted."""
        self.tokens += (answer.tokens_in or 0) + (answer.tokens_out or 0)
        if self.limits.cost is not None:
            self.cost += answer.cost or 0.0

    def spend(self, tokens: int, cost: float) -> None:
        """Count what a judge used."""
        self.tokens += tokens
        if self.limits.cost is not None:
            self.cost += cost

    def reached(self) -> tuple[Ending, str] | None:
        """The limit that is reached, with a line that says so."""
        limits = self.limits
        seconds = self.seconds
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return (
                Ending.TOKEN_LIMIT,
                f"{amount_text('tokens', self.tokens, limits.tokens)} are used",
            )
        if limits.cost is not None and self.cost >= limits.cost:
            return Ending.COST_LIMIT, f"{amount_text('cost', self.cost, limits.cost)} are used"
        if limits.seconds is not None and seconds >= limits.seconds:
            return Ending.TIME_LIMIT, f"{amount_text('seconds', seconds, limits.seconds)} are used"
        return None

    def check(self) -> None:
        """Raise when a limit is reached."""
        reached = self.reached()
        if reached:
            raise RunStopped(reached[0].value, reached[1])


class ConsultationLimiter(RunLimiter):
    """What one consultation may use; it ends at a limit.

    Its memory thinks while the next question is asked and answered, and has an allowance of its
    own: what the one side uses in a turn counts for the other from the next turn on. So it decides
    nothing which of them is faster.
    """

    def __init__(self, limits: Limits, turn: Callable[[], int] = lambda: 0) -> None:
        """Start with nothing used; `turn` tells which turn it is."""
        super().__init__(limits)
        self._turn = turn
        self._now = turn()
        self.memory = MemoryLimiter(self)

    def check(self) -> None:
        """Raise when a limit is reached."""
        self.begin_turn()
        _end_at_limit(self)

    def begin_turn(self) -> None:
        """Count what both sides used in the last turn, if a new one has begun."""
        if self._turn() != self._now:
            self._now = self._turn()
            self.tokens, self.cost = self.memory.settle(self.tokens, self.cost)


class MemoryLimiter(RunLimiter):
    """What the memory of a consultation may use: the same limits."""

    def __init__(self, consultation: ConsultationLimiter) -> None:
        """Start with nothing used."""
        super().__init__(consultation.limits)
        self._consultation = consultation
        self._before = (0, 0.0)
        """Tokens and cost that were counted when the turn began."""

    def check(self) -> None:
        """Raise when a limit is reached."""
        self._consultation.begin_turn()
        _end_at_limit(self)

    def settle(self, tokens: int, cost: float) -> tuple[int, float]:
        """Add what the memory used in the turn that is over to what the others have used.

        Both go on from the sum.
        """
        before_tokens, before_cost = self._before
        self._before = (tokens + self.tokens - before_tokens, cost + self.cost - before_cost)
        self.tokens, self.cost = self._before
        return self._before


def _end_at_limit(limiter: RunLimiter) -> None:
    """End the consultation if a limit is reached."""
    reached = limiter.reached()
    if reached:
        ending, line = reached
        raise ConsultationError(ending, ending.value, f"the consultation's limit: {line}")


def amount_text(name: str, amount: float, limit: float | None = None) -> str:
    """Write an amount of `tokens`, `cost` or `seconds` with its unit, and any limit of it."""
    if name == "tokens":
        of = "" if limit is None else f" of {limit:,.0f}"
        return f"{amount:,.0f}{of} tokens"
    if name == "cost":
        of = "" if limit is None else f" of {_money(limit)}"
        return f"{_money(amount)}{of} USD"
    of = "" if limit is None else f" of {limit:g}"
    if amount >= 1 or amount == 0:
        return f"{amount:.0f}{of} seconds"
    return f"{amount:.1f}{of} seconds"


def _money(amount: float) -> str:
    """Write an amount of USD: two digits behind the point, of small amounts four."""
    if amount >= 1:
        return f"{amount:.2f}"
    if amount >= 0.001 or not amount:
        return f"{amount:.4f}".removesuffix("00")
    return f"{amount:.2g}"


def check_prices(limits: Limits, models: Iterable[str]) -> None:
    """Raise `UserError` for a limit in money if the price of a model is unknown.

    It would never be reached.
    """
    for model in models if limits.cost is not None else ():
        if model not in prices():
            raise UserError(
                f"a limit in USD cannot be kept: no price of {model} is known",
                "name a table with its price in OSLER_PRICES, or limit tokens instead",
            )
