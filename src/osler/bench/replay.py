"""Replay conversations into memories, copy a memory, and rank turns by it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from osler.bench.cases import BenchCase, text_of
from osler.bench.scoring import squeezed
from osler.memory.base import Memory, MemorySettings, Query, Recall, Turn
from osler.memory.core.items import ItemisedMemory, TurnRanking, named_turns
from osler.memory.registry import memory_factory

_SHORTEST_WORDS = 12
"""Letters of a message from which it is somebody's own words and not a greeting."""
_LEAK_QUESTIONS = 5
"""Questions of the neighbour that the memory is asked."""


@dataclass(frozen=True)
class MemoryMaker:
    """Makes memories of one kind for one person."""

    spec: str
    settings: MemorySettings

    def empty(self) -> Memory:
        """A fresh memory."""
        return memory_factory(self.spec)(self.settings)

    def copy(self, memory: Memory) -> Memory:
        """Another memory with the same state, to ask or change without a trace."""
        other = self.empty()
        other.state = memory.state
        return other


async def remember_all(memory: Memory, turns: Iterable[Turn]) -> None:
    """Replay turns one after the other; whoever replays at the same time comes in between."""
    for turn in turns:
        await memory.remember(turn)
        await asyncio.sleep(0)


async def ranked_turns(memory: Memory, query: str, recall: Recall) -> list[int]:
    """Rank turns as the memory does, or else as its search or its recall first names them."""
    if isinstance(memory, TurnRanking):
        return await memory.search_turns(query)
    if isinstance(memory, ItemisedMemory):
        return named_turns(memory, await memory.search(query))
    return list(recall.told_turns or ())


def places_of(gold: Iterable[int], ranked: Sequence[int]) -> tuple[int | None, ...]:
    """The place of each gold turn in a ranking, from 1."""
    places = {turn: place for place, turn in enumerate(ranked, 1)}
    return tuple(places.get(turn) for turn in sorted(gold))


async def leaks(memory: Memory, own: BenchCase, other: BenchCase) -> tuple[bool, ...]:
    """Whether a memory recalls another person's words when asked what that person was asked."""
    foreign = _foreign_messages(own, other)
    results = []
    for question in other.questions[:_LEAK_QUESTIONS]:
        recall = await memory.recall(Query(question.text))
        text = squeezed(recall.text)
        results.append(any(message in text for message in foreign))
    return tuple(results)


def _foreign_messages(own: BenchCase, other: BenchCase) -> list[str]:
    """What only the other person's conversations say, squeezed."""
    own_text = squeezed("\n".join(map(text_of, own.turns)))
    foreign = []
    for turn in other.turns:
        for message in (squeezed(turn.question), squeezed(turn.reply)):
            if len(message) >= _SHORTEST_WORDS and message not in own_text:
                foreign.append(message)
    return foreign
