"""The disclosure curve: which share of the case is told by turn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from osler.eval.statistics import Figure

TURNS = (1, 5, 10, 20, 30, 40, 60)
"""The turns whose shares the table shows."""


@dataclass(frozen=True)
class DisclosureCurve:
    """The share of a record's entries that is told by turn, for each interview."""

    shares: Mapping[str, Sequence[float]]
    """By interview, one for each turn, the first being 1."""

    def at(self, turn: int) -> Figure:
        """The mean share by that turn; an interview that has ended stays where it was."""
        values = {}
        for interview, shares in self.shares.items():
            if shares:
                values[interview] = [shares[min(turn, len(shares)) - 1]]
        return Figure.of(values)

    @property
    def at_end(self) -> Figure:
        """The mean share at the end of the interviews."""
        return Figure.of({name: shares[-1:] for name, shares in self.shares.items()})

    @property
    def longest(self) -> int:
        """Turns of the longest interview."""
        return max((len(shares) for shares in self.shares.values()), default=0)


def shares_told(told_by_turn: Sequence[Collection[str]], entries: int) -> list[float]:
    """The share of the entries that is told by each turn, from what each reply tells of."""
    told: set[str] = set()
    shares = []
    for names in told_by_turn:
        told.update(names)
        shares.append(len(told) / entries)
    return shares
