"""The backbones of a run: each opened once, shared by all consultations, closed at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from osler.agents.backbones import Backbone


class Clients:
    """Opens backbones by their spec when they are first needed."""

    def __init__(self, timeout: float = 60.0) -> None:
        """Open nothing yet."""
        self._timeout = timeout
        self._open: dict[str, Backbone] = {}

    def open(self, spec: str) -> Backbone:
        """The backbone of that spec."""
        from osler.agents.backbones import open_backbone

        if spec not in self._open:
            self._open[spec] = open_backbone(spec, timeout=self._timeout)
        return self._open[spec]

    async def close(self) -> None:
        """Close what was opened."""
        for backbone in self._open.values():
            await backbone.close()
        self._open.clear()
