"""A knowledge graph as a memory: facts are edges between entities, each with the time it holds.

The edges are the thoughts of Think-in-Memory, formed and corrected as there; the graph is derived
from them and has no state of its own. A recall returns the edges within two hops of what the query
names. All that is known of the patient is two hops away by way of the patient, and comes last. What
was replaced is only told if the query asks for the past.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from osler.language.cues import finder
from osler.memory.base import MemorySettings, Query, Recall, tokens
from osler.memory.core.fact import Fact, FactKind, FactStatus
from osler.memory.graph.neighbourhood import EntityGraph, Neighbour
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.page import RecallPart
from osler.memory.tim.recall_page import Found, PageWriter
from osler.memory.tim.retrieve import Hit, recall_thoughts
from osler.memory.tim.settings import TimSettings
from osler.memory.tim.stored import thought_key
from osler.memory.tim.thought_space import ThoughtSpace
from osler.prompts import phrases

_NEAREST = 8
"""Edges that bear most on the query, before those that a treatment depends on."""
_VITAL = 4
"""Edges that a treatment depends on, allergies first, before the rest of the neighbourhood."""
_SHORTEST = 3
"""Tokens of the shortest line: no more edges are tried than fit into the budget of these."""
_PAST = 0.3
"""Share of the budget for what is no longer so."""
_MOST_PAST = 5
"""Lines of what is no longer so."""


class GraphSettings(TimSettings):
    """The options of `graph`, with those of Think-in-Memory for how thoughts are formed."""

    history: bool = False
    """Whether replaced facts are told too, as such, if the query does not ask for the past."""


class Edge(NamedTuple):
    """A fact between two entities, and the time for which it holds."""

    number: int
    subject: str
    relation: str
    object: str
    turn: int
    valid_from: datetime | None
    """When it was said, if the turn has a time."""
    reported: str
    """When it happened, as it was said."""
    is_current: bool
    superseded_in: int | None = None
    """The turn in which something else was said instead."""
    superseded_at: datetime | None = None
    by: int | None = None
    """The number of the edge that took its place."""


class GraphMemory(TimMemory):
    """One patient's facts as a graph."""

    name = "graph"
    options = GraphSettings

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        super().__init__(settings)
        assert isinstance(self._tim, GraphSettings)
        self._history = self._tim.history
        self._graph = EntityGraph(self._language)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges there ever were but for those that were merged into others or erased."""
        space = self._space
        bank = self._bank
        if space is None or bank is None:
            return ()
        at = {turn.number: turn.at for turn in bank.last_turns(len(bank))}
        edges = []
        for thought in space.ledger:
            if thought.object and thought.status is not FactStatus.MERGED:
                edges.append(_edge(thought, space, at))
        return tuple(edges)

    async def _recall(self, query: Query) -> Recall:
        bank = self._bank
        space = self._space
        if space is None or bank is None:
            return Recall()
        near = self._near_query(query.text, space, bank)
        hits = [
            Hit(neighbour.number, neighbour.score, 0.0, 0.0)
            for neighbour in near
            if space[neighbour.number].status is FactStatus.ACTIVE
        ]
        if not near:
            vector = await self._embedder.embed_query(query.text)
            hits = recall_thoughts(query.text, vector, space, bank, self._tim.k or _NEAREST)
        writer = self._page_writer(bank, space)
        # Lines of the past are written before a page is filled, and turns of other days have dates.
        writer.notice_new_day()
        if query.is_to_conclude and not self._tim.k:
            return self._recall_to_conclude(query, hits, space, writer)
        scores = {hit.number: hit for hit in hits}
        past = self._past(query.text, near, space, writer)
        budget = self._settings.budget
        left = budget - sum(tokens(line) + 1 for line in past.values())
        newer = [space[fact.by] for fact in past if fact.by is not None]
        current_newer = [fact for fact in newer if fact.status is FactStatus.ACTIVE]
        # What took the place of an old fact is told before it.
        items = list(islice(self._tellable(hits, space), max(_NEAREST, left // _SHORTEST)))
        part = RecallPart([*current_newer, *items])
        page = writer.fill([[part]], left, is_ranked=True)
        recall = page.recall(scores, page.tried_but_untold)
        texts = filter(None, (recall.text, *past.values()))
        return recall.model_copy(update={"text": "\n".join(texts)})

    def _recall_to_conclude(
        self, query: Query, hits: list[Hit], space: ThoughtSpace, writer: PageWriter
    ) -> Recall:
        """What bears on the query, then the newest facts, as far as they fit."""
        budget = self._settings.budget
        scores = {hit.number: hit for hit in hits}
        newest = [fact.id for fact in reversed(space.active)]
        numbers = dict.fromkeys([*scores, *newest])
        most = max(_NEAREST, budget // _SHORTEST)
        all_hits = [scores.get(number, _no_hit(number)) for number in islice(numbers, most)]
        page = writer.page(query, Found(all_hits, (), self._unread), budget)
        return page.recall(scores, page.turns_with_untold_facts(self._unread))

    def _near_query(self, query: str, space: ThoughtSpace, bank: MemoryBank) -> list[Neighbour]:
        """The edges within two hops, whatever became of them."""
        self._graph.grow(space)
        by_turn = bank.bm25.scores(query)

        def score(number: int) -> float:
            return max(by_turn.get(turn, 0.0) for turn in space[number].turns)

        return self._graph.near(query, score)

    def _tellable(self, hits: list[Hit], space: ThoughtSpace) -> Iterator[Fact | int]:
        """What may be told, in order: edges, and turns of which the model's answer was unread."""
        near = [space[hit.number] for hit in hits]
        if self._tim.k:
            yield from near[: self._tim.k]
            return
        yield from near[:_NEAREST]
        allergies_first = sorted(space.vital, key=lambda fact: fact.kind is not FactKind.ALLERGY)
        yield from allergies_first[:_VITAL]
        yield from reversed(self._unread)
        yield from near[_NEAREST:]
        yield from reversed(space.active)

    def _past(
        self, query: str, near: list[Neighbour], space: ThoughtSpace, writer: PageWriter
    ) -> dict[Fact, str]:
        """Replaced edges with their lines, if they are wanted; what nobody said is no history."""
        if not (self._history or finder("past", self._language).search(query)):
            return {}
        lines: dict[Fact, str] = {}
        left = self._settings.budget * _PAST
        for neighbour in near:
            fact = space[neighbour.number]
            if fact.status is not FactStatus.SUPERSEDED or fact.inferred:
                continue
            line = self._past_line(fact, space, writer)
            if tokens(line) + 1 <= left and len(lines) < _MOST_PAST:
                lines[fact] = line
                left -= tokens(line) + 1
        return lines

    def _past_line(self, thought: Fact, space: ThoughtSpace, writer: PageWriter) -> str:
        assert thought.by is not None and self._bank is not None
        turn = space[thought.by].turn
        at = self._bank[turn].at if turn in self._bank.turns else None
        until = phrases("tim_lines", self._language)["turns"].format(turns=turn)
        if turn < 1 and at is not None:
            until = at.date().isoformat()
        return phrases("graph_lines", self._language)["past"].format(
            until=until, line=writer.line(thought).text
        )

    async def search(self, query: str) -> list[tuple[str, float]]:
        """The neighbourhood of the query first, then all other items by how well they fit."""
        others = await super().search(query)
        if self._space is None or self._bank is None:
            return others
        items = {key for key, _ in others}
        scores: dict[str, float] = {}
        for neighbour in self._near_query(query, self._space, self._bank):
            key = thought_key(neighbour.number)
            if key in items:
                scores[key] = 1 + neighbour.score
        # All others score less than 1, in their order: 1/2, 1/3, …
        rest = [key for key, _ in others if key not in scores]
        for place, key in enumerate(rest, start=2):
            scores[key] = 1 / place
        return list(scores.items())

    async def search_turns(self, query: str) -> list[int]:
        """The turns of the neighbourhood, the best of each edge, then all others."""
        others = await super().search_turns(query)
        if self._space is None or self._bank is None:
            return others
        places = {turn: place for place, turn in enumerate(others)}
        turns: dict[int, None] = {}
        for neighbour in self._near_query(query, self._space, self._bank):
            fact = self._space[neighbour.number]
            if fact.status is FactStatus.ACTIVE:
                best = min(fact.turns, key=lambda turn: places.get(turn, len(places)))
                turns[best] = None
        return list(turns | dict.fromkeys(others))

    def _clear_derived(self) -> None:
        super()._clear_derived()
        self._graph = EntityGraph(self._language)


def _no_hit(number: int) -> Hit:
    """A fact that nothing in the query speaks for."""
    return Hit(number, 0.0, 0.0, 0.0)


def _edge(thought: Fact, space: ThoughtSpace, at: Mapping[int, datetime | None]) -> Edge:
    is_current = thought.status is FactStatus.ACTIVE
    superseded_in = None
    if not is_current and thought.by is not None:
        superseded_in = space[thought.by].turn
    return Edge(
        number=thought.id,
        subject=thought.subject,
        relation=thought.relation,
        object=thought.object,
        turn=thought.turn,
        valid_from=at.get(thought.turn),
        reported=thought.reported,
        is_current=is_current,
        superseded_in=superseded_in,
        superseded_at=None if superseded_in is None else at.get(superseded_in),
        by=None if is_current else thought.by,
    )
