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
        self._summary, self._query, self._language, self._day_of = summary, query, language, day_of
        self._words, self._separator = phrases("summary_lines", language), SEMICOLON[language]
        self.left = self._budget = budget
        self.chosen: dict[int, SummaryEntry] = {}
        self._dropped: dict[int, SummaryEntry] = {}
        """Entries that did not fit."""
        self._days: set[tuple[SummaryField, date | None]] = set()

    def choose_first(self) -> None:
        """Choose what is told before any turn.

        Allergies and a pregnancy, then other constraints and key data.
        """
        self._choose(self._summary.vital, self._budget // 2)
        for field in (SummaryField.CONSTRAINTS, SummaryField.DATA):
            self._choose(self._by_weight(field), self._budget // 5)

    def choose_more(self, told: Collection[int]) -> None:
        """Choose what else fits, except what turns say that are told anyway.

        A tenth of the budget is for what is open, and a tenth for what was talked about and is not
        told otherwise.
        """
        part = self._budget // 10
        self._choose(self._by_weight(SummaryField.OPEN), part, told)
        self._choose(self._by_weight(SummaryField.FACTS), self.left - part, told)
        self._choose(self._by_weight(SummaryField.POINTS), self.left, {*told, *self.turns})
        for field in _LAST:
            self._choose(self._by_weight(field), self.left, told)

    @property
    def turns(self) -> set[int]:
        """The turns that the chosen entries rest on."""
        return {number for entry in self.chosen.values() for number in entry.turns}

    def _choose(
        self, entries: Iterable[SummaryEntry], budget: int, told: Collection[int] = ()
    ) -> None:
        """Choose what fits, except entries of turns that are told already."""
        least = max(self.left - budget, 0)
        for entry in entries:
            cost = self._cost(entry)
            if entry.id in self.chosen or (entry.turns and {*entry.turns} <= {*told}):
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
        return {number for entry in self._dropped.values() for number in entry.turns}

    def text(self) -> list[str]:
        """The chosen entries, a line for each field."""
        lines = []
        for field in SummaryField:
            if entries := [entry for entry in self.chosen.values() if entry.field is field]:
                lines.append(self._words[field.value].format(entries=self._line(field, entries)))
        return lines

    def _by_weight(self, field: SummaryField) -> Sequence[SummaryEntry]:
        """The entries of a field: what bears on the query and what is new, in turn.

        Of the facts of a day, those that name a drug or a thing that doctors ask about come first.
        """
        newest = list(reversed(self._summary.last(field, self._budget // _SHORTEST)))
        if field is SummaryField.FACTS:
            last = max((day for entry in newest if (day := self._day_of(entry))), default=None)
            newest.sort(
                key=lambda entry: (
                    self._day_of(entry) != last,
                    not names_something(entry, self._language),
                )
            )
        if field in (SummaryField.OPEN, SummaryField.POINTS):
            return newest
        timeless = time_finder(self._language).sub(" ", self._query)
        sharing = self._summary.sharing(timeless, {field})
        in_turn = filter(None, chain.from_iterable(zip_longest(sharing, newest)))
        return list({entry.id: entry for entry in in_turn}.values())

    def _cost(self, entry: SummaryEntry) -> int:
        """Tokens, rounded up.

        A field's name, a date where it is told, the words and the mark behind them.
        """
        day = self._day_of(entry)
        is_first = not any(field is entry.field for field, _ in self._days)
        dated = (
            _DAY.format(day=day)
            if (entry.field, day) not in self._days and entry.field in _DATED
            else ""
        )
        name = tokens(self._words[entry.field.value]) + 1 if is_first else 0
        return name + (tokens(dated) + 1 if dated else 0) + tokens(entry.text) + 1

    def _line(self, field: SummaryField, entries: Sequence[SummaryEntry]) -> str:
        """Entries in the order of time.

        If they are of different days, with the day where it changes.
        """
        entries = sorted(entries, key=lambda entry: (entry.turns[-1:], entry.id))
        days = [self._day_of(entry) if field in _DATED else None for entry in entries]
        before = [None, *days]
        marks = (
            _DAY.format(day=day) if day and day != last else ""
            for day, last in zip(days, before, strict=False)
        )
        return self._separator.join(
            f"{mark}{entry.text}" for mark, entry in zip(marks, entries, strict=True)
        )
