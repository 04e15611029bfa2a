"""No memory: the doctor knows the current reply and nothing else."""

from __future__ import annotations

from typing import Any

from osler.memory.base import Change, MemorySettings, Query, Recall, Turn


class NoMemory:
    """Forgets at once."""

    name = "none"

    def __init__(self, settings: MemorySettings) -> None:
        """Take the settings every memory takes."""

    async def remember(self, turn: Turn) -> Change:
        """Keep nothing."""
        return Change()

    async def recall(self, query: Query) -> Recall:
        """Nothing."""
        return Recall()

    @property
    def state(self) -> dict[str, Any]:
        """Nothing to keep."""
        return {}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""
