"""The dialogue so far as text, as much of it as fits the budget; the oldest turns are dropped first."""

from __future__ import annotations

from typing import Any

from osler.memory.base import Change, MemorySettings, Recall, Turn, tokens
from osler.memory.recall_text import day_text, dialogue_text, exchange_text


class RawMemory:
    """Every turn, word for word."""

    name = "raw"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._turns: list[Turn] = []
        self._lines: list[str] = []
        """Each turn as text."""

    async def remember(self, turn: Turn) -> Change:
        """Append the turn."""
        return Change(inserted=(self._keep(turn),))

    async def recall(self, query: str) -> Recall:
        """The newest turns that fit, in their order; the query does not matter."""
        first, left, day = len(self._turns), self._settings.budget, ""
        while first:
            turn = self._turns[first - 1]
            today = day_text(turn.at, self._settings.language) if turn.at else ""
            left -= tokens(self._lines[first - 1]) + (tokens(today) if today != day else 0)
            if left < 0:
                break
            first, day = first - 1, today
        told = zip(self._turns[first:], self._lines[first:], strict=True)
        return Recall(
            text=dialogue_text(told, self._settings.language),
            exchanges=tuple(self._turns[first:]),
            dropped=tuple(turn.number for turn in self._turns[:first]),
        )

    def snapshot(self) -> dict[str, Any]:
        """All turns."""
        return {"turns": [turn.model_dump(mode="json") for turn in self._turns]}

    def restore(self, state: dict[str, Any]) -> None:
        """Exactly these turns."""
        self._turns, self._lines = [], []
        for turn in state["turns"]:
            self._keep(Turn.model_validate(turn))

    def _keep(self, turn: Turn) -> str:
        """Take in a turn and return it as text."""
        line = exchange_text(turn, self._settings.language, self._settings.speaker)
        self._turns.append(turn)
        self._lines.append(line)
        return line
