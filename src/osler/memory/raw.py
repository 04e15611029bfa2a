"""The dialogue so far as text: as much of it as fits the budget, or all of it."""

from __future__ import annotations

from osler.memory.base import Recall, tokens
from osler.memory.recall_text import day_text
from osler.memory.turn_memory import TurnMemory


class RawMemory(TurnMemory):
    """Every turn, word for word; where the budget is full, the oldest are left out."""

    name = "raw"

    async def recall(self, query: str) -> Recall:
        """The newest turns that fit, in their order; the query does not matter."""
        numbers = list(self._turns)
        first, left, day = len(numbers), self._settings.budget, ""
        while first:
            turn = self._turns[numbers[first - 1]]
            today = day_text(turn.at, self._language) if turn.at else ""
            left -= tokens(self._lines[turn.number]) + (tokens(today) if today != day else 0)
            if left < 0:
                break
            first, day = first - 1, today
        return self.told(numbers[first:])


class FullMemory(TurnMemory):
    """Every turn, word for word, whatever the budget: what a memory can be compared with, and the most tokens."""

    name = "full"

    async def recall(self, query: str) -> Recall:
        """All turns, in their order; neither the query nor the budget matters."""
        return self.told(self._turns)
