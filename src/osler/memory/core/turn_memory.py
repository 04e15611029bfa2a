"""The base of memories that keep every turn word for word, with and without vectors."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.memory.base import Change, MemorySettings, Query, Recall, Turn
from osler.memory.core.bm25 import Bm25
from osler.memory.core.items import MemoryItem, key_number, turn_item, turn_key
from osler.memory.core.recall_text import (
    LineRoom,
    RecallLine,
    dialogue_text,
    exchange_text,
    line_size,
    raw_text,
)
from osler.memory.core.row_store import Places
from osler.memory.core.vectors import VectorIndex
from osler.memory.embedders import open_embedder
from osler.prompts import phrases
from osler.ranking import ranked_places

Scores = NDArray[np.float64]
"""One for each turn, in their order."""
_NO_CLOCK = datetime(2000, 1, 1)  # noqa: DTZ001 -- turns have no time zone


class TurnMemory(ABC):
    """Keeps turns, shows them as items, and saves them one by one.

    A subclass decides what is recalled. If it keeps more than the turns, it says so in `own_delta`,
    `apply_own`, `clear_own` and `drop_own`.
    """

    name: str

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._language = settings.language
        self._turns: dict[int, Turn] = {}
        """By number, in their order."""
        self._lines: dict[int, str] = {}
        """Each turn as text."""
        self._sizes: dict[int, float] = {}
        """Tokens of each of these lines."""
        self._saved = 0
        """How many turns `delta` has returned."""
        self._words: Bm25 | None = None
        """For searches; made by the first one."""

    async def remember(self, turn: Turn) -> Change:
        """Append the turn."""
        return Change(inserted=(self._keep(turn),))

    @abstractmethod
    async def recall(self, query: Query) -> Recall:
        """Return what bears on the query, within the budget."""

    async def scores(self, query: str) -> Scores:
        """How well each turn fits a query, in their order."""
        return self.bm25.totals(query)

    # State: what a subclass keeps beside the turns.

    def own_delta(self, everything: bool) -> dict[str, Any]:
        """Return what changed in it since the last call, or all of it, as plain data."""
        return {}

    def apply_own(self, delta: dict[str, Any]) -> None:  # noqa: B027 -- not every memory has some
        """Take in what `own_delta` returned; the turns are here already."""

    def clear_own(self) -> None:  # noqa: B027
        """Forget all of it."""

    def drop_own(self, turns: Collection[int]) -> list[str]:
        """Forget what rests on these turns; return the keys of items that went."""
        return []

    # Saving.

    @property
    def state(self) -> dict[str, Any]:
        """Everything."""
        return self._state(0, everything=True)

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        """Exactly this."""
        self._clear_all()
        self.apply(state)

    def _clear_all(self) -> None:
        """Start empty again."""
        self._clear_turns()
        self.clear_own()

    def delta(self, everything: bool = False) -> dict[str, Any]:
        """The turns since the last call, or all, and what else changed."""
        first = 0 if everything else self._saved
        self._saved = len(self._turns)
        return self._state(first, everything)

    def apply(self, delta: dict[str, Any]) -> None:
        """Take in what `delta` returned."""
        for row in delta["turns"]:
            self._keep(Turn.model_validate(row))
        if "own" in delta:
            self.apply_own(delta["own"])
        self._saved = len(self._turns)

    def _state(self, first: int, everything: bool) -> dict[str, Any]:
        new = [
            self._turns[number].model_dump(mode="json", exclude_defaults=True)
            for number in self._since(first)
        ]
        own = self.own_delta(everything)
        if own:
            return {"turns": new, "own": own}
        return {"turns": new}

    def _since(self, first: int) -> list[int]:
        """The numbers of the turns from a place on."""
        return list(islice(reversed(self._turns), len(self._turns) - first))[::-1]

    # Items.

    def items(self, delta: dict[str, Any]) -> list[MemoryItem]:
        """The turns of a delta."""
        return [turn_item(Turn.model_validate(turn)) for turn in delta["turns"]]

    def turns_of(self, key: str) -> tuple[int, ...]:
        """The turn that an item is."""
        return (key_number(key),)

    async def search(self, query: str) -> list[tuple[str, float]]:
        """All turns, the best fitting first; of two alike the newer first."""
        scores = await self.scores(query)
        numbers = list(self._turns)
        values = scores.tolist()
        return [
            (turn_key(numbers[place]), values[place]) for place in self.best_first(scores).tolist()
        ]

    async def rewrite(self, key: str, text: str) -> list[str]:
        """Give a turn another text; what rests on the old one goes."""
        number = key_number(key)
        new = self._turns[number].model_copy(update={"question": "", "reply": text, "results": ""})
        went = self.drop_own({number})
        await self._rebuild({**self._turns, number: new})
        return went

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Remove turns with everything that rests on them."""
        gone = {key_number(key) for key in keys}
        went = self.drop_own(gone)
        await self._rebuild(
            {number: turn for number, turn in self._turns.items() if number not in gone}
        )
        return [*keys, *went]

    async def _rebuild(self, turns: dict[int, Turn]) -> None:
        """Hold these turns instead."""
        self._clear_turns()
        for turn in turns.values():
            self._keep(turn)

    # For subclasses.

    @property
    def bm25(self) -> Bm25:
        """The words of the turns."""
        if self._words is None:
            self._words = Bm25(self._language)
            for turn in self._turns.values():
                self._words.add(turn.number, turn_item(turn).text)
        return self._words

    def time_of(self, turn: Turn) -> datetime:
        """When a turn was said; without a clock, a minute a turn."""
        return turn.at or _NO_CLOCK + timedelta(minutes=turn.number)

    def whole(self, number: int) -> RecallLine:
        """A turn word for word."""
        return RecallLine(self._turns[number], self._lines[number])

    def in_short(self, number: int, text: str, key: str) -> RecallLine:
        """A summary, in the place of a turn."""
        return RecallLine(
            self._turns[number],
            phrases("exchange", self._language)["summary"].format(text=text),
            key,
        )

    def dialogue(self, numbers: Iterable[int]) -> str:
        """These turns word for word, in the order given."""
        return dialogue_text(map(self.whole, numbers), self._language)

    def best_first(self, scores: Scores) -> Places:
        """The places of all turns, that with the highest score first; of ties, the newer turn."""
        return ranked_places(
            scores, -np.fromiter(self._turns, dtype=np.int64, count=len(self._turns))
        )

    def fitting(self, numbers: Iterable[int], budget: int) -> list[int]:
        """The first turns that fit into the budget together, in the order of time.

        What does not fit is passed over.
        """
        room = LineRoom(budget, self._language)
        for number in self.that_may_fit(numbers, room):
            room.add([self.whole(number)])
        return [line.turn.number for line in room.lines]

    def that_may_fit(self, numbers: Iterable[int], room: LineRoom) -> Iterator[int]:
        """Those of the turns that are no longer than what is left, until the room is full."""
        for number in numbers:
            if room.is_full:
                return
            if self._sizes[number] <= room.left:
                yield number

    def told(self, numbers: Iterable[int], beside: int | None = None) -> Recall:
        """These turns word for word, in this order; the turn beside the recall is not missed."""
        shown = dict.fromkeys(numbers)
        return Recall(
            text=self.dialogue(shown),
            exchanges=tuple(self._turns[number] for number in shown),
            dropped=tuple(
                number for number in self._turns if number not in shown and number != beside
            ),
        )

    def _keep(self, turn: Turn) -> str:
        """Take in a turn and return it as text."""
        line = exchange_text(turn, self._language, self._settings.speaker)
        if turn.number in self._turns:
            self._words = None
        self._turns[turn.number], self._lines[turn.number] = turn, line
        self._sizes[turn.number] = line_size(line)
        if self._words is not None:
            self._words.add(turn.number, turn_item(turn).text)
        return line

    def _clear_turns(self) -> None:
        """Hold no turn."""
        self._turns = {}
        self._lines = {}
        self._sizes = {}
        self._words = None


class EmbeddedTurnMemory(TurnMemory):
    """Keeps a vector with each turn, so that turns can be compared with a query by cosine."""

    def __init__(self, settings: MemorySettings, embedder: str = "hash") -> None:
        """Start empty."""
        super().__init__(settings)
        self._embedder = open_embedder(embedder)
        self._index: VectorIndex | None = None
        """In the order of the turns."""
        self._seconds = array("d")
        self._one_at_a_time = asyncio.Lock()
        """While a turn is embedded, no other may come between."""

    async def remember(self, turn: Turn) -> Change:
        """Append the turn with its vector, then do what the subclass does after a turn."""
        async with self._one_at_a_time:
            [vector] = await self._embedder.embed([raw_text(turn)])
            line = self._keep(turn)
            self._vectors(len(vector)).add(turn.number, vector)
            return await self.after(turn, Change(inserted=(line,)))

    async def after(self, turn: Turn, change: Change) -> Change:
        """Work on a turn that was just added; return what changed."""
        return change

    async def cosines(self, query: str) -> Scores:
        """The cosine of each turn and the query, in the order of the turns."""
        if self._index is None:
            return np.empty(0)
        return self._index.all_cosines(await self._embedder.embed_query(query))

    def _in_seconds(self, time: datetime) -> float:
        return (time - _NO_CLOCK).total_seconds()

    @property
    def seconds(self) -> NDArray[np.float64]:
        """When each turn was said, in their order, counted from a time that is the same for all."""
        return np.array(self._seconds)

    async def scores(self, query: str) -> Scores:
        """The cosines."""
        return await self.cosines(query)

    def _clear_all(self) -> None:
        super()._clear_all()
        self._index = None
        self._embedder = open_embedder(self._embedder.name)

    def apply(self, delta: dict[str, Any]) -> None:
        """Take in what `delta` returned."""
        rows = delta.get("rows")
        if rows:
            self._vectors(rows["dimensions"]).extend(rows["index"])
            self._embedder.learn([raw_text(Turn.model_validate(turn)) for turn in delta["turns"]])
        super().apply(delta)

    def _state(self, first: int, everything: bool) -> dict[str, Any]:
        state = super()._state(first, everything)
        if self._index is None or not state["turns"]:
            return state
        rows = self._index.rows_of(self._since(first))
        return {**state, "rows": {"dimensions": self._index.made.dimensions, "index": rows}}

    async def _rebuild(self, turns: dict[int, Turn]) -> None:
        """Hold these turns instead; only changed ones are embedded again."""
        old = self._turns
        index = self._index
        await super()._rebuild(turns)
        if index is None:
            return
        self._index = None
        for turn in turns.values():
            is_same = old.get(turn.number) == turn
            [vector] = (
                index.vectors([turn.number])
                if is_same
                else await self._embedder.embed([raw_text(turn)])
            )
            self._vectors(len(vector)).add(turn.number, vector)

    def _keep(self, turn: Turn) -> str:
        if turn.number not in self._turns:
            self._seconds.append(self._in_seconds(self.time_of(turn)))
        return super()._keep(turn)

    def _clear_turns(self) -> None:
        super()._clear_turns()
        self._seconds = array("d")

    def new_index(self, dimensions: int) -> VectorIndex:
        """An empty index for rows of the embedder."""
        return VectorIndex(dimensions, seed=self._settings.seed, sparse=self._embedder.sparse)

    def _vectors(self, dimensions: int) -> VectorIndex:
        if self._index is None:
            self._index = self.new_index(dimensions)
        return self._index
