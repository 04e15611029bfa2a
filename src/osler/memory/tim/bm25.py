"""BM25 keyword search, over words in English and words plus character pairs in Chinese."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, groupby

from osler.language import Language
from osler.language.words import content, words

_K1, _B = 1.2, 0.6


def rarity(texts: int, holders: int) -> float:
    """Weight a term by how few of all texts contain it."""
    return math.log(1 + (texts - holders + 0.5) / (holders + 0.5))


class Bm25:
    """An inverted index that things can be added to and removed from."""

    def __init__(self, language: Language) -> None:
        """Start empty."""
        self._language = language
        self.clear()

    def clear(self) -> None:
        """Hold nothing."""
        self._postings: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._terms: dict[int, Counter[str]] = {}
        self._length = 0

    def add(self, number: int, text: str) -> None:
        """Hold a text under a number."""
        counts = Counter(self.terms(text))
        self._terms[number] = counts
        self._length += counts.total()
        for term, count in counts.items():
            self._postings[term][number] = count

    def remove(self, number: int) -> None:
        """Hold it no more."""
        counts = self._terms.pop(number)
        self._length -= counts.total()
        for term in counts:
            del self._postings[term][number]

    def scores(self, query: str) -> dict[int, float]:
        """Score whatever shares a word with the query."""
        found: defaultdict[int, float] = defaultdict(float)
        for holders in self.scores_by_word(query).values():
            for number, score in holders.items():
                found[number] += score
        return dict(found)

    def scores_by_word(self, query: str) -> dict[str, dict[int, float]]:
        """For each word of the query, return what contains it and what that adds to its score."""
        mean = self._length / max(1, len(self._terms)) or 1.0
        found: dict[str, dict[int, float]] = {}
        for term in dict.fromkeys(self.terms(query)):
            holders = self._postings.get(term)
            if not holders:
                continue
            top = rarity(len(self._terms), len(holders)) * (_K1 + 1)
            found[term] = {
                number: top * count / (count + _K1 * (1 - _B + _B * self._terms[number].total() / mean))
                for number, count in holders.items()
            }
        return found

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order."""
        return list(chain.from_iterable(self.phrases(text)))

    def phrases(self, text: str) -> list[list[str]]:
        """Return the terms phrase by phrase: a phrase is words side by side, and a word of no weight ends it."""
        kept = frozenset(content(text, self._language))
        rows = groupby(words(text, self._language), kept.__contains__)
        return [[*row, *_pairs(row)] for row in (tuple(some) for has_weight, some in rows if has_weight)]


def _pairs(phrase: Sequence[str]) -> list[str]:
    """Pair Chinese characters that are side by side, but not across a word of no weight.

    Such a pair would be found only in text worded the same way, and weigh much for being rare.
    """
    runs = ("".join(run) for is_chinese, run in groupby(phrase, _is_chinese) if is_chinese)
    return [run[at : at + 2] for run in runs for at in range(len(run) - 1)]


def _is_chinese(word: str) -> bool:
    return "\u4e00" <= word[0] <= "\u9fff"
