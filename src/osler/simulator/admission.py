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
"""What consultations of a column are taken to differ by, as a share of their mean, before many have ended."""
_OTHER_COLUMN = 2.0
"""A column that no consultation of has ended is taken to use as many times what the dearest known one does."""
_LEAST_LEFT = 0.25
"""What a consultation under way is taken to still use, at least, as a share of the estimate."""
_LIMITED = {
    Ending.TOKEN_LIMIT.value: "tokens",
    Ending.COST_LIMIT.value: "cost",
    Ending.TIME_LIMIT.value: "seconds",
}
"""What each limit is of."""
_MARGIN = 1.1
"""On top of the estimate in the limit that is proposed for the rest of a run."""


@dataclass
class _Seen:
    """What the ended consultations of one column used, of one kind."""

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
        """One standard deviation above the mean; of few consultations it is not known, and a wide one is assumed."""
        variance = max(0.0, self.squares / self.count - self.mean**2)
        assumed = (_SPREAD * self.mean) ** 2 / self.count
        return self.mean + math.sqrt(variance + assumed)


class _Estimate:
    """What a consultation will use, of one kind, learned from those of the run that have ended."""

    def __init__(self) -> None:
        self.seen: dict[Column, _Seen] = {}

    def add(self, column: Column, amount: float, *, answered: bool) -> None:
        """Learn from a consultation that has ended; one that failed early does not lower the estimate."""
        seen = self.seen.setdefault(column, _Seen())
        if not answered and seen.count:
            amount = max(amount, seen.mean)
        seen.add(amount)

    def mean(self, column: Column) -> float | None:
        """Return what is likely; None if nothing is known yet."""
        own = self.seen.get(column)
        return own.mean if own else max((one.mean for one in self._others), default=None)

    def high(self, column: Column) -> float | None:
        """Return what is hardly exceeded; None if nothing is known yet."""
        own = self.seen.get(column)
        if own:
            return own.high
        return max((_OTHER_COLUMN * one.high for one in self._others), default=None)

    @property
    def _others(self) -> list[_Seen]:
        """The columns that say something about another one: a column of rules, which uses nothing, does not."""
        return [one for one in self.seen.values() if one.total]


@dataclass
class _UnderWay:
    """A consultation under way, and what it has used so far, in earlier sessions too."""

    column: Column
    used: Spending
    began: float


class Admission:
    """Says whether one more consultation may begin, from what the run may still use.

    Of tokens and money, what those under way may still use is set aside for them. While nothing is known of what a
    consultation uses, one is held at a time. Seconds pass for all at once: it is enough that one more can end in time.
    """

    def __init__(self, limiter: RunLimiter, ended: list[ColumnSpending]) -> None:
        """Learn from the consultations of the run that have ended in earlier sessions."""
        self._limiter = limiter
        self._under_way: dict[int, _UnderWay] = {}
        self._estimates = {name: _Estimate() for name in ("tokens", "cost", "seconds")}
        for one in ended:
            for name, sums in one.sums.items():
                self._estimates[name].seen[one.column] = _Seen(one.count, sums.total, sums.squares)

    def begin(self, number: int, column: Column, used: Spending) -> None:
        """Count a consultation as under way; it may have used something before it was interrupted."""
        self._under_way[number] = _UnderWay(column, used, self._limiter.seconds)

    def used(self, number: int, tokens: int, cost: float) -> None:
        """Count what was spent on an answer of a consultation under way."""
        if (one := self._under_way.get(number)) is not None:
            one.used = Spending(one.used.tokens + tokens, one.used.cost + cost)

    def interrupt(self, number: int) -> None:
        """Count a consultation as no longer under way."""
        self._under_way.pop(number, None)

    def end(self, number: int, *, answered: bool) -> None:
        """Learn from a consultation that has ended."""
        if (one := self._under_way.pop(number, None)) is not None:
            seconds = self._limiter.seconds - one.began
            amounts = {"tokens": one.used.tokens, "cost": one.used.cost, "seconds": seconds}
            for name, amount in amounts.items():
                self._estimates[name].add(one.column, amount, answered=answered)

    def refusal(self, column: Column, used: Spending) -> RunStopped | None:
        """Return why a consultation of this column, which has used that much before, may not begin; None if it may."""
        limits = self._limiter.limits
        checks = (
            (Ending.TOKEN_LIMIT, "tokens", limits.tokens, self._limiter.tokens, used.tokens),
            (Ending.COST_LIMIT, "cost", limits.cost, self._limiter.cost, used.cost),
        )
        for ending, name, limit, spent, before in checks:
            if limit is None:
                continue
            needed = self._needed(name, column, before)
            if spent + self._set_aside(name) + needed > limit:
                return self._stop(ending, name, spent, limit, needed)
        return self._too_late(column)

    def _needed(self, name: str, column: Column, before: float) -> float:
        """Return what a new consultation will use: with nothing else under way what is likely, or else more."""
        estimate = self._estimates[name]
        if not self._under_way:
            return _left(estimate.mean(column) or 0.0, before)
        high = estimate.high(column)
        return math.inf if high is None else _left(high, before)

    def _set_aside(self, name: str) -> float:
        """Return what those under way may still use."""
        left = 0.0
        for one in self._under_way.values():
            high = self._estimates[name].high(one.column)
            if high is None:
                return math.inf
            left += _left(high, getattr(one.used, name))
        return left

    def _too_late(self, column: Column) -> RunStopped | None:
        limit, seconds = self._limiter.limits.seconds, self._limiter.seconds
        high = self._estimates["seconds"].high(column) or 0.0
        if limit is None or seconds + high <= limit:
            return None
        return self._stop(Ending.TIME_LIMIT, "seconds", seconds, limit, high)

    def _stop(self, ending: Ending, name: str, spent: float, limit: float, needed: float) -> RunStopped:
        used = f"{amount_text(name, spent, limit)} are used"
        return RunStopped(ending.value, f"{used}, and one more consultation takes about {amount_text(name, needed)}")

    def enough(self, ending: str, left: list[ColumnSpending]) -> str | None:
        """Return how large the limit must be about for the rest of the run; None if nothing is known of it."""
        name = _LIMITED.get(ending)
        needed = self._seconds_for(left) if name == "seconds" else self._spending_for(name, left) if name else None
        return None if name is None or needed is None else amount_text(name, _rounded_up(_MARGIN * needed))

    def _spending_for(self, name: str, left: list[ColumnSpending]) -> float | None:
        needed = float(getattr(self._limiter, name))
        for one in left:
            mean = self._estimates[name].mean(one.column)
            if mean is None:
                return None
            needed += max(one.count * mean - one.sums[name].total, 0.0)
        return needed

    def _seconds_for(self, left: list[ColumnSpending]) -> float | None:
        """As long as those that have ended took all together, side by side as they were."""
        ended = sum(one.count for one in self._estimates["seconds"].seen.values())
        return self._limiter.seconds * (1 + sum(one.count for one in left) / ended) if ended else None


def _left(estimate: float, used: float) -> float:
    """What a consultation may still use; one that has used as much as was estimated is not at its end for that."""
    return max(estimate - used, _LEAST_LEFT * estimate)


def _rounded_up(amount: float) -> float:
    """The amount with two digits."""
    if amount <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(amount)) - 1)
    return math.ceil(amount / step) * step
