"""PerLTQA's memory: a store of standing facts, one of what was said, and a classifier for the two.

The semantic store is the active thoughts that say who the patient is: allergies, medicines,
conditions, relatives, habits. The episodic store is the turns, word for word. A recall takes the
best of each store and ranks them together by how likely the question asks for that store, and by
how well each fits. Thoughts are formed and corrected as in Think-in-Memory; a turn with something
that was corrected since is told by its thoughts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain, islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from osler.language import Language
from osler.language.lexicon.phrases import things
from osler.language.lexicon.thesaurus import load
from osler.language.times_and_values import time_finder
from osler.memory.base import MemorySettings, Query, Recall
from osler.memory.core.bm25 import Bm25
from osler.memory.core.fact import PATIENT, Fact, FactKind
from osler.memory.core.fact_lines import topic_of
from osler.memory.core.items import best_first, turn_key
from osler.memory.core.vectors import VectorIndex
from osler.memory.perlt.question_class import probability_by_model, semantic_probability, sigmoid
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.page import RecallPart
from osler.memory.tim.retrieve import Hit
from osler.memory.tim.settings import TimSettings
from osler.memory.tim.stored import thought_key
from osler.memory.tim.thought_space import ThoughtSpace
from osler.ranking import ranked


class MemoryClass(StrEnum):
    """A store of the memory."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"


class PerltSettings(TimSettings):
    """The options of `perlt`, with those of Think-in-Memory for how thoughts are formed."""

    k: int | None = Field(default=5, ge=1)
    """Items that a recall takes from each store."""
    retriever: Literal["bm25", "dense"] = "bm25"
    """How items are scored against the question: by words, or by the cosine of their vectors."""
    classify: Literal["shipped", "model"] = "shipped"
    """What tells which store a question asks for: the classifier that is shipped, or the memory's
    model."""
    alpha: float = Field(default=0.5, ge=0.0)
    """Weight of the class in the ranking."""
    beta: float = Field(default=0.5, ge=0.0)
    """Weight of the item's own score."""


class StoreItem(NamedTuple):
    """An item of a store: a thought of the semantic, a turn of the episodic one."""

    store: MemoryClass
    number: int
    score: float


def reranked(
    stores: Mapping[MemoryClass, Sequence[tuple[int, float]]],
    likely: Mapping[MemoryClass, float],
    alpha: float = 0.5,
    beta: float = 0.5,
) -> list[StoreItem]:
    """Rank the items of all stores by alpha * P(class) + beta * sigmoid(score).

    Args:
        stores: Numbers with scores, in the order within each store, which is kept.
        likely: How likely the question asks for each store.
        alpha: Weight of the class.
        beta: Weight of the score.
    """
    items: list[StoreItem] = []
    names: list[tuple[int, MemoryClass]] = []
    for store, scored in stores.items():
        for place, (number, score) in enumerate(scored):
            together = alpha * likely[store] + beta * sigmoid(score)
            items.append(StoreItem(store, number, together))
            names.append((place, store))
    return [items[index] for index in ranked([item.score for item in items], names)]


class PerltMemory(TimMemory):
    """One patient's standing facts and what was said."""

    name = "perlt"
    options = PerltSettings

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        super().__init__(settings)
        assert isinstance(self._tim, PerltSettings)
        self._perlt = self._tim
        self._standing: dict[int, bool] = {}
        """Whether a thought is a standing fact, by its number."""
        self._classified: tuple[str, float] | None = None
        """The last question and its probability."""
        self.failed_classifications = 0
        """Questions for which the model gave no probability, so that the shipped classifier was
        used."""

    async def _recall(self, query: Query) -> Recall:
        """The newest turn of the present visit, then the best of both stores as far as they fit."""
        bank = self._bank
        space = self._space
        if space is None or bank is None:
            return Recall()
        items, requests = await self._ranking(query.text, space, bank, self._perlt.k or 1)
        newest = next(bank.newest, 0)
        first = [newest] if newest > 0 and newest != query.beside else []
        to_tell = RecallPart([*first, *self._tellable(items, space)])
        page = self._page_writer(bank, space).fill(
            [[to_tell]], self._settings.budget, is_ranked=True, repeats=True
        )
        scores: dict[int, Hit] = {}
        for item in items:
            turn: int | None = None
            thoughts: Iterable[int] = [item.number]
            if item.store is MemoryClass.EPISODIC:
                turn = item.number
                thoughts = space.of_turn(turn)
            for number in thoughts:
                scores.setdefault(number, Hit(number, item.score, 0.0, 0.0, turn))
        recall = page.recall(scores, page.tried_but_untold)
        return recall.model_copy(update={"requests": requests})

    def _tellable(self, items: Iterable[StoreItem], space: ThoughtSpace) -> Iterator[Fact | int]:
        for item in items:
            if item.store is MemoryClass.SEMANTIC:
                yield space[item.number]
            elif item.number in space.corrected_turns:
                yield from (space[number] for number in space.of_turn(item.number))
            else:
                yield item.number

    async def search(self, query: str) -> list[tuple[str, float]]:
        """All items in the order of the ranking; a turn by its thoughts, if it left any."""
        space = self._space
        bank = self._bank
        if space is None or bank is None:
            return []
        items, _ = await self._ranking(query, space, bank, space.size + len(bank))
        silent = self._silent(bank, space)
        scores: dict[str, float] = {}
        for item in items:
            if item.store is MemoryClass.SEMANTIC:
                keys = [thought_key(item.number)]
            elif item.number in silent:
                keys = [turn_key(item.number)]
            else:
                keys = [thought_key(number) for number in space.of_turn(item.number)]
            for key in keys:
                scores.setdefault(key, item.score)
        return list(scores.items())

    async def search_turns(self, query: str) -> list[int]:
        """The turns in the order of the ranking; a thought names all turns in which it was said."""
        space = self._space
        bank = self._bank
        if space is None or bank is None:
            return []
        items, _ = await self._ranking(query, space, bank, space.size + len(bank))
        named: dict[int, None] = {}
        for item in items:
            if item.store is MemoryClass.EPISODIC:
                named[item.number] = None
            else:
                named |= dict.fromkeys(space[item.number].turns)
        searchable = self._silent(bank, space) | space.turns
        return [turn for turn in named if turn in searchable]

    async def _ranking(
        self, query: str, space: ThoughtSpace, bank: MemoryBank, k: int
    ) -> tuple[list[StoreItem], int]:
        """The best k of each store in one order, and the model requests it took."""
        semantic, requests = await self._semantic_probability(query)
        vector = await self._embedder.embed_query(query)
        by_turn = self._scores(query, vector, bank.bm25, bank.index)
        by_thought = self._scores(query, vector, space.bm25, space.index)
        for turn, score in by_turn.items():
            # A thought leaves out what its question says.
            for number in space.of_turn(turn):
                by_thought[number] = max(score, by_thought.get(number, score))
        # What nothing speaks for comes last: what a treatment depends on, then the newest.
        others = (thought.id for thought in chain(space.vital, reversed(space.active)))
        thoughts = _in_order(by_thought, others)
        standing = (number for number in thoughts if self._is_standing(space[number]))
        turns = _in_order(by_turn, bank.newest)
        stores = {
            MemoryClass.SEMANTIC: _with_scores(islice(standing, k), by_thought),
            MemoryClass.EPISODIC: _with_scores(islice(turns, k), by_turn),
        }
        likely = {MemoryClass.SEMANTIC: semantic, MemoryClass.EPISODIC: 1 - semantic}
        return reranked(stores, likely, self._perlt.alpha, self._perlt.beta), requests

    def _scores(
        self, query: str, vector: NDArray[np.float32], words: Bm25, index: VectorIndex
    ) -> dict[int, float]:
        """How well texts fit; those are left out that share no word or have no positive cosine."""
        if self._perlt.retriever == "dense":
            cosines = dict(index.search(vector, len(index)))
            return {number: cosine for number, cosine in cosines.items() if cosine > 0.0}
        return words.scores(query)

    async def _semantic_probability(self, query: str) -> tuple[float, int]:
        """How likely the query asks for standing facts, and the model requests it took."""
        thinker = self._settings.thinker
        if self._perlt.classify == "shipped" or thinker is None:
            return semantic_probability(query, self._language), 0
        if self._classified and self._classified[0] == query:
            return self._classified[1], 0
        probability, requests = await probability_by_model(query, self._language, thinker)
        if probability is None:
            self.failed_classifications += 1
            probability = semantic_probability(query, self._language)
        self._classified = query, probability
        return probability, requests

    def _is_standing(self, thought: Fact) -> bool:
        if thought.id not in self._standing:
            self._standing[thought.id] = is_standing(thought, self._language)
        return self._standing[thought.id]

    def _clear_derived(self) -> None:
        super()._clear_derived()
        self._standing = {}


def is_standing(thought: Fact, language: Language) -> bool:
    """Check whether a thought says who somebody is; else it belongs to what happened.

    What a treatment depends on stands, and so do illnesses and habits that doctors ask about. What
    else is said of other people, or written down by a model, stands if it has no time. Complaints
    and reports belong to an event.
    """
    topic = topic_of(thought)
    is_report = bool(topic) and thought.sentence.startswith(topic) and not thought.asked
    is_passing = thought.kind in (FactKind.OPEN, FactKind.TRIVIAL)
    if thought.is_doctors or is_report or is_passing:
        return False
    named = things(f"{thought.relation} {thought.asked} {thought.object}", language)
    if thought.is_protected or (named and named.isdisjoint(_complaints())):
        return True
    is_timed = bool(thought.reported or time_finder(language).search(thought.object))
    is_other = thought.subject not in PATIENT
    return not is_timed and (is_other or (thought.is_by_model and not named))


@cache
def _complaints() -> frozenset[str]:
    """The concepts of the thesaurus that are symptoms and signs."""
    return frozenset(concept["id"] for concept in load("symptoms.yaml"))


def _in_order(scores: Mapping[int, float], others: Iterable[int]) -> Iterator[int]:
    """The numbers with scores, the best first and of two alike the newer one; then the others."""
    yield from dict.fromkeys(chain(best_first(scores), others))


def _with_scores(numbers: Iterable[int], scores: Mapping[int, float]) -> list[tuple[int, float]]:
    """Numbers with their scores; what nothing speaks for has 0."""
    return [(number, scores.get(number, 0.0)) for number in numbers]
