"""Keyword overlap of a query and texts: Jaccard over content words, where a part of a word counts half."""

from __future__ import annotations

from collections import defaultdict

from osler.language import Language
from osler.language.words import content

_PARTIAL = 0.5
_SHORTEST = {Language.EN: 4, Language.ZH: 2}
"""Letters that a word must have to be looked for within another."""


class KeywordIndex:
    """The content words of texts, each text under a number."""

    def __init__(self, language: Language) -> None:
        """Start empty."""
        self._language = language
        self._sizes: dict[int, int] = {}
        self._holders: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, number: int, text: str) -> None:
        """Hold a text under a number."""
        words = set(content(text, self._language))
        self._sizes[number] = len(words)
        for word in words:
            self._holders[word].append(number)

    def overlaps(self, query: str) -> dict[int, float]:
        """The overlap of each text that shares a word, or a part of one, with the query."""
        wanted = set(content(query, self._language))
        shared: defaultdict[int, float] = defaultdict(float)
        for word in wanted:
            weights = {number: _PARTIAL for other in self._parts(word) for number in self._holders[other]}
            weights |= dict.fromkeys(self._holders.get(word, ()), 1.0)
            for number, weight in weights.items():
                shared[number] += weight
        return {
            number: weight / max(len(wanted) + self._sizes[number] - weight, 1.0)
            for number, weight in sorted(shared.items())
        }

    def _parts(self, word: str) -> list[str]:
        """The words of the texts that contain this word or are contained in it."""
        least = _SHORTEST[self._language]
        if len(word) < least:
            return []
        return [one for one in self._holders if len(one) >= least and one != word and (one in word or word in one)]
