"""The graph of thoughts and entities, and the thoughts within two hops of a query.

A thought is an edge between its subject and what its object names, so an entity leads to the
thoughts that name it. Entities that many thoughts name, above all the patient, lead everywhere; a
second hop does not go through them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from osler.language import Language
from osler.memory.core.bm25 import rarity
from osler.memory.core.fact import PATIENT, Fact
from osler.memory.core.items import best_first
from osler.memory.graph.entities import entities
from osler.memory.tim.thought_space import ThoughtSpace
from osler.ranking import reaches

_FEW = 4
"""Thoughts, or the root of all of them if that is more, up to which an entity leads on to a second
hop."""
_PASSED = 8
"""Thoughts of the first hop from which a second one is made, the best ones."""
_WORD = 0.5
"""Weight of a plain word beside that of a person, a drug or a thing of the thesaurus."""
_TURN = 0.5
"""Weight of the words of its turn: a thought leaves out what its question says."""
_LEAST = 0.3
"""Share of the best weight below which a thought is no neighbour: it shares some word with the
query."""


class Neighbour(NamedTuple):
    """A thought near the query."""

    number: int
    hop: int
    weight: float
    """How rare the entities are that lead to it, summed, and how well the words of its turn fit."""

    @property
    def score(self) -> float:
        """Between 1 and 2 for a first hop, below 1 for a second one."""
        return self.weight / (1 + self.weight) + (self.hop == 1)


class EntityGraph:
    """Which thoughts name which entities. It is derived from the ledger, and grows with it."""

    def __init__(self, language: Language) -> None:
        """Start empty."""
        self._language = language
        self._named: dict[int, frozenset[str]] = {}
        """The entities of each thought."""
        self._thoughts: defaultdict[str, list[int]] = defaultdict(list)
        """The thoughts that name each entity, whatever became of them."""

    def grow(self, space: ThoughtSpace) -> None:
        """Take in the thoughts that are new."""
        for number in range(len(self._named) + 1, space.size + 1):
            named = entities(_text(space[number]), self._language)
            self._named[number] = named
            for entity in sorted(named):
                self._thoughts[entity].append(number)

    def known(self, query: str) -> list[str]:
        """The entities of a query that the graph has."""
        return sorted(
            entity for entity in entities(query, self._language) if entity in self._thoughts
        )

    def near(self, query: str, fits: Callable[[int], float]) -> list[Neighbour]:
        """The facts within two hops of a query, by hop, then by weight, then the newest first.

        Args:
            query: What is asked.
            fits: Scores the turns of a thought by their words.
        """
        known = self.known(query)
        first = self._found(known, 1, frozenset(), fits)
        few = max(_FEW, math.sqrt(len(self._named)))
        onward = {
            entity for one in first[:_PASSED] for entity in self._named[one.number]
        }.difference(known)
        passable = sorted(entity for entity in onward if len(self._thoughts[entity]) <= few)
        return [*first, *self._found(passable, 2, frozenset(one.number for one in first), fits)]

    def _found(
        self,
        through: Iterable[str],
        hop: int,
        without: frozenset[int],
        fits: Callable[[int], float],
    ) -> list[Neighbour]:
        weights: defaultdict[int, float] = defaultdict(float)
        for entity in through:
            weight = rarity(len(self._named), len(self._thoughts[entity]))
            weight *= _WORD if entity.startswith("word:") else 1.0
            for number in self._thoughts[entity]:
                if number not in without:
                    weights[number] += weight
        for number in weights:
            weights[number] += _TURN * fits(number)
        least = _LEAST * max(weights.values(), default=0.0)
        near = {number: weight for number, weight in weights.items() if reaches(weight, least)}
        return [Neighbour(number, hop, near[number]) for number in best_first(near)]


def _text(thought: Fact) -> str:
    """What a thought names; that it is about the patient leads nowhere."""
    subject = "" if thought.subject in PATIENT or thought.is_doctors else thought.subject
    return " ".join(filter(None, (subject, thought.relation, thought.asked, thought.object)))
