"""The dialogue so far as text: as much of it as fits the budget, or all of it."""

from __future__ import annotations

from itertools import takewhile

from osler.memory.base import Recall
from osler.memory.turn_memory import TurnMemory


class RawMemory(TurnMemory):
    """Every turn, word for word; where the budget is full, the oldest are left out."""

    name = "raw"

    async def recall(self, query: str) -> Recall:
        """The newest turns that fit, in their order; the query does not matter."""
        newest = list(reversed(self._turns))
        fitting = {*self.fitting(newest, self._settings.budget)}
        return self.told([*takewhile(fitting.__contains__, newest)][::-1])


class FullMemory(TurnMemory):
    """Every turn, word for word, whatever the budget: what a memory can be compared with, and the most tokens."""

    name = "full"

    async def recall(self, query: str) -> Recall:
        """All turns, in their order; neither the query nor the budget matters."""
        return self.told(self._turns)
