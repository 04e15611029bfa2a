"""The structured summary: short entries in seven fields, each with the turns that it rests on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from enum import StrEnum
from itertools import islice
from typing import Any

from osler.language import Language
from osler.language.cues import finder
from osler.language.words import content
from osler.memory.base import FrozenModel
from osler.memory.core.fact import Fact, FactKey, FactKind

_NEAR = 24
"""Entries that are compared with a new text because they share most words with it."""
_LATELY = 8
"""Entries that are compared with a new text because they came last."""


class SummaryField(StrEnum):
    """The fields of the summary, in the order in which they are told."""

    TOPIC = "topic"
    FACTS = "confirmed_facts"
    CONSTRAINTS = "constraints"
    EXCLUDED = "excluded_options"
    DATA = "key_data"
    OPEN = "open_questions"
    POINTS = "points_discussed"


PROTECTED = frozenset({SummaryField.CONSTRAINTS, SummaryField.DATA})
"""Fields whose entries stay until something takes their place, however many there are."""


STATED = frozenset({*PROTECTED, SummaryField.FACTS})
"""Fields with facts."""


class SummaryEntry(FrozenModel):
    """One entry of a field."""

    id: int
    field: SummaryField
    text: str
    turns: tuple[int, ...] = ()
    """The turns that it rests on; none if it was known before the first."""
    fact: Fact | None = None
    """The fact that it tells, if rules formed it."""


class StructuredSummary:
    """The entries by number, the one that was last put in or changed last."""

    def __init__(self, language: Language, most: int) -> None:
        """Start empty. A field holds at most so many entries, except those in `PROTECTED`."""
        self._language = language
        self._most = most
        self._entries: dict[int, SummaryEntry] = {}
        self._by_field: dict[SummaryField, dict[int, None]] = {field: {} for field in SummaryField}
        self._by_word: defaultdict[str, dict[int, None]] = defaultdict(dict)
        self._by_fact: dict[FactKey, int] = {}
        """The entries that rules formed, by the facts that they tell."""
        self._vital: dict[int, None] = {}
        self._next = 1
        self._changed: dict[int, None] = {}
        """Numbers of the entries that are new, changed or gone since `delta` was last called."""

    def __getitem__(self, number: int) -> SummaryEntry:
        """The entry of that number."""
        return self._entries[number]

    def __contains__(self, number: object) -> bool:
        """Whether there is an entry of that number."""
        return number in self._entries

    def __iter__(self) -> Iterator[SummaryEntry]:
        """Every entry."""
        return iter(self._entries.values())

    def of(self, field: SummaryField) -> list[SummaryEntry]:
        """The entries of a field, the newest last."""
        return [self._entries[number] for number in self._by_field[field]]

    def last(self, field: SummaryField, count: int) -> list[SummaryEntry]:
        """The newest entries of a field, the newest last."""
        newest_first = islice(reversed(self._by_field[field]), count)
        newest = [self._entries[number] for number in newest_first]
        newest.reverse()
        return newest

    @property
    def vital(self) -> list[SummaryEntry]:
        """The constraints that are allergies or a pregnancy, the newest first."""
        return [self._entries[number] for number in reversed(self._vital)]

    def sharing(self, text: str, fields: Collection[SummaryField]) -> list[SummaryEntry]:
        """The entries of some fields that share words with a text, by how many, then the newest."""
        shared: Counter[int] = Counter()
        for word in sorted(set(content(text, self._language))):
            with_word = reversed(self._by_word.get(word, {}))
            in_fields = (number for number in with_word if self._entries[number].field in fields)
            shared.update(islice(in_fields, _NEAR))
        best = sorted(shared, key=lambda number: (-shared[number], -number))[:_NEAR]
        return [self._entries[number] for number in best]

    def near(self, text: str, fields: Collection[SummaryField]) -> list[SummaryEntry]:
        """The entries of some fields that may be about the same things as a text, oldest first."""
        lately = (self._entries[number] for number in islice(reversed(self._entries), _LATELY))
        candidates = (*self.sharing(text, fields), *lately)
        near = {entry.id: entry for entry in candidates if entry.field in fields}
        return [near[number] for number in sorted(near)]

    def same_as(self, fact: Fact) -> SummaryEntry | None:
        """Return the entry that tells exactly this fact."""
        number = self._by_fact.get(fact.key)
        if number is None:
            return None
        return self._entries[number]

    def add(
        self, field: SummaryField, text: str, turns: tuple[int, ...], fact: Fact | None = None
    ) -> SummaryEntry:
        """Put in a new entry; if its field is full, the oldest one goes."""
        entry = SummaryEntry(id=self._next, field=field, text=text, turns=turns, fact=fact)
        self.put(entry)
        if field not in PROTECTED and len(self._by_field[field]) > self._most:
            self.drop(next(iter(self._by_field[field])))
        return entry

    def put(self, entry: SummaryEntry) -> None:
        """Hold an entry, in place of the one with its number."""
        self.drop(entry.id)
        self._entries[entry.id] = entry
        self._by_field[entry.field][entry.id] = None
        if entry.fact is not None:
            self._by_fact[entry.fact.key] = entry.id
        for word in set(content(entry.text, self._language)):
            self._by_word[word][entry.id] = None
        if entry.field is SummaryField.CONSTRAINTS and self._is_vital(entry):
            self._vital[entry.id] = None
        self._next = max(self._next, entry.id + 1)

    def drop(self, number: int) -> None:
        """Hold an entry no more."""
        self._changed.pop(number, None)
        self._changed[number] = None
        entry = self._entries.pop(number, None)
        if entry:
            del self._by_field[entry.field][number]
            self._vital.pop(number, None)
            if entry.fact is not None:
                self._by_fact.pop(entry.fact.key, None)
            for word in set(content(entry.text, self._language)):
                del self._by_word[word][number]

    def _is_vital(self, entry: SummaryEntry) -> bool:
        kinds = (FactKind.ALLERGY, FactKind.PREGNANCY)
        if entry.fact is not None:
            return entry.fact.kind in kinds
        return any(finder(kind.value, self._language).search(entry.text) for kind in kinds)

    def delta(self, everything: bool) -> dict[str, Any]:
        """What changed since the last call, or all of it, as plain data."""
        changed = list(self._entries if everything else self._changed)
        self._changed = {}
        rows = [self._entries[number] for number in changed if number in self._entries]
        return {
            "next": self._next,
            "entries": [entry.model_dump(mode="json", exclude_defaults=True) for entry in rows],
            "gone": [number for number in changed if number not in self._entries],
        }

    def apply(self, delta: dict[str, Any]) -> None:
        """Take in what `delta` returned."""
        for number in delta["gone"]:
            self.drop(number)
        for row in delta["entries"]:
            self.put(SummaryEntry.model_validate(row))
        self._next = delta["next"]
        self._changed = {}
