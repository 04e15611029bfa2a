"""One record laid out as matrices, once, so that a question is a few products."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from osler.agents.lexicon import concepts
from osler.agents.ram.speaks import Shares, entry_concepts
from osler.records.language import Language
from osler.records.schema import PatientRecord
from osler.words import content

Floats = NDArray[np.float64]


class Layout:
    """Names, texts, character grams and concepts of every entry of one record."""

    def __init__(self, record: PatientRecord) -> None:
        """Lay out the entries."""
        self.language = record.language
        self.lexicon = concepts(record.language)
        self.of_category = _by_category(record)
        names = [name for entry in record.entries for name in (entry.name, *entry.aliases)]
        self.first = np.cumsum([0, *(1 + len(entry.aliases) for entry in record.entries)])[:-1]
        """Where the names of each entry begin."""
        self._lay_words(record, names)
        gram_sets = [grams(name, self.language) for name in names]
        self.grams = columns(gram for found in gram_sets for gram in found)
        # Ones and noughts, kept in a byte each: as numbers they would be half of all that is kept of a record.
        self.name_grams = _holders(gram_sets, self.grams).astype(np.uint8)
        self.name_lengths = np.sqrt(np.maximum(self.name_grams.sum(axis=0), 1))
        self.about = _by_concept(entry_concepts(record))

    def _lay_words(self, record: PatientRecord, names: list[str]) -> None:
        word_sets = [frozenset(content(name, self.language)) for name in names]
        text_sets = [frozenset(content(f"{entry.report} {entry.said}", self.language)) for entry in record.entries]
        self.words = columns(word for found in (*word_sets, *text_sets) for word in found)
        weights = np.array([self.lexicon.weight(word) for word in self.words])
        names_of = _holders(word_sets, self.words)
        self.name_weights = weights @ names_of
        self.name_totals = np.maximum(self.name_weights, 1e-9)
        own = np.maximum.reduceat(names_of, self.first, axis=1)
        everything = np.maximum(own, _holders(text_sets, self.words))
        # One row per word: its weight for every name, for every entry's names together, and for all an entry says.
        self.by_word = np.concatenate([names_of, own, everything], axis=1) * weights[:, None]
        self.own = [frozenset(content(entry.name, self.language)) for entry in record.entries]
        self.own_weights = np.array([sum(map(self.lexicon.weight, name)) for name in self.own])


def _by_category(record: PatientRecord) -> dict[str, NDArray[np.int64]]:
    """For each category where its entries are."""
    found = defaultdict[str, list[int]](list)
    for place, entry in enumerate(record.entries):
        found[entry.category.value].append(place)
    return {category: np.array(places) for category, places in found.items()}


def _by_concept(known: list[Shares]) -> dict[str, list[tuple[int, float]]]:
    """For each concept the entries that are about it, and how much."""
    about = defaultdict[str, list[tuple[int, float]]](list)
    for place, found in enumerate(known):
        for name, share in found.items():
            about[name].append((place, share))
    return dict(about)


def columns(things: Iterable[str]) -> dict[str, int]:
    """Each thing with its place, in the order they come."""
    return {thing: place for place, thing in enumerate(dict.fromkeys(things))}


def marked(sets: list[frozenset[str]], places: dict[str, int]) -> tuple[Floats, list[int]]:
    """Which of the known things that are in any of the sets each set holds, and where these things are."""
    known = [thing for thing in frozenset[str]().union(*sets) if thing in places]
    marks = np.array([[thing in found for thing in known] for found in sets], dtype=float)
    return marks, [places[thing] for thing in known]


def grams(text: str, language: Language) -> frozenset[str]:
    """Character grams of the content words: what spelling variants and Chinese compounds share."""
    joined = content(text, language)
    if language is Language.ZH:
        level = "".join(joined)
        return frozenset(level[i : i + 2] for i in range(len(level) - 1)) | frozenset(level)
    return frozenset[str]().union(*map(_grams_of, joined))


@lru_cache(maxsize=16384)
def _grams_of(word: str) -> tuple[str, ...]:
    return tuple(f"^{word}$"[i : i + 4] for i in range(max(1, len(word) - 1)))


def _holders(sets: list[frozenset[str]], places: dict[str, int]) -> Floats:
    """(things, sets): 1 where a set holds a thing."""
    holders = np.zeros((len(places), len(sets)))
    things = [places[thing] for found in sets for thing in found]
    holders[things, np.repeat(np.arange(len(sets)), [len(found) for found in sets])] = 1.0
    return holders
