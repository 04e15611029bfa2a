"""The summary as text within a budget: what is told of each field, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from itertools import chain, zip_longest

from osler.language import Language
from osler.language.times_and_values import time_finder
from osler.memory.base import tokens
from osler.memory.core.recall_text import SEMICOLON
from osler.memory.summary.by_rules import names_something
from osler.memory.summary.entries import STATED, StructuredSummary, SummaryEntry, SummaryField
from osler.prompts import phrases

_LAST = (
    SummaryField.EXCLUDED,
    SummaryField.TOPIC,
    SummaryField.FACTS,
    SummaryField.CONSTRAINTS,
    SummaryField.DATA,
)
"""What is told if there is still room."""
_DATED = frozenset({*STATED, SummaryField.EXCLUDED})
_DAY = "[{day}] "
_SHORTEST = 4
"""Tokens of a short entry: more of them than fit into the budget are not looked at."""


class SummaryPage:
    """Chosen entries of a summary, and what is left of the budget."""

    def __init__(
        self,
        summary: StructuredSummary,
        query: str,
        language: Language,
        budget: int,
        day_of: Callable[[SummaryEntry], date | None],
    ) -> None:
        """Start with nothing chosen."""
        self._summary = summary
        self._query = query
        self._language = language
        self._day_of = day_of
        self._words = phrases("summary_lines", language)
        self._separator = SEMICOLON[language]
        self._budget = budget
        self.left = budget
        self.chosen: dict[int, SummaryEntry] = {}
        self._dropped: dict[int, SummaryEntry] = {}
        """Entries that did not fit."""
        self._days: set[tuple[SummaryField, date | None]] = set()

    def choose_first(self) -> None:
        """Choose allergies and a pregnancy, then other constraints and key data.

        They come before any turn.
        """
        self._choose(self._summary.vital, self._budget // 2)
        for field in (SummaryField.CONSTRAINTS, SummaryField.DATA):
            self._choose(self._by_weight(field), self._budget // 5)

    def choose_more(self, whole: Collection[int]) -> None:
        """Choose what else fits, except what is in the turns that are recalled whole.

        A tenth of the budget is for what is open, and a tenth for what was talked about and is in
        nothing else that is recalled.
        """
        part = self._budget // 10
        self._choose(self._by_weight(SummaryField.OPEN), part, whole)
        self._choose(self._by_weight(SummaryField.FACTS), self.left - part, whole)
        self._choose(self._by_weight(SummaryField.POINTS), self.left, {*whole, *self.turns})
        for field in _LAST:
            self._choose(self._by_weight(field), self.left, whole)

    @property
    def turns(self) -> set[int]:
        """The turns that the chosen entries rest on."""
        return _turns_of(self.chosen.values())

    def _choose(
        self, entries: Iterable[SummaryEntry], budget: int, in_turns: Collection[int] = ()
    ) -> None:
        """Choose what fits, except entries that rest only on these turns."""
        least = max(self.left - budget, 0)
        for entry in entries:
            cost = self._cost(entry)
            if entry.id in self.chosen or (entry.turns and {*entry.turns} <= {*in_turns}):
                continue
            if self.left - cost < least:
                self._dropped[entry.id] = entry
                continue
            self.left -= cost
            self._dropped.pop(entry.id, None)
            self.chosen[entry.id] = entry
            self._days.add((entry.field, self._day_of(entry)))

    @property
    def dropped_turns(self) -> set[int]:
        """The turns of the entries that did not fit."""
        return _turns_of(self._dropped.values())

    def text(self) -> list[str]:
        """The chosen entries, a line for each field."""
        lines = []
        for field in SummaryField:
            entries = [entry for entry in self.chosen.values() if entry.field is field]
            if entries:
                lines.append(self._words[field.value].format(entries=self._line(field, entries)))
        return lines

    def _by_weight(self, field: SummaryField) -> Sequence[SummaryEntry]:
        """The entries of a field: what bears on the query and what is new, in turn.

        Of the facts of a day, those that name a drug or a thing that doctors ask about come first.
        """
        newest = list(reversed(self._summary.last(field, self._budget // _SHORTEST)))
        if field is SummaryField.FACTS:
            days = [self._day_of(entry) for entry in newest]
            last_day = max(filter(None, days), default=None)

            def order(entry: SummaryEntry) -> tuple[bool, bool]:
                is_earlier = self._day_of(entry) != last_day
                return is_earlier, not names_something(entry, self._language)

            newest.sort(key=order)
        if field in (SummaryField.OPEN, SummaryField.POINTS):
            return newest
        timeless = time_finder(self._language).sub(" ", self._query)
        sharing = self._summary.sharing(timeless, {field})
        in_turn = filter(None, chain.from_iterable(zip_longest(sharing, newest)))
        return list({entry.id: entry for entry in in_turn}.values())

    def _cost(self, entry: SummaryEntry) -> int:
        """The tokens that an entry adds, rounded up.

        The first entry of a field brings the field's name, the first of a day its date.
        """
        day = self._day_of(entry)
        cost = tokens(entry.text) + 1
        if not any(field is entry.field for field, _ in self._days):
            cost += tokens(self._words[entry.field.value]) + 1
        if entry.field in _DATED and (entry.field, day) not in self._days:
            cost += tokens(_DAY.format(day=day)) + 1
        return cost

    def _line(self, field: SummaryField, entries: Sequence[SummaryEntry]) -> str:
        """Entries in the order of time, with the day wherever it changes."""
        texts = []
        day_before = None
        for entry in sorted(entries, key=lambda entry: (entry.turns[-1:], entry.id)):
            day = self._day_of(entry) if field in _DATED else None
            is_new_day = day is not None and day != day_before
            texts.append(f"{_DAY.format(day=day)}{entry.text}" if is_new_day else entry.text)
            day_before = day
        return self._separator.join(texts)


def _turns_of(entries: Iterable[SummaryEntry]) -> set[int]:
    turns: set[int] = set()
    for entry in entries:
        turns.update(entry.turns)
    return turns
