"""BM25 keyword search, over words in English and words plus character pairs in Chinese."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.language.words import content, words

_K1 = 1.2
"""How much further occurrences of a word count; at 0, only that it is there."""
_B = 0.6
"""How far the length of a text is allowed for: at 0 not at all, at 1 in full."""


def rarity(texts: int, holders: int) -> float:
    """Weight a term by how few of all texts contain it."""
    return math.log(1 + (texts - holders + 0.5) / (holders + 0.5))


class WordHolders(NamedTuple):
    """The texts that contain a word: their places, and what the word adds to the score of each."""

    places: NDArray[np.int64]
    scores: NDArray[np.float64]


class Bm25:
    """An inverted index that texts can be added to and removed from.

    Texts have places, in the order of adding.
    """

    def __init__(self, language: Language) -> None:
        """Start empty."""
        self._language = language
        self.clear()

    def clear(self) -> None:
        """Hold nothing."""
        self._postings: dict[str, tuple[array[int], array[float]]] = {}
        """For each term, the places of the texts that contain it, and how often."""
        self._lengths = array("d")
        self._numbers: list[int] = []
        """By place; a text that was removed leaves its place empty."""
        self._places: dict[int, int] = {}
        self._terms: dict[int, tuple[str, ...]] = {}
        """The terms of each text, by number."""
        self._length = 0.0

    def add(self, number: int, text: str) -> None:
        """Hold a text under a number."""
        counts = Counter(self.terms(text))
        place = len(self._numbers)
        self._places[number] = place
        self._terms[number] = tuple(counts)
        self._numbers.append(number)
        self._lengths.append(counts.total())
        self._length += counts.total()
        for term, count in counts.items():
            if term not in self._postings:
                self._postings[term] = array("q"), array("d")
            places, often = self._postings[term]
            places.append(place)
            often.append(count)

    def remove(self, number: int) -> None:
        """Hold it no more."""
        place = self._places.pop(number)
        self._length -= self._lengths[place]
        for term in self._terms.pop(number):
            places, often = self._postings[term]
            at = places.index(place)
            del places[at], often[at]

    def places(self, numbers: Iterable[int]) -> NDArray[np.intp]:
        """The places of texts."""
        return np.fromiter(map(self._places.__getitem__, numbers), dtype=np.intp)

    def number(self, place: int) -> int:
        """The number of the text at a place."""
        return self._numbers[place]

    def scores(self, query: str) -> dict[int, float]:
        """Score whatever shares a word with the query."""
        totals = self.totals(query)
        scored = np.flatnonzero(totals)
        numbers = [self._numbers[place] for place in scored.tolist()]
        return dict(zip(numbers, totals[scored].tolist(), strict=True))

    def totals(self, query: str) -> NDArray[np.float64]:
        """The score of each text, by place."""
        total = np.zeros(len(self._numbers))
        for holders in self.by_word(query).values():
            total[holders.places] += holders.scores
        return total

    def shares(self, query: str) -> bool:
        """Check whether any text shares a word with the query."""
        return any(term in self._postings and self._postings[term][0] for term in self.terms(query))

    def by_word(self, query: str) -> dict[str, WordHolders]:
        """For each word of the query, return what contains it and what that adds to its score."""
        mean = self._length / max(1, len(self._places)) or 1.0
        lengths = np.array(self._lengths)
        by_word: dict[str, WordHolders] = {}
        for term in dict.fromkeys(self.terms(query)):
            posting = self._postings.get(term)
            if posting is None or not posting[0]:
                continue
            places = np.array(posting[0])
            counts = np.array(posting[1])
            top = rarity(len(self._places), len(places)) * (_K1 + 1)
            share = counts / (counts + _K1 * (1 - _B + _B * lengths[places] / mean))
            by_word[term] = WordHolders(places, top * share)
        return by_word

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order."""
        return list(chain.from_iterable(self.phrases(text)))

    def phrases(self, text: str) -> list[list[str]]:
        """Return the terms phrase by phrase.

        A phrase is words side by side, and a word of no weight ends it.
        """
        return _phrases(text, self._language)


@lru_cache(maxsize=256)
def _phrases(text: str, language: Language) -> list[list[str]]:
    content_words = frozenset(content(text, language))
    phrases = []
    for has_weight, group in groupby(words(text, language), content_words.__contains__):
        if has_weight:
            phrase = list(group)
            phrases.append([*phrase, *_pairs(phrase)])
    return phrases


def _pairs(phrase: Sequence[str]) -> list[str]:
    """Pair Chinese characters that are side by side, but not across a word of no weight.

    Such a pair would be found only in text worded the same way, and weigh much for being rare.
    """
    pairs = []
    for is_chinese, run in groupby(phrase, _is_chinese):
        if is_chinese:
            characters = "".join(run)
            pairs += [first + second for first, second in pairwise(characters)]
    return pairs


def _is_chinese(word: str) -> bool:
    return "\u4e00" <= word[0] <= "\u9fff"
