"""One record laid out as matrices, once, so that a question is a few products."""

from __future__ import annotations

from collections.abc import Iterable

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
        self.categories = [entry.category.value for entry in record.entries]
        names = [name for entry in record.entries for name in (entry.name, *entry.aliases)]
        self.first = np.cumsum([0, *(1 + len(entry.aliases) for entry in record.entries)])[:-1]
        """Where the names of each entry begin."""
        self._lay_words(record, names)
        gram_sets = [grams(name, self.language) for name in names]
        self.grams = columns(gram for found in gram_sets for gram in found)
        self.name_grams = _by_column(_rows(gram_sets, self.grams))
        self.name_lengths = np.sqrt(np.maximum(self.name_grams.sum(axis=0), 1))
        self._lay_concepts(entry_concepts(record))

    def _lay_words(self, record: PatientRecord, names: list[str]) -> None:
        word_sets = [frozenset(content(name, self.language)) for name in names]
        text_sets = [frozenset(content(f"{entry.report} {entry.said}", self.language)) for entry in record.entries]
        self.words = columns(word for found in (*word_sets, *text_sets) for word in found)
        self.weights = np.array([self.lexicon.weight(word) for word in self.words])
        names_by_word = _rows(word_sets, self.words)
        self.name_weights = names_by_word @ self.weights
        own = np.maximum.reduceat(names_by_word, self.first)
        # One row per word: what it does for every name, for every entry's names together, and for all an entry says.
        everything = np.maximum(own, _rows(text_sets, self.words))
        self.by_word = _by_column(np.concatenate([names_by_word, own, everything]))
        self.own = [frozenset(content(entry.name, self.language)) for entry in record.entries]
        self.own_weights = np.array([sum(map(self.lexicon.weight, name)) for name in self.own])

    def _lay_concepts(self, known: list[Shares]) -> None:
        """(concepts, entries): how much each entry is about each concept."""
        self.concepts = columns(name for found in known for name in found)
        self.shares = np.zeros((len(self.concepts), len(known)))
        for place, found in enumerate(known):
            for name, share in found.items():
                self.shares[self.concepts[name], place] = share


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
    return frozenset(f"^{word}$"[i : i + 4] for word in joined for i in range(max(1, len(word) - 1)))


def _rows(sets: list[frozenset[str]], places: dict[str, int]) -> Floats:
    rows = np.zeros((len(sets), len(places)))
    for place, found in enumerate(sets):
        rows[place, [places[thing] for thing in found]] = 1.0
    return rows


def _by_column(rows: Floats) -> Floats:
    """The same matrix with what were its columns as rows, each in one piece."""
    return np.ascontiguousarray(rows.T)
