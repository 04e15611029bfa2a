"""Admit consultations to a run that has limits, so that those it has begun can end within them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from osler.errors import RunStopped
from osler.runs.events import Ending
from osler.runs.plan import Column
from osler.runs.store import ColumnSpending, Spending
from osler.simulator.limits import RunLimiter, amount_text

_SPREAD = 0.5
"""How much consultations of a column are assumed to differ, as a share of their mean, while few
have ended."""
_OTHER_COLUMN = 2.0
"""A column of which no consultation has ended is assumed to use at most this many times as much as
the dearest column that is known."""
_LEAST_LEFT = 0.25
"""The least that a consultation under way is assumed to still use, as a share of the estimate."""
_MARGIN = 1.1
"""The limit that is proposed for the rest of a run is this many times the estimate."""
_LIMITED = {
    Ending.TOKEN_LIMIT.value: "tokens",
    Ending.COST_LIMIT.value: "cost",
    Ending.TIME_LIMIT.value: "seconds",
}
"""What each limit is of."""


@dataclass
class _Seen:
    """Amounts that the ended consultations of one column used."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, amount: float) -> None:
        self.count += 1
        self.total += amount
        self.squares += amount * amount

    @property
    def mean(self) -> float:
        return self.total / self.count

    @property
    def high(self) -> float:
        """One standard deviation above the mean. While few have ended, a wide one is assumed."""
        variance = max(0.0, self.squares / self.count - self.mean**2)
        assumed = (_SPREAD * self.mean) ** 2 / self.count
        return self.mean + math.sqrt(variance + assumed)


class _Estimate:
    """How much a consultation will use, learned from those of the run that have ended."""

    def __init__(self) -> None:
        self.seen: dict[Column, _Seen] = {}

    def add(self, column: Column, amount: float, *, answered: bool) -> None:
        """Learn from a consultation that has ended; one that failed does not lower the estimate."""
        seen = self.seen.setdefault(column, _Seen())
        if not answered and seen.count:
            amount = max(amount, seen.mean)
        seen.add(amount)

    def mean(self, column: Column) -> float | None:
        """Return what is likely; None if nothing can be said yet."""
        if column in self.seen:
            return self.seen[column].mean
        return max((seen.mean for seen in self._dear_columns()), default=None)

    def high(self, column: Column) -> float | None:
        """Return what is seldom exceeded; None if nothing can be said yet."""
        if column in self.seen:
            return self.seen[column].high
        return max((_OTHER_COLUMN * seen.high for seen in self._dear_columns()), default=None)

    def _dear_columns(self) -> list[_Seen]:
        """The columns that other columns are estimated by.

        Columns of rules are not among them, since they use nothing.
        """
        return [seen for seen in self.seen.values() if seen.total]


@dataclass
class _UnderWay:
    """A consultation under way."""

    column: Column
    used: Spending
    """So far, also in earlier sessions."""
    began: float


class Admission:
    """Decides whether one more consultation may begin, by what the run may still use.

    Of tokens and money, it sets aside what the consultations under way may still use. While it
    knows nothing of what a consultation uses, it admits one at a time. Seconds are not set aside,
    because they pass for all at once: it is enough that one more consultation can end in time.
    """

    def __init__(self, limiter: RunLimiter, ended: list[ColumnSpending]) -> None:
        """Learn from the consultations of the run that ended in earlier sessions."""
        self._limiter = limiter
        self._under_way: dict[int, _UnderWay] = {}
        self._estimates = {name: _Estimate() for name in _LIMITED.values()}
        for spending in ended:
            for name, sums in spending.sums.items():
                seen = _Seen(spending.count, sums.total, sums.squares)
                self._estimates[name].seen[spending.column] = seen

    def begin(self, number: int, column: Column, used: Spending) -> None:
        """Count a consultation as under way; it may have used something in earlier sessions."""
        self._under_way[number] = _UnderWay(column, used, self._limiter.seconds)

    def used(self, number: int, tokens: int, cost: float) -> None:
        """Count what was spent on an answer of a consultation under way."""
        consultation = self._under_way.get(number)
        if consultation is not None:
            used = consultation.used
            consultation.used = Spending(used.tokens + tokens, used.cost + cost)

    def interrupt(self, number: int) -> None:
        """Count a consultation as no longer under way."""
        self._under_way.pop(number, None)

    def end(self, number: int, *, answered: bool) -> None:
        """Learn from a consultation that has ended."""
        consultation = self._under_way.pop(number, None)
        if consultation is None:
            return
        seconds = self._limiter.seconds - consultation.began
        for name, amount in {**consultation.used._asdict(), "seconds": seconds}.items():
            self._estimates[name].add(consultation.column, amount, answered=answered)

    def refusal(self, column: Column, used: Spending) -> RunStopped | None:
        """Return why a consultation may not begin; None if it may.

        Args:
            column: Of the consultation.
            used: What it has used in earlier sessions.
        """
        limits = self._limiter.limits
        limiter = self._limiter
        checks = (
            (Ending.TOKEN_LIMIT, limits.tokens, limiter.tokens, used.tokens),
            (Ending.COST_LIMIT, limits.cost, limiter.cost, used.cost),
        )
        for ending, limit, spent, before in checks:
            if limit is None:
                continue
            needed = self._needed(_LIMITED[ending], column, before)
            if spent + self._set_aside(_LIMITED[ending]) + needed > limit:
                return _stop(ending, spent, limit, needed)
        return self._refusal_by_time(column)

    def _needed(self, name: str, column: Column, before: float) -> float:
        """Return what a consultation will use.

        What is likely if it is the only one, or else more.
        """
        estimate = self._estimates[name]
        if not self._under_way:
            return _still_to_use(estimate.mean(column) or 0.0, before)
        high = estimate.high(column)
        if high is None:
            return math.inf
        return _still_to_use(high, before)

    def _set_aside(self, name: str) -> float:
        """Return what the consultations under way may still use."""
        total = 0.0
        for consultation in self._under_way.values():
            high = self._estimates[name].high(consultation.column)
            if high is None:
                return math.inf
            total += _still_to_use(high, getattr(consultation.used, name))
        return total

    def _refusal_by_time(self, column: Column) -> RunStopped | None:
        limit = self._limiter.limits.seconds
        seconds = self._limiter.seconds
        high = self._estimates["seconds"].high(column) or 0.0
        if limit is None or seconds + high <= limit:
            return None
        return _stop(Ending.TIME_LIMIT, seconds, limit, high)

    def enough(self, kind: str, left: list[ColumnSpending]) -> str | None:
        """Return a limit of this kind that will do for the rest of the run.

        It is None if none can be named.

        Args:
            kind: The ending that the limit is of.
            left: What the consultations that have not ended have used so far.
        """
        name = _LIMITED.get(kind)
        if name is None:
            return None
        needed = self._seconds_for(left) if name == "seconds" else self._spending_for(name, left)
        if needed is None:
            return None
        return amount_text(name, _rounded_up(_MARGIN * needed))

    def _spending_for(self, name: str, left: list[ColumnSpending]) -> float | None:
        total = float(getattr(self._limiter, name))
        for spending in left:
            mean = self._estimates[name].mean(spending.column)
            if mean is None:
                return None
            total += max(spending.count * mean - spending.sums[name].total, 0.0)
        return total

    def _seconds_for(self, left: list[ColumnSpending]) -> float | None:
        """Estimate that the rest goes on as fast as the run did so far, several at a time."""
        ended = sum(seen.count for seen in self._estimates["seconds"].seen.values())
        if not ended:
            return None
        return self._limiter.seconds * (1 + sum(spending.count for spending in left) / ended)


def _stop(ending: Ending, spent: float, limit: float, needed: float) -> RunStopped:
    name = _LIMITED[ending]
    used = f"{amount_text(name, spent, limit)} are used"
    return RunStopped(
        ending.value, f"{used}, and one more consultation takes about {amount_text(name, needed)}"
    )


def _still_to_use(estimate: float, used: float) -> float:
    """What a consultation may still use.

    One that has used all of its estimate may not be at its end.
    """
    return max(estimate - used, _LEAST_LEFT * estimate)


def _rounded_up(amount: float) -> float:
    """The amount, rounded up to two digits."""
    if amount <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(amount)) - 1)
    return math.ceil(amount / step) * step
