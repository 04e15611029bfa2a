"""No memory: the doctor knows the current reply and nothing else."""

from __future__ import annotations

from typing import Any

from osler.memory.base import Change, MemorySettings, Recall, Turn


class NoMemory:
    """Forgets at once."""

    name = "none"

    def __init__(self, settings: MemorySettings) -> None:
        """Take the settings every memory takes."""

    async def remember(self, turn: Turn) -> Change:
        """Keep nothing."""
        return Change()

    async def recall(self, query: str) -> Recall:
        """Nothing."""
        return Recall()

    def snapshot(self) -> dict[str, Any]:
        """Nothing to keep."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""
