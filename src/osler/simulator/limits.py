"""What may still be used: by one consultation, and by the run."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from osler.errors import RunStopped, UserError
from osler.models.prices import cost, prices
from osler.runs.events import ConsultationError, Ending
from osler.runs.plan import Limits

if TYPE_CHECKING:
    from osler.models.completion import Completion


class Spent:
    """Tokens and cost so far, and when it began."""

    def __init__(self, limits: Limits, tokens: int = 0, cost: float = 0.0, seconds: float = 0.0) -> None:
        """Start from what was spent before."""
        self.limits, self.tokens, self.cost = limits, tokens, cost
        self._began = time.monotonic() - seconds

    @property
    def seconds(self) -> float:
        """How long it has been going."""
        return time.monotonic() - self._began

    def used(self, answer: Completion) -> None:
        """Count an answer; what a server does not tell cannot be counted."""
        price = _cost(answer) if self.limits.cost is not None else 0.0
        self.add((answer.tokens_in or 0) + (answer.tokens_out or 0), price)

    def add(self, tokens: int, cost: float) -> None:
        """Count tokens and their price."""
        self.tokens += tokens
        self.cost += cost

    def reached(self) -> tuple[Ending, str] | None:
        """The limit that is used up, with a line to tell."""
        limits = self.limits
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return Ending.TOKEN_LIMIT, f"{self.tokens:,} of {limits.tokens:,} tokens are used"
        if limits.cost is not None and self.cost >= limits.cost:
            return Ending.COST_LIMIT, f"{self.cost:.2f} of {limits.cost:.2f} USD are used"
        if limits.seconds is not None and self.seconds >= limits.seconds:
            return Ending.TIME_LIMIT, f"{self.seconds:.0f} of {limits.seconds:g} seconds are used"
        return None


class ConsultationLimiter(Spent):
    """Of one consultation: it ends when it is used up."""

    def check(self) -> None:
        """Raise when a limit is reached."""
        if reached := self.reached():
            ending, line = reached
            raise ConsultationError(ending, ending.value, f"the consultation's limit: {line}")


class RunLimiter(Spent):
    """Of the whole run: it stops in order when it is used up, and can go on with more."""

    def check(self) -> None:
        """Raise when a limit is reached."""
        if reached := self.reached():
            ending, line = reached
            raise RunStopped(ending.value, line)


def _cost(answer: Completion) -> float:
    return cost(answer.model, answer.tokens_in, answer.tokens_out, answer.tokens_cached) or 0.0


def check_prices(limits: Limits, models: Iterable[str]) -> None:
    """Refuse a limit in money for models whose price is unknown: it would never be reached.

    Raises:
        UserError: No price of a model is known.
    """
    for model in models if limits.cost is not None else ():
        if model not in prices():
            raise UserError(
                f"a limit in USD cannot be kept: no price of {model} is known",
                "name a table with its price in OSLER_PRICES, or limit tokens instead",
            )
