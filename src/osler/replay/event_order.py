"""Who was first: the memory thinks beside the doctor, and what ends a consultation ends both, however far they are."""

from __future__ import annotations

import asyncio

from osler.runs.events import Called, Event, Journal, Remembered, Role
from osler.runs.transcript import Transcript

_PATIENCE = 0.5
"""Seconds without any event after which the recorded order counts as lost."""
_ROUNDS = 100
"""How often others get a word in before anybody loses patience: on a busy machine seconds say little."""


class Order:
    """The recorded order of what the conversation and the memory did, kept when both are done again."""

    def __init__(self, recorded: Transcript, journal: Journal) -> None:
        """Count, for every event, how much the other side had done before it."""
        self._journal, self._kept = journal, True
        self._before: dict[int, int] = {}
        seen = [0, 0]
        for event in recorded.events:
            self._before[id(event)] = seen[1 - _side(event)]
            seen[_side(event)] += 1
        self._recorded = recorded  # keeps the events, by whose identity they are known

    async def before(self, event: Event) -> None:
        """Wait until the other side is as far as it was when this event came."""
        await asyncio.sleep(0)  # nobody moves in no time at all: who works beside this one begins meanwhile
        clock = asyncio.get_running_loop().time
        far, since, rounds = -1, clock(), 0
        while self._kept and (now := self._done(1 - _side(event))) < self._before[id(event)]:
            if now > far:
                far, since, rounds = now, clock(), 0
            rounds += 1
            if rounds > _ROUNDS and clock() - since > _PATIENCE:
                self._kept = False
            await asyncio.sleep(0 if rounds < _ROUNDS else 0.005)

    async def before_end(self) -> None:
        """Wait until the memory is as far as it was at the end."""
        await self.before(self._recorded.events[-1])

    def _done(self, side: int) -> int:
        return sum(_side(event) == side for event in self._journal.events)


def _side(event: Event) -> int:
    """1 for what the memory does beside the conversation, 0 for the conversation."""
    beside = isinstance(event, Remembered) or (isinstance(event, Called) and event.role is Role.MEMORY)
    return int(beside)
