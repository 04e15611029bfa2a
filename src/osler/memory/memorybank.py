"""MemoryBank (SiliconFriend): turns and summaries of visits, which fade unless they are recalled.

An item is recalled by similarity times retention, and retention is Ebbinghaus's curve `exp(-t / (5
* S))`: t is the time since the item was made or last recalled, S starts at 1 and rises by 1 with
each recall. The time is counted in the option `unit`, days as in the paper. An item whose retention
is below `floor` is kept, but not recalled. To the letter this means: what was not recalled for a
fortnight is out of reach, and so, months later, is every earlier visit. With `unit=months` or
`unit=years` the same curve reaches over the visits of a patient.

The present time is that of the newest turn. A recall changes nothing by itself: it is noted, and
the strengths rise when the next turn is remembered. So the same recall twice returns the same, and
a store saves the strengths with the next `add`; a process that ends before that loses them. A
search is not a recall and strengthens nothing.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from itertools import islice, takewhile
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from osler.memory.base import Change, MemorySettings, Query, Recall, Turn
from osler.memory.core.items import MemoryItem, key_number, turn_key
from osler.memory.core.recall_text import LineRoom
from osler.memory.core.short_form import (
    ShortForm,
    change_by_summaries,
    recall_of,
    sentence_facts,
    summarised,
)
from osler.memory.core.turn_memory import EmbeddedTurnMemory
from osler.memory.core.vectors import VectorIndex
from osler.memory.options import MemoryOptions
from osler.ranking import ranked_places, reaching

_SECONDS = {
    "hours": 3600.0,
    "days": 86400.0,
    "weeks": 604800.0,
    "months": 2629800.0,
    "years": 31557600.0,
}
_SUMMARY = 100
"""Maximum tokens of a visit's summary by rules: a quarter of what is said at a visit."""
_SHOWN = 2400
"""Tokens of a visit that a model is shown to summarise; what comes later at a longer visit is not
in its summary."""
_VISIT = "visit:"
_TWO = 2
"""Fewest turns of a visit that is summarised: a single turn is its own summary."""


class MemoryBankOptions(MemoryOptions):
    """The options of `memorybank`."""

    floor: float = Field(default=0.05, ge=0.0, le=1.0)
    """Retention below which an item is not recalled: what was never recalled reaches it after 15
    days, so that the ten
    days of the paper's own conversations stay within reach."""
    unit: Literal["hours", "days", "weeks", "months", "years"] = "days"
    """The unit of time in the curve of forgetting."""
    embedder: str = "hash"


class VisitSummary(ShortForm):
    """A visit in a few words."""

    number: int


class Strength(NamedTuple):
    """How firmly an item is kept."""

    value: int
    """S in the curve of forgetting."""
    since: datetime
    """When the item was made or last recalled."""


class Ranking(NamedTuple):
    """Items by their scores, the best first."""

    items: list[int | VisitSummary]
    """The number of a turn, or the summary of a visit."""
    scores: list[float]


def retention(elapsed: float, strength: int) -> float:
    """Return how much of an item is left after some units of time.

    The paper's code has `exp(-t / 5 * S)`, by which stronger items fade faster; its text means
    this.
    """
    return math.exp(-max(elapsed, 0.0) / (5 * strength))


class MemoryBankMemory(EmbeddedTurnMemory):
    """Turns and summaries of visits, recalled by similarity times retention."""

    name = "memorybank"
    _summaries: dict[int, VisitSummary]
    """By number. One without a text was deleted, or says nothing: its visit is not summarised
    again."""
    _visits: VectorIndex | None
    """The vectors of the summaries."""
    _open: dict[date, list[int]]
    """The turns of visits without a summary."""
    _made: int
    """The number of the last summary."""
    _saved_summaries: int
    """The number of the last summary that `delta` returned."""
    _strengths: dict[str, Strength]
    """Of the items that were recalled."""
    _changed: set[str]
    """Items whose strengths `delta` has not returned yet."""
    _recalled: dict[str, int]
    """How often items were recalled since the last turn."""
    _places: dict[int, int]
    """Where each turn is in what follows, by its number."""
    _values: array[float]
    """How firmly each turn is kept: S in the curve of forgetting."""
    _last_times: array[float]
    """When each turn was said or last recalled, in seconds."""

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._options = MemoryBankOptions.of(self.name, settings.options)
        super().__init__(settings, self._options.embedder)
        self._clear_turns()
        self.clear_own()

    async def remember(self, turn: Turn) -> Change:
        """Strengthen what was recalled since the last turn, then take in this one."""
        if self._turns:
            now = self._now()
            for key, often in self._recalled.items():
                self._strengthen(key, Strength(self._strength(key).value + often, now))
                self._changed.add(key)
        self._recalled = {}
        return await super().remember(turn)

    async def after(self, turn: Turn, change: Change) -> Change:
        """At the first turn of a day, summarise the visits before it that have no summary."""
        before = next(islice(reversed(self._turns.values()), 1, 2), None)
        if turn.at is None or before is None:
            return change
        if before.at and before.at.date() == turn.at.date():
            return change
        inserted = list(change.inserted)
        failed: list[str] = []
        requests = 0
        for day in sorted(self._open.keys() - {turn.at.date()}):
            turns = [self._turns[number] for number in self._open[day]]
            if len(turns) < _TWO:
                del self._open[day]
                continue
            short, requests_here = await self._summarised(turns)
            requests += requests_here
            if short is None:
                failed.append(day.isoformat())
            elif await self._add_summary(short):
                inserted.append(short.text)
        summaries = len(inserted) - len(change.inserted)
        change = change.model_copy(update={"inserted": tuple(inserted)})
        return change_by_summaries(change, self._settings, summaries, failed, requests)

    async def recall(self, query: Query) -> Recall:
        """Return the newest turn, then the items with the highest scores that fit."""
        if not self._turns:
            return Recall()
        newest = [number for number in reversed(self._turns) if number != query.beside][:1]
        room = LineRoom(self._settings.budget, self._language)
        for number in self.that_may_fit(newest, room):
            room.add([self.whole(number)])
        passed_over = {*newest, query.beside}
        ranking = await self._ranking(query.text)
        for item in ranking.items:
            if room.is_full:
                break
            if isinstance(item, VisitSummary):
                room.add([self.in_short(item.turns[0], item.text, _visit_key(item.number))])
            elif item not in passed_over and self._sizes[item] <= room.left:
                room.add([self.whole(item)])
        lines = room.lines
        for line in lines:
            key = line.short or turn_key(line.turn.number)
            self._recalled[key] = self._recalled.get(key, 0) + 1
        summaries = [self._summaries[key_number(line.short)] for line in lines if line.short]
        return recall_of(lines, summaries, self._turns, self._language, query.beside)

    async def search(self, query: str) -> list[tuple[str, float]]:
        """All items whose retention reaches the floor, by similarity times retention.

        Of two alike, the newer comes first.
        """
        ranking = await self._ranking(query)
        keys = [
            _visit_key(item.number) if isinstance(item, VisitSummary) else turn_key(item)
            for item in ranking.items
        ]
        return list(zip(keys, ranking.scores, strict=True))

    async def _ranking(self, query: str) -> Ranking:
        """The items whose retention reaches the floor, the best first."""
        if self._index is None:
            return Ranking([], [])
        vector = await self._embedder.embed_query(query)
        now = self._now()
        summaries = [summary for summary in self._summaries.values() if summary.text]
        items: list[int | VisitSummary] = [*self._turns, *summaries]
        first_turns = np.array([*self._turns, *(summary.turns[0] for summary in summaries)])
        cosines = self._index.all_cosines(vector)
        retentions = self._retentions(now)
        if summaries and self._visits is not None:
            numbers = [summary.number for summary in summaries]
            of_visits = [self._retention(_visit_key(number), now) for number in numbers]
            cosines = np.concatenate((cosines, self._visits.cosines(vector, numbers)))
            retentions = np.concatenate((retentions, of_visits))
        places = np.flatnonzero(reaching(retentions, self._options.floor))
        scores = np.maximum(cosines, 0.0)[places] * retentions[places]
        order = ranked_places(scores, -first_turns[places])
        best_first = [items[place] for place in places[order].tolist()]
        return Ranking(best_first, scores[order].tolist())

    def _retentions(self, now: datetime) -> NDArray[np.float64]:
        """How much is left of each turn."""
        seconds = np.maximum(self._in_seconds(now) - np.array(self._last_times), 0.0)
        elapsed = seconds / _SECONDS[self._options.unit]
        retentions: NDArray[np.float64] = np.exp(-elapsed / (5 * np.array(self._values)))
        return retentions

    def _now(self) -> datetime:
        return self.time_of(next(reversed(self._turns.values())))

    def _strengthen(self, key: str, strength: Strength) -> None:
        self._strengths[key] = strength
        if not key.startswith(_VISIT):
            place = self._places[key_number(key)]
            self._values[place] = strength.value
            self._last_times[place] = self._in_seconds(strength.since)

    def _strength(self, key: str) -> Strength:
        """How firmly an item is kept; a summary that was never recalled is as old as the visit."""
        if key in self._strengths:
            return self._strengths[key]
        last_turn = self._turns[self.turns_of(key)[-1]]
        return Strength(1, self.time_of(last_turn))

    def _retention(self, key: str, now: datetime) -> float:
        strength = self._strength(key)
        elapsed = (now - strength.since).total_seconds() / _SECONDS[self._options.unit]
        return retention(elapsed, strength.value)

    # Summaries of visits.

    async def _summarised(self, turns: list[Turn]) -> tuple[ShortForm | None, int]:
        """Summarise a visit; None if the model failed. Also returns how many requests it took."""
        dialogue = self.dialogue(self.fitting([turn.number for turn in turns], _SHOWN))
        return await summarised(self._settings, "memorybank_visit", turns, dialogue, _SUMMARY)

    async def _add_summary(self, short: ShortForm) -> bool:
        """Keep a summary; return whether it says anything."""
        summary = VisitSummary(**dict(short), number=self._made + 1)
        if summary.text:
            [vector] = await self._embedder.embed([summary.text])
            self._visit_index(len(vector)).add(summary.number, vector)
        self._settle(summary)
        return bool(summary.text)

    def _settle(self, summary: VisitSummary) -> None:
        """Take in a summary, so that its visit needs none any more."""
        self._summaries[summary.number] = summary
        self._made = max(self._made, summary.number)
        turns = [self._turns[number] for number in summary.turns if number in self._turns]
        for day in {turn.at.date() for turn in turns if turn.at} & self._open.keys():
            self._open[day] = [number for number in self._open[day] if number not in summary.turns]

    def _visit_index(self, dimensions: int) -> VectorIndex:
        if self._visits is None:
            self._visits = self.new_index(dimensions)
        return self._visits

    # State.

    def clear_own(self) -> None:
        """Forget summaries and strengths."""
        self._summaries = {}
        self._visits = None
        self._open = {}
        self._made = 0
        self._saved_summaries = 0
        self._strengths = {}
        self._changed = set()
        self._recalled = {}

    def delta(self, everything: bool = False) -> dict[str, Any]:
        """What changed since the last call, or all."""
        state = super().delta(everything)
        self._saved_summaries = self._made
        self._changed = set()
        return state

    def own_delta(self, everything: bool) -> dict[str, Any]:
        """New summaries with their vectors, raised strengths, and recalls since the last turn."""
        own: dict[str, Any] = {}
        first = 0 if everything else self._saved_summaries
        newest_first = reversed(self._summaries.values())
        new = list(takewhile(lambda summary: summary.number > first, newest_first))
        new.reverse()
        if new:
            own["summaries"] = [
                summary.model_dump(mode="json", exclude_defaults=True) for summary in new
            ]
        with_text = [summary.number for summary in new if summary.text]
        if self._visits is not None and with_text:
            own["rows"] = {
                "dimensions": self._visits.made.dimensions,
                "index": self._visits.rows_of(with_text),
            }
        changed = sorted(self._strengths if everything else self._changed)
        if changed:
            own["strengths"] = {
                key: [self._strengths[key].value, self._strengths[key].since.isoformat()]
                for key in changed
            }
        if everything and self._made:
            own["made"] = self._made
        if self._recalled:
            return {**own, "recalled": dict(self._recalled)}
        return own

    def apply_own(self, delta: dict[str, Any]) -> None:
        """Take in what `own_delta` returned."""
        summaries = [VisitSummary.model_validate(row) for row in delta.get("summaries", ())]
        rows = delta.get("rows")
        if rows:
            self._visit_index(rows["dimensions"]).extend(rows["index"])
            self._embedder.learn([summary.text for summary in summaries if summary.text])
        for summary in summaries:
            self._settle(summary)
        for key, (value, since) in delta.get("strengths", {}).items():
            self._strengthen(key, Strength(value, datetime.fromisoformat(since)))
        self._recalled = dict(delta.get("recalled", self._recalled))
        self._made = self._saved_summaries = max(self._made, delta.get("made", 0))

    def drop_own(self, turns: Collection[int]) -> list[str]:
        """Forget the summaries of visits with these turns.

        What is left of a visit is summarised at the next one.
        """
        dropped = []
        for summary in self._summaries.values():
            if summary.text and not {*summary.turns}.isdisjoint(turns):
                dropped.append(summary.number)
        keys = list(map(_visit_key, dropped))
        for number in dropped:
            del self._summaries[number]
            self._visit_index(0).remove(number)
        self._forget_strengths([*keys, *map(turn_key, turns)])
        return keys

    def _forget_strengths(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._strengths.pop(key, None)
            self._recalled.pop(key, None)
            self._changed.discard(key)

    def _keep(self, turn: Turn) -> str:
        if turn.at is not None:
            self._open.setdefault(turn.at.date(), []).append(turn.number)
        if turn.number not in self._places:
            self._places[turn.number] = len(self._places)
            self._values.append(1.0)
            self._last_times.append(self._in_seconds(self.time_of(turn)))
        return super()._keep(turn)

    def _clear_turns(self) -> None:
        super()._clear_turns()
        self._places = {}
        self._values = array("d")
        self._last_times = array("d")

    async def _rebuild(self, turns: dict[int, Turn]) -> None:
        self._open = {}
        await super()._rebuild(turns)
        for key, strength in self._strengths.items():
            self._strengthen(key, strength)
        for summary in self._summaries.values():
            self._settle(summary)

    # Items.

    def items(self, delta: dict[str, Any]) -> list[MemoryItem]:
        """The turns and summaries of a delta."""
        summaries = delta.get("own", {}).get("summaries", ())
        items = super().items(delta)
        for row in summaries:
            if row["text"]:
                items.append(MemoryItem(_visit_key(row["number"]), row["text"]))
        return items

    def turns_of(self, key: str) -> tuple[int, ...]:
        """The turns that an item rests on."""
        if key.startswith(_VISIT):
            return self._summaries[key_number(key)].turns
        return super().turns_of(key)

    async def rewrite(self, key: str, text: str) -> list[str]:
        """Give a turn or a summary another text."""
        if not key.startswith(_VISIT):
            return await super().rewrite(key, text)
        number = key_number(key)
        [vector] = await self._embedder.embed([text])
        self._visit_index(len(vector)).remove(number)
        self._visit_index(len(vector)).add(number, vector)
        old = self._summaries[number]
        facts = sentence_facts(text, self._turns[old.turns[-1]], self._language)
        self._summaries[number] = old.model_copy(update={"text": text, "facts": facts})
        return []

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Remove turns with the summaries that rest on them, or summaries without their turns."""
        visits = [key for key in keys if key.startswith(_VISIT)]
        for number in map(key_number, visits):
            self._visit_index(0).remove(number)
            summary = self._summaries[number]
            self._summaries[number] = summary.model_copy(update={"text": "", "facts": ()})
        self._forget_strengths(visits)
        turns = [key for key in keys if not key.startswith(_VISIT)]
        return [*visits, *(await super().erase(turns) if turns else ())]


def _visit_key(number: int) -> str:
    """The key of a summary."""
    return f"{_VISIT}{number}"
