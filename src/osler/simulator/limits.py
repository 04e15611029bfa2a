"""What may still be used: by one consultation, and by the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from osler.errors import RunStopped, UserError
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
        price = (answer.cost or 0.0) if self.limits.cost is not None else 0.0
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


def check_prices(limits: Limits, models: dict[str, str], known: Callable[[str], bool]) -> None:
    """Refuse a limit in money where a price is unknown: it would never be reached.

    Args:
        limits: Of the run, or of a consultation.
        models: The model's name by its spec.
        known: Whether the price table knows a model.
    """
    if limits.cost is None:
        return
    for model in models.values():
        if not known(model):
            raise UserError(
                f"a limit in USD cannot be kept: no price of {model} is known",
                "name a table with its price in OSLER_PRICES, or limit tokens instead",
            )
