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

    def used(self, answer: Completion) -> None:
        """Count an answer; what a server does not report cannot be counted."""
        self.tokens += (answer.tokens_in or 0) + (answer.tokens_out or 0)
        if self.limits.cost is not None:
            self.cost += answer.cost or 0.0

    def reached(self) -> tuple[Ending, str] | None:
        """The limit that is reached, with a line that says so."""
        limits, seconds = self.limits, time.monotonic() - self._began
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return Ending.TOKEN_LIMIT, f"{self.tokens:,} of {limits.tokens:,} tokens are used"
        if limits.cost is not None and self.cost >= limits.cost:
            return Ending.COST_LIMIT, f"{self.cost:.2f} of {limits.cost:.2f} USD are used"
        if limits.seconds is not None and seconds >= limits.seconds:
            return Ending.TIME_LIMIT, f"{seconds:.0f} of {limits.seconds:g} seconds are used"
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


def check_prices(limits: Limits, models: Iterable[str]) -> None:
    """Raise `UserError` for a limit in money if the price of a model is unknown: it would never be reached."""
    for model in models if limits.cost is not None else ():
        if model not in prices():
            raise UserError(
                f"a limit in USD cannot be kept: no price of {model} is known",
                "name a table with its price in OSLER_PRICES, or limit tokens instead",
            )
