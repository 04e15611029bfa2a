"""The dialogue so far as text, as much of it as the budget holds; the oldest falls out first."""

from __future__ import annotations

from typing import Any

from osler.memory.base import Change, Item, MemorySettings, Recall, Turn, tokens
from osler.memory.exchange import exchange


class RawMemory:
    """Every turn, word for word."""

    name = "raw"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._turns: list[Turn] = []
        self._told: list[tuple[Item, int]] = []
        """Each turn as it is recalled, and its tokens."""

    async def remember(self, turn: Turn) -> Change:
        """Append the turn."""
        return Change(inserted=(self._keep(turn),))

    async def recall(self, query: str) -> Recall:
        """The newest turns that fit, in their order; the query does not matter."""
        kept: list[Item] = []
        left = self._settings.budget
        for item, size in reversed(self._told):
            left -= size
            if left < 0:
                break
            kept.append(item)
        kept.reverse()
        dropped = tuple(turn.number for turn in self._turns[: len(self._turns) - len(kept)])
        return Recall(text="\n".join(item.text for item in kept), items=tuple(kept), dropped=dropped)

    def snapshot(self) -> dict[str, Any]:
        """All turns."""
        return {"turns": [turn.model_dump() for turn in self._turns]}

    def restore(self, state: dict[str, Any]) -> None:
        """Exactly these turns."""
        self._turns, self._told = [], []
        for turn in state["turns"]:
            self._keep(Turn.model_validate(turn))

    def _keep(self, turn: Turn) -> str:
        """Take in a turn and return it as text."""
        line = exchange(turn, self._settings.language)
        self._turns.append(turn)
        self._told.append((Item(text=line, turn=turn.number), tokens(line)))
        return line
