"""The dialogue so far as text, as much of it as fits the budget; the oldest turns are dropped first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from osler.memory.base import Change, MemorySettings, Recall, Turn, tokens
from osler.memory.items import MemoryItem, turn_item, turn_key
from osler.memory.recall_text import day_text, dialogue_text, exchange_text
from osler.memory.tim.bm25 import Bm25


class RawMemory:
    """Every turn, word for word."""

    name = "raw"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._turns: list[Turn] = []
        self._lines: list[str] = []
        """Each turn as text."""
        self._saved = 0
        """How many turns `delta` has returned."""
        self._words: Bm25 | None = None
        """For searches; made by the first one."""

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
        self._turns, self._lines, self._words = [], [], None
        self.apply(state)

    def delta(self, everything: bool = False) -> dict[str, Any]:
        """The turns since the last call, or all."""
        first, self._saved = 0 if everything else self._saved, len(self._turns)
        return {"turns": [turn.model_dump(mode="json", exclude_defaults=True) for turn in self._turns[first:]]}

    def apply(self, delta: dict[str, Any]) -> None:
        """Append the turns that `delta` returned."""
        for turn in delta["turns"]:
            self._keep(Turn.model_validate(turn))
        self._saved = len(self._turns)

    def items(self, delta: dict[str, Any]) -> list[MemoryItem]:
        """The turns of a delta."""
        return [turn_item(Turn.model_validate(turn)) for turn in delta["turns"]]

    async def search(self, query: str) -> list[tuple[str, float]]:
        """The turns that share words with the query, best first, then the others; of two alike the newer first."""
        if self._words is None:
            self._words = Bm25(self._settings.language)
            for turn in self._turns:
                self._words.add(turn.number, turn_item(turn).text)
        scores = self._words.scores(query)
        found = [(turn_key(turn.number), scores.get(turn.number, 0.0)) for turn in reversed(self._turns)]
        return sorted(found, key=lambda pair: -pair[1])

    async def rewrite(self, key: str, text: str) -> None:
        """Give a turn another text."""
        new = {"question": "", "reply": text, "results": ""}
        turns = [turn.model_copy(update=new) if turn_key(turn.number) == key else turn for turn in self._turns]
        self.restore({"turns": [turn.model_dump() for turn in turns]})

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Remove turns."""
        self.restore({"turns": [turn.model_dump() for turn in self._turns if turn_key(turn.number) not in keys]})
        return list(keys)

    def _keep(self, turn: Turn) -> str:
        """Take in a turn and return it as text."""
        line = exchange_text(turn, self._settings.language, self._settings.speaker)
        self._turns.append(turn)
        self._lines.append(line)
        if self._words is not None:
            self._words.add(turn.number, turn_item(turn).text)
        return line
