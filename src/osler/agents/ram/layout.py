"""One record laid out by words, letters, concepts and categories, once: a question looks up what it has of them.

A question shares few of them with few entries: looked up one by one they are had sooner than by products of matrices.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from osler.agents.ram.speaks import Shares, entry_concepts
from osler.language import Language
from osler.language.lexicon import concepts
from osler.language.words import content
from osler.records.schema import PatientRecord

_NOTHING = 1e-9
Floats = NDArray[np.float64]
Narrow = NDArray[np.float32]
Places = dict[int, float]
"""A number for some of the entries, by their place in the record."""
Columns = tuple[list[float], dict[int, Places]]
"""What is known about the entries: of each column what it is for most, and by its number what it is for others."""


class Name(NamedTuple):
    """A name of an entry."""

    place: int
    """Which entry it is of."""
    weight: float
    """How much its words say."""
    length: float
    """Of its character grams, as a cosine takes it."""


class Layout:
    """Names, texts, character grams and concepts of every entry of one record."""

    def __init__(self, record: PatientRecord) -> None:
        """Lay out the entries."""
        self.language = record.language
        self.lexicon = concepts(record.language)
        self.of_category = _holders([entry.category.value] for entry in record.entries)
        """For each category where its entries are."""
        called = [(place, name) for place, entry in enumerate(record.entries) for name in (entry.name, *entry.aliases)]
        words = [frozenset(content(name, self.language)) for _, name in called]
        letters = [grams(name, self.language) for _, name in called]
        self.names = [
            Name(place, max(self.said(own), _NOTHING), math.sqrt(max(1, len(some))))
            for (place, _), own, some in zip(called, words, letters, strict=True)
        ]
        self.in_names = _holders(words)
        """For each word the names that have it; so too for character grams."""
        self.in_own = {word: {self.names[name].place for name in names} for word, names in self.in_names.items()}
        """For each of these words the entries whose names these are."""
        self.grams_in_names = _holders(letters)
        everything = [set(content(f"{entry.report} {entry.said}", self.language)) for entry in record.entries]
        for name, own in zip(self.names, words, strict=True):
            everything[name.place] |= own
        self.in_entries = _holders(everything)
        """For each word the entries that have it, in a name or in what they tell."""
        self.about = _by_concept(entry_concepts(record))
        self.own = [frozenset(content(entry.name, self.language)) for entry in record.entries]

    def said(self, words: Iterable[str]) -> float:
        """How much these words say."""
        return sum(map(self.lexicon.weight, words))


def _holders(sets: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """For each thing the sets that hold it, by their place."""
    found = defaultdict[str, list[int]](list)
    for place, things in enumerate(sets):
        for thing in things:
            found[thing].append(place)
    return dict(found)


def _by_concept(known: list[Shares]) -> dict[str, list[tuple[int, float]]]:
    """For each concept the entries that are about it, and how much."""
    about = defaultdict[str, list[tuple[int, float]]](list)
    for place, found in enumerate(known):
        for name, share in found.items():
            about[name].append((place, share))
    return dict(about)


def grams(text: str, language: Language) -> frozenset[str]:
    """Character grams of the content words: what spelling variants and Chinese compounds share."""
    joined = content(text, language)
    if language is Language.ZH:
        level = "".join(joined)
        return frozenset(level[i : i + 2] for i in range(len(level) - 1)) | frozenset(level)
    return frozenset[str]().union(*map(_grams_of, joined))


@lru_cache(maxsize=16384)
def _grams_of(word: str) -> frozenset[str]:
    return frozenset(f"^{word}$"[i : i + 4] for i in range(max(1, len(word) - 1)))


def laid(parts: Sequence[Columns], entries: int) -> Narrow:
    """(columns, entries): the columns of all parts, one row for each."""
    usual = np.array(list(chain.from_iterable([values for values, _ in parts])), dtype=np.float32)
    rows = np.empty((len(usual), entries), dtype=np.float32)
    rows[:] = usual[:, None]
    # Few entries differ: these are written one by one.
    cells = cast("memoryview[float]", rows.reshape(-1).data)
    first = 0
    for values, others in parts:
        for column, found in others.items():
            start = (first + column) * entries
            for place, value in found.items():
                cells[start + place] = value
        first += len(values)
    return rows
