"""The limits of a consultation and of a run: tokens, cost and seconds."""

from __future__ import annotations

import time
from collections.abc import Iterable

from osler.errors import RunStopped, UserError
from osler.models.completion import Completion
from osler.models.prices import prices
from osler.runs.events import ConsultationError, Ending
from osler.runs.plan import Limits


class RunLimiter:
    """What the whole run may use, and has used so far; it stops at a limit, and can be resumed with a larger one."""

    def __init__(self, limits: Limits, tokens: int = 0, cost: float = 0.0, seconds: float = 0.0) -> None:
        """Start from what was spent before."""
        self.limits, self.tokens, self.cost = limits, tokens, cost
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

    def reached(self) -> tuple[Ending, str] | None:
        """The limit that is reached, with a line that says so."""
        limits, seconds = self.limits, self.seconds
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return Ending.TOKEN_LIMIT, f"{amount_text('tokens', self.tokens, limits.tokens)} are used"
        if limits.cost is not None and self.cost >= limits.cost:
            return Ending.COST_LIMIT, f"{amount_text('cost', self.cost, limits.cost)} are used"
        if limits.seconds is not None and seconds >= limits.seconds:
            return Ending.TIME_LIMIT, f"{amount_text('seconds', seconds, limits.seconds)} are used"
        return None

    def check(self) -> None:
        """Raise when a limit is reached."""
        if reached := self.reached():
            raise RunStopped(reached[0].value, reached[1])


class ConsultationLimiter(RunLimiter):
    """What one consultation may use; it ends at a limit."""

    def check(self) -> None:
        """Raise when a limit is reached."""
        if reached := self.reached():
            ending, line = reached
            raise ConsultationError(ending, ending.value, f"the consultation's limit: {line}")


def amount_text(name: str, amount: float, limit: float | None = None) -> str:
    """Write an amount of `tokens`, `cost` or `seconds` with its unit, or how much of a limit it is."""
    if name == "tokens":
        of = "" if limit is None else f" of {limit:,.0f}"
        return f"{amount:,.0f}{of} tokens"
    if name == "cost":
        digits = 2 if max(amount, limit or 0.0) >= 1 else 4
        of = "" if limit is None else f" of {limit:.{digits}f}"
        return f"{amount:.{digits}f}{of} USD"
    of = "" if limit is None else f" of {limit:g}"
    return f"{amount:.0f}{of} seconds" if amount >= 1 or amount == 0 else f"{amount:.1f}{of} seconds"


def check_prices(limits: Limits, models: Iterable[str]) -> None:
    """Raise `UserError` for a limit in money if the price of a model is unknown: it would never be reached."""
    for model in models if limits.cost is not None else ():
        if model not in prices():
            raise UserError(
                f"a limit in USD cannot be kept: no price of {model} is known",
                "name a table with its price in OSLER_PRICES, or limit tokens instead",
            )
