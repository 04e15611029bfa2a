"""A knowledge graph as a memory.

Facts are edges between entities, each with the time for which it holds.

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
_PAST, _MOST_PAST = 0.3, 5
"""Share of the budget for what is no longer so, and the most lines."""


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
        kept = (one for one in space.ledger if one.object and one.status is not FactStatus.MERGED)
        return tuple(_edge(one, space, at) for one in kept)

    async def _recall(self, query: Query) -> Recall:
        bank = self._bank
        space = self._space
        if space is None or bank is None:
            return Recall()
        text = query.text
        near = self._near_query(text, space, bank)
        current = [one for one in near if space[one.number].status is FactStatus.ACTIVE]
        hits = [Hit(one.number, one.score, 0.0, 0.0) for one in current]
        if not near:
            vector = await self._embedder.embed_query(text)
            hits = recall_thoughts(text, vector, space, bank, self._tim.k or _NEAREST)
        writer = self._page_writer(bank, space)
        budget = self._settings.budget
        # Lines of the past are written before a page is filled, and turns of other days have dates.
        writer.notice_new_day()
        scores = {hit.number: hit for hit in hits}
        if query.is_to_conclude and not self._tim.k:
            recent = [fact.id for fact in reversed(space.active)]
            numbers = dict.fromkeys([*scores, *recent])
            most = max(_NEAREST, budget // _SHORTEST)
            near_hits = [scores.get(number, _no_hit(number)) for number in islice(numbers, most)]
            page = writer.page(query, Found(near_hits, (), self._unread), budget)
            return page.recall(scores, page.turns_with_untold_facts(self._unread))
        past = self._past(text, near, space, writer)
        left = budget - sum(tokens(line) + 1 for line in past.values())
        newer = [space[fact.by] for fact in past if fact.by is not None]
        current_newer = [fact for fact in newer if fact.status is FactStatus.ACTIVE]
        # What took the place of an old fact is told before it.
        items = list(islice(self._tellable(hits, space), max(_NEAREST, left // _SHORTEST)))
        page = writer.fill([[[*current_newer, *items]]], left)
        recall = page.recall(scores, page.tried_but_untold)
        return recall.model_copy(
            update={"text": "\n".join(filter(None, (recall.text, *past.values())))}
        )

    def _near_query(self, query: str, space: ThoughtSpace, bank: MemoryBank) -> list[Neighbour]:
        """The edges within two hops, whatever became of them."""
        self._graph.grow(space)
        by_turn = bank.bm25.scores(query)
        return self._graph.near(
            query, lambda number: max(by_turn.get(turn, 0.0) for turn in space[number].turns)
        )

    def _tellable(self, hits: list[Hit], space: ThoughtSpace) -> Iterator[Fact | int]:
        """What may be told, in order.

        Edges, and turns of which no answer of the model could be read.
        """
        near = [space[hit.number] for hit in hits]
        if self._tim.k:
            yield from near[: self._tim.k]
            return
        yield from near[:_NEAREST]
        yield from sorted(space.vital, key=lambda one: one.kind is not FactKind.ALLERGY)[:_VITAL]
        yield from reversed(self._unread)
        yield from near[_NEAREST:]
        yield from reversed(space.active)

    def _past(
        self, query: str, near: list[Neighbour], space: ThoughtSpace, writer: PageWriter
    ) -> dict[Fact, str]:
        """Replaced edges with their lines, if they are wanted; what nobody said is no history."""
        if not (self._history or finder("past", self._language).search(query)):
            return {}
        replaced = (space[one.number] for one in near)
        lines = dict[Fact, str]()
        left = self._settings.budget * _PAST
        for one in (
            one for one in replaced if one.status is FactStatus.SUPERSEDED and not one.inferred
        ):
            line = self._past_line(one, space, writer)
            if tokens(line) + 1 <= left and len(lines) < _MOST_PAST:
                lines[one] = line
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
        near = {
            thought_key(one.number): one.score
            for one in self._near_query(query, self._space, self._bank)
        }
        items = {key for key, _ in others}
        found = {key: 1 + score for key, score in near.items() if key in items}
        rest = (key for key, _ in others if key not in found)
        return [*found.items(), *((key, 1 / (place + 1)) for place, key in enumerate(rest, 1))]

    async def search_turns(self, query: str) -> list[int]:
        """The turns of the neighbourhood, the best of each edge, then all others."""
        others = await super().search_turns(query)
        if self._space is None or self._bank is None:
            return others
        places = {turn: place for place, turn in enumerate(others)}
        ledger = self._space
        near = (ledger[one.number] for one in self._near_query(query, ledger, self._bank))
        current = (one for one in near if one.status is FactStatus.ACTIVE)
        first = (min(one.turns, key=lambda turn: places.get(turn, len(places))) for one in current)
        return list(dict.fromkeys([*first, *others]))

    def _clear_derived(self) -> None:
        super()._clear_derived()
        self._graph = EntityGraph(self._language)


def _no_hit(number: int) -> Hit:
    """A fact that nothing in the query speaks for."""
    return Hit(number, 0.0, 0.0, 0.0)


def _edge(thought: Fact, space: ThoughtSpace, at: Mapping[int, datetime | None]) -> Edge:
    is_current = thought.status is FactStatus.ACTIVE
    ended = None if is_current or thought.by is None else space[thought.by].turn
    return Edge(
        thought.id,
        thought.subject,
        thought.relation,
        thought.object,
        thought.turn,
        at.get(thought.turn),
        thought.reported,
        is_current,
        ended,
        None if ended is None else at.get(ended),
        None if is_current else thought.by,
    )
