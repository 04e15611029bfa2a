"""A running structured summary and fuzzy recall as a doctor's memory of one patient.

After each turn the summary is refreshed: by a model that gets the summary so far and the new
exchange, or by rules if there is none. Before each turn it recalls the summary, and word for word
the turns that fit the query best. Whoever calls `remember` decides whether to wait for it; a
consultation runs it while the next question is asked and answered. A recall waits for a turn that
is being taken in, so it is the same however fast the model is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from itertools import islice
from typing import Any

import numpy as np
from pydantic import Field

from osler.language.words import content
from osler.memory.base import Change, Fact, MemorySettings, Query, Recall, Turn, tokens
from osler.memory.core.fact_lines import recalled_facts
from osler.memory.core.recall_text import raw_text
from osler.memory.core.turn_memory import EmbeddedTurnMemory, Scores
from osler.memory.options import MemoryOptions
from osler.memory.summary.by_model import ModelRefresh
from osler.memory.summary.by_rules import RulesRefresh, says_nothing, thought_of
from osler.memory.summary.entries import STATED, StructuredSummary, SummaryEntry, SummaryField
from osler.memory.summary.keywords import KeywordIndex
from osler.memory.summary.page import SummaryPage
from osler.prompts import phrases
from osler.ranking import ranked_places, reaching

_LATELY = 8
"""Turns among which the one before a turn is looked for."""
_MOST_WAITING = 4
"""Turns that wait for a model; of older ones that it could not take in, only their words are
kept."""


class SummaryOptions(MemoryOptions):
    """The options and their defaults."""

    keywords: float = Field(default=0.4, ge=0)
    """Weight of the keyword overlap in a turn's score."""
    cosine: float = Field(default=0.4, ge=0)
    recency: float = Field(default=0.2, ge=0)
    oldest: float = Field(default=0.7, ge=0, le=1)
    """Recency of what is as old as `hours`, or older; what was just said has 1."""
    hours: float = Field(default=24, gt=0)
    threshold: float = 0.3
    """The lowest score of a turn that is recalled."""
    k: int = Field(default=5, ge=0)
    """The most turns that are recalled word for word."""
    entries: int = Field(default=40, ge=1)
    """The most entries of a field; constraints and key data have no limit."""
    embedder: str = "hash"
    tokens: int = Field(default=2500, ge=1)
    """The most tokens of each answer of its model."""


class SummaryMemory(EmbeddedTurnMemory):
    """Recalls the structured summary, and the turns that fit best."""

    name = "summary"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._options = SummaryOptions.of(self.name, settings.options)
        super().__init__(settings, self._options.embedder)
        self._summary = StructuredSummary(settings.language, self._options.entries)
        self._waiting: list[int] = []
        """Turns that are not in the summary yet."""
        self._keywords: KeywordIndex | None = None
        """Of the turns; made by the first recall."""
        self._by_rules = RulesRefresh(settings.language, settings.speaker)
        self._by_model: ModelRefresh | None = None
        """None without a model."""
        if settings.thinker:
            self._by_model = ModelRefresh(
                settings, settings.thinker, self._options.entries, self._options.tokens
            )

    @property
    def summary(self) -> StructuredSummary:
        """The summary as it is now."""
        return self._summary

    async def after(self, turn: Turn, change: Change) -> Change:
        """Refresh the summary. A turn that a model cannot take in now waits for the next one."""
        earlier = [
            number for number in self._waiting if number in self._turns and number != turn.number
        ]
        waiting = [*earlier, turn.number][-_MOST_WAITING:]
        if self._by_model is None:
            self._waiting = []
            for number in waiting:
                change = self._refresh_by_rules(self._turns[number])
            return change
        self._waiting = waiting
        dialogue = self.dialogue(waiting)
        is_read, change = await self._by_model(self._summary, dialogue, tuple(waiting))
        if is_read:
            self._waiting = []
        return change

    def _refresh_by_rules(self, turn: Turn) -> Change:
        if not self._summary.last(SummaryField.TOPIC, 1):
            if self._settings.about:
                self._summary.add(SummaryField.TOPIC, self._settings.about, ())
            else:
                topic = turn.reply or turn.question
                self._summary.add(SummaryField.TOPIC, topic, (turn.number,))
        return self._by_rules(self._summary, turn, self._turn_before(turn))

    def _turn_before(self, turn: Turn) -> Turn | None:
        for other in islice(reversed(self._turns.values()), _LATELY):
            if other.number < turn.number:
                return other
        return None

    async def recall(self, query: Query) -> Recall:
        """Return the summary and the best turns, within the budget."""
        async with self._one_at_a_time:
            waiting = [number for number in reversed(self._waiting) if number in self._turns]
            best = self._best(await self.scores(query.text))
            turns = dict.fromkeys((*waiting, *best))
            return self._page(query.text, [number for number in turns if number != query.beside])

    def _best(self, scores: Scores) -> list[int]:
        """The best turns that reach the threshold, without those that say nothing.

        Of turns with the same words, only the best is among them.
        """
        numbers = np.fromiter(self._turns, dtype=np.int64, count=len(self._turns))
        good = np.flatnonzero(reaching(scores, self._options.threshold))
        best_first = ranked_places(scores[good], -numbers[good])
        by_text: dict[str, int] = {}
        for number in numbers[good][best_first].tolist():
            if len(by_text) == self._options.k:
                break
            turn = self._turns[number]
            text = raw_text(turn)
            if text not in by_text and not says_nothing(turn, self._language):
                by_text[text] = number
        return list(by_text.values())

    def _page(self, query: str, turns: Sequence[int]) -> Recall:
        """The summary first, then turns word for word.

        The turns get two fifths of what constraints and key data leave.
        """
        heading = phrases("summary_lines", self._language)["said"]
        budget = self._settings.budget
        page = SummaryPage(self._summary, query, self._language, budget, self._day)
        page.choose_first()
        room = page.left * 2 // 5 - tokens(heading) - 1
        whole = self.fitting(turns, room) if turns else []
        dialogue = [heading, self.dialogue(whole)] if whole else []
        page.left -= sum(tokens(text) + 1 for text in dialogue)
        page.choose_more(whole)
        exchanges = {number: self._turns[number].question_alone for number in page.turns}
        exchanges |= {number: self._turns[number] for number in whole}
        facts: list[Fact] = []
        for entry in page.chosen.values():
            facts += self._facts(entry)
        return Recall(
            text="\n".join((*page.text(), *dialogue)),
            facts=tuple(facts),
            exchanges=tuple(exchanges[number] for number in sorted(exchanges)),
            dropped=tuple(sorted((page.dropped_turns | {*turns}) - {*whole})),
        )

    async def scores(self, query: str) -> Scores:
        """Keyword overlap, cosine and recency of each turn, weighted."""
        if not self._turns:
            return np.empty(0)
        weights = self._options
        overlaps = self._index_of_keywords().overlaps(query)
        cosines = np.maximum(await self.cosines(query), 0.0)
        total: Scores = (
            weights.keywords * overlaps
            + weights.cosine * cosines
            + weights.recency * self._recency()
        )
        return total

    def _recency(self) -> Scores:
        """How recent each turn is, beside the newest one."""
        seconds = self.seconds
        share = np.clip((seconds[-1] - seconds) / (self._options.hours * 3600), 0.0, 1.0)
        recency: Scores = 1.0 - (1.0 - self._options.oldest) * share
        return recency

    def _index_of_keywords(self) -> KeywordIndex:
        if self._keywords is None:
            self._keywords = KeywordIndex(self._language)
            for turn in self._turns.values():
                self._keywords.add(raw_text(turn))
        return self._keywords

    def _keep(self, turn: Turn) -> str:
        if turn.number in self._turns:
            self._keywords = None
        elif self._keywords is not None:
            self._keywords.add(raw_text(turn))
        return super()._keep(turn)

    async def _rebuild(self, turns: dict[int, Turn]) -> None:
        self._keywords = None
        await super()._rebuild(turns)

    def _day(self, entry: SummaryEntry) -> date | None:
        """The day of an entry; None if all turns are of one day, or have no time."""
        turn = self._turns.get(entry.turns[-1]) if entry.turns else None
        if turn is None or turn.at is None:
            return None
        first = next(iter(self._turns.values())).at
        last = next(reversed(self._turns.values())).at
        is_one_day = first and last and first.date() == last.date()
        if is_one_day:
            return None
        return turn.at.date()

    def _facts(self, entry: SummaryEntry) -> list[Fact]:
        """An entry for code to read; what a model wrote is not taken apart."""
        if not entry.turns or entry.field not in STATED:
            return []
        if entry.fact is None:
            number = entry.turns[-1]
            turn = self._turns.get(number)
            at = turn.at if turn else None
            return [Fact(subject="", relation="", object=entry.text, turn=number, at=at)]
        return recalled_facts(
            thought_of(entry), self._language, lambda number: self._turns[number].at
        )

    # State: the summary, and which turns are not in it yet.

    def own_delta(self, everything: bool) -> dict[str, Any]:
        """The entries that changed, and the turns that wait."""
        return {**self._summary.delta(everything), "waiting": list(self._waiting)}

    def apply_own(self, delta: dict[str, Any]) -> None:
        """Take them in."""
        self._summary.apply(delta)
        self._waiting = list(delta["waiting"])

    def clear_own(self) -> None:
        """Start an empty summary."""
        self._summary = StructuredSummary(self._language, self._options.entries)
        self._waiting = []
        self._keywords = None

    def drop_own(self, turns: Collection[int]) -> list[str]:
        """Drop the entries that rest on these turns, or have words of these turns alone.

        What else such an entry rests on is taken in again with the next turn.
        """
        dropped_words = self._content_words(turns)
        waiting = {*self._waiting, *turns}
        for entry in list(self._summary):
            other_turns = [number for number in entry.turns if number not in turns]
            rests_on_dropped = len(other_turns) < len(entry.turns)
            only_in_dropped = dropped_words - self._content_words(other_turns)
            if rests_on_dropped or only_in_dropped & {*content(entry.text, self._language)}:
                self._summary.drop(entry.id)
                waiting.update(entry.turns)
        self._waiting = sorted(waiting)[-_MOST_WAITING:]
        return []

    def _content_words(self, turns: Collection[int]) -> set[str]:
        """The content words of those of the turns that are in the memory."""
        words: set[str] = set()
        for number in turns:
            if number in self._turns:
                words.update(content(raw_text(self._turns[number]), self._language))
        return words
