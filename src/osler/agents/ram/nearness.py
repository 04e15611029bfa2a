"""How near in meaning a question and the entries of a record are, also where they share no word.

Two measures: the concepts that are read in the question and in the entry's own texts, and how near the words of both
lie to each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from osler.agents.ram.intent import Ask
from osler.agents.ram.meaning import model
from osler.agents.ram.reader import Matrix, reader, telling
from osler.language import Language
from osler.records.schema import PatientRecord

_UNRELATED = 0.25
"""Cosine up to which two words have nothing to do with each other."""
_LEAST = 0.05
"""A best entry below this is no measure for the others."""
_NOTHING_HERE = frozenset({"none", "other"})
_MEASURES = 11
_NO_LENGTH = 1e-12
"""Squared: what lies nowhere stays there."""
Words = tuple[tuple[str, str], ...]
"""As written, and as counted."""
_NO_WORD: Words = (("", ""),)


class Nearness:
    """The meaning of one record's entries, laid out once."""

    def __init__(self, record: PatientRecord, weight: Callable[[str], float]) -> None:
        """Read every name and every text; `weight` is how much a word says."""
        self._language, self._weight = record.language, weight
        names = [name for entry in record.entries for name in (entry.name, *entry.aliases)]
        texts = [text for entry in record.entries for text in (entry.report, entry.said)]
        self._first = np.cumsum([0, *(1 + len(entry.aliases) for entry in record.entries)])[:-1]
        """Where the names of each entry begin."""
        named = np.maximum.reduceat(reader(self._language).read(names), self._first)
        told = np.maximum.reduceat(reader(self._language).read(texts), np.arange(0, len(texts), 2))
        self._read = _by_concept(np.concatenate([named, told]), self._language)
        """For each concept where it is read, and how clearly: what the names mean, then what the texts tell of."""
        words: dict[str, int] = {}
        in_names = _Laid(names, self._language, weight, words)
        whole = [f"{report} {said}" for report, said in zip(texts[::2], texts[1::2], strict=True)]
        in_texts = _Laid(whole, self._language, weight, words)
        points = np.array([direction(word, self._language) for word in words])
        self._middles = np.concatenate([in_names.middles(points), in_texts.middles(points)]).T.copy()
        """Of every name, then of every entry's texts."""
        self._near = (points / (1 - _UNRELATED)).T.copy()
        """Where each word lies, scaled to what counts of a cosine."""
        self._shares = in_names.shares(len(words))
        of_names = in_names.by_entry([*self._first, len(names)])
        of_texts = in_texts.by_entry(range(len(whole) + 1))
        # What is in a name need not be looked up in the texts again: the better of both is taken.
        laid = [*of_names, *([*(text - name)] or [*text][:1] for name, text in zip(of_names, of_texts, strict=True))]
        self._words = np.array([word for row in laid for word in row])
        self._starts = np.cumsum([0, *map(len, laid)])[:-1]
        """The words of every entry's names and of every entry's texts in one row, and where each entry begins."""

    def columns(self, asks: tuple[Ask, ...]) -> Matrix:
        """(columns, entries): each measure at its best over the asks, as a share of the best entry's, and that best."""
        entries = len(self._first)
        rows = np.empty((3, _MEASURES, entries), dtype=np.float32)
        found = rows[0]
        self._by_concepts(asks, found[:4])
        self._by_words(asks, found[4:])
        best = np.maximum.reduce(found, axis=1, keepdims=True)
        np.divide(found, np.maximum(best, _LEAST), out=rows[1])
        rows[2] = best
        return rows.reshape(-1, entries)

    def _by_concepts(self, asks: tuple[Ask, ...], found: Matrix) -> None:
        """What the asks and the names, and the asks and the texts, have in common: in all, and in one concept."""
        found[:] = 0.0
        cells = cast("memoryview[float]", found.reshape(-1).data)
        second = len(cells) // 2
        for ask in asks:
            in_all: dict[int, float] = {}
            for name, share in ask.meant.items():
                for place, part in self._read.get(name, ()):
                    both = share * part
                    in_all[place] = in_all.get(place, 0.0) + both
                    if both > cells[second + place]:
                        cells[second + place] = both
            for place, both in in_all.items():
                if both > cells[place]:
                    cells[place] = both
        np.sqrt(found[2:], out=found[2:])

    def _by_words(self, asks: tuple[Ask, ...], found: Matrix) -> None:
        """How near the words lie: of a name to the ask, of the ask to the names and to all an entry says; middles."""
        rows = [telling(ask.text, self._language) or _NO_WORD for ask in asks]
        words = dict.fromkeys(chain.from_iterable(rows))
        weights = np.array(self._parts(rows, words), dtype=np.float32)
        points = np.array([direction(word, self._language) for word, _ in words])
        near = points @ self._near
        near -= _UNRELATED / (1 - _UNRELATED)
        np.maximum(near, 0.0, out=near)
        entries, known = len(self._first), near.shape[1]
        # One row for each of the record's words: numbers that lie beside each other are compared at once.
        at_best = np.maximum.reduceat(near.T.take(self._words, axis=0), self._starts, axis=0)
        by_name, by_text = at_best[:entries], at_best[entries:]
        np.maximum(by_name, by_text, out=by_text)
        every = np.concatenate([near, at_best.T, points], axis=1)
        weighed = weights @ every[:, known:]
        middle = weighed[:, 2 * entries :]
        middle /= np.sqrt(np.add.reduce(middle * middle, axis=1, keepdims=True, initial=_NO_LENGTH))
        # Of each ask the best of its words: none is below 0, which is what the words of the other asks become.
        lies = every[:, : known + entries]
        most = np.maximum.reduce(np.sign(weights)[:, :, None] * lies if len(asks) > 1 else lies[None], axis=1)
        beside = middle @ self._middles
        of_names = np.concatenate([most[:, :known] @ self._shares, beside[:, :-entries]])
        name_met, name_beside = np.maximum.reduceat(of_names, self._first, axis=1).reshape(2, len(asks), entries)
        nearest = most[:, known:]
        measures = (name_met, weighed[:, : 2 * entries], name_beside, beside[:, -entries:], nearest, name_met * nearest)
        np.maximum.reduce(np.concatenate(measures, axis=1), out=found.reshape(-1))

    def _parts(self, rows: list[Words], words: Collection[tuple[str, str]]) -> list[list[float]]:
        """(rows, words): what part of each row every word is."""
        says = [self._weight(counted) if word else 0.0 for word, counted in words]
        found = []
        for row in map(frozenset, rows):
            own = [weight if word in row else 0.0 for word, weight in zip(words, says, strict=True)]
            total = max(sum(own), 1e-6)
            found.append([weight / total for weight in own])
        return found


def _by_concept(read: Matrix, language: Language) -> dict[str, list[tuple[int, float]]]:
    """For each concept the texts in which it is read, and how clearly. Few are in any one text."""
    found = defaultdict[str, list[tuple[int, float]]](list)
    named = model(language).concepts
    texts, columns = read.nonzero()
    for text, column, share in zip(texts.tolist(), columns.tolist(), read[texts, columns].tolist(), strict=True):
        if named[column] not in _NOTHING_HERE:
            found[named[column]].append((text, share))
    return dict(found)


class _Laid:
    """The telling words of several texts in one row: which they are, what each weighs, where each text begins."""

    def __init__(
        self, texts: list[str], language: Language, weight: Callable[[str], float], words: dict[str, int]
    ) -> None:
        rows = [telling(text, language) or _NO_WORD for text in texts]
        flat = [pair for row in rows for pair in row]
        self.words: NDArray[np.int64] = np.array([words.setdefault(word, len(words)) for word, _ in flat])
        self.weights = np.array([weight(counted) if word else 1e-6 for word, counted in flat], dtype=np.float32)
        self.starts = np.cumsum([0, *map(len, rows)])[:-1]
        self.totals = np.add.reduceat(self.weights, self.starts)

    def shares(self, known: int) -> Matrix:
        """(known words, texts): how much of each text a word is."""
        shares = np.zeros((known, len(self.starts)), dtype=np.float32)
        np.add.at(shares, (self.words, self._text_of()), self.weights)
        return shares / self.totals

    def by_entry(self, texts: Sequence[int]) -> list[set[int]]:
        """The words of each entry, where its texts begin at these."""
        starts = [*self.starts.tolist(), len(self.words)]
        words = self.words.tolist()
        return [set(words[starts[one] : starts[two]]) for one, two in pairwise(texts)]

    def _text_of(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.starts)), np.diff([*self.starts, len(self.words)]))

    def middles(self, points: Matrix) -> Matrix:
        """The middle of each text's words, as a direction."""
        middles = np.add.reduceat(points[self.words] * self.weights[:, None], self.starts)
        unit: Matrix = middles / np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), 1e-6)
        return unit


@lru_cache(maxsize=4096)
def direction(word: str, language: Language) -> Matrix:
    """Where a word lies, all at one distance; nowhere where it is not known."""
    point = reader(language).point(word)
    if point is None:
        return np.zeros(reader(language).points.shape[1], dtype=np.float32)
    unit: Matrix = point / max(float(np.linalg.norm(point)), 1e-6)
    return unit
