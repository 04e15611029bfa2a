"""The dialogue so far as text: as much of it as fits the budget, or all of it."""

from __future__ import annotations

from itertools import takewhile

from osler.memory.base import Query, Recall
from osler.memory.core.turn_memory import TurnMemory


class RawMemory(TurnMemory):
    """Every turn, word for word; where the budget is full, the oldest are left out."""

    name = "raw"

    async def recall(self, query: Query) -> Recall:
        """The newest turns that fit, in their order, whatever the text of the query."""
        newest = [number for number in reversed(self._turns) if number != query.beside]
        fitting = {*self.fitting(newest, self._settings.budget)}
        shown = [*takewhile(fitting.__contains__, newest)]
        return self.told(reversed(shown), query.beside)


class FullMemory(TurnMemory):
    """Every turn, word for word, whatever the budget.

    What a memory can be compared with, and the most tokens.
    """

    name = "full"

    async def recall(self, query: Query) -> Recall:
        """All turns, in their order, whatever the text of the query and the budget."""
        return self.told((number for number in self._turns if number != query.beside), query.beside)
