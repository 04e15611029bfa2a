"""Replay conversations into memories, copy a memory, and rank turns by it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from osler.bench.cases import BenchCase, text_of
from osler.bench.scoring import squeezed
from osler.memory.base import Memory, MemorySettings, Recall, Turn
from osler.memory.items import ItemisedMemory, TurnRanking, named_turns
from osler.memory.registry import memory_factory

_SHORTEST_WORDS = 12
"""Letters of a message from which it is somebody's own words and not a greeting."""
_LEAK_QUESTIONS = 5


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
        other.restore(memory.snapshot())
        return other


async def remember_all(memory: Memory, turns: Iterable[Turn]) -> None:
    """Replay turns one after the other; whoever replays at the same time comes in between."""
    for turn in turns:
        await memory.remember(turn)
        await asyncio.sleep(0)


async def ranked_turns(memory: Memory, query: str, recall: Recall) -> list[int]:
    """Rank turns as the memory does; else in the order in which its search first names them, or its recall."""
    if isinstance(memory, TurnRanking):
        return await memory.search_turns(query)
    if isinstance(memory, ItemisedMemory):
        return named_turns(memory, await memory.search(query))
    return recalled_turns(recall)


def recalled_turns(recall: Recall) -> list[int]:
    """The turns that a recall tells of: by facts, the best first, then those told in their own words."""
    facts = sorted(recall.facts, key=lambda fact: -fact.score)
    whole = (turn.number for turn in recall.exchanges if turn.reply)
    return list(dict.fromkeys([*(fact.turn for fact in facts), *whole]))


def places_of(gold: Iterable[int], ranked: Sequence[int]) -> tuple[int | None, ...]:
    """The place of each gold turn in a ranking, from 1."""
    places = {turn: place for place, turn in enumerate(ranked, 1)}
    return tuple(places.get(turn) for turn in sorted(gold))


async def leaks(memory: Memory, own: BenchCase, other: BenchCase) -> tuple[bool, ...]:
    """Ask a memory what another person was asked; return for each question whether that person's words came."""
    known = squeezed("\n".join(map(text_of, own.turns)))
    messages = [squeezed(said) for turn in other.turns for said in (turn.question, turn.reply)]
    foreign = [said for said in messages if len(said) >= _SHORTEST_WORDS and said not in known]
    recalls = [squeezed((await memory.recall(asked.text)).text) for asked in other.questions[:_LEAK_QUESTIONS]]
    return tuple(any(said in recalled for said in foreign) for recalled in recalls)
