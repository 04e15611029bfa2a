"""Keyword overlap of a query and texts.

Jaccard over content words, where a part of a word counts half.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.language.words import content

_PARTIAL = 0.5
"""What a word counts that contains another or is contained in it."""
_SHORTEST = {Language.EN: 4, Language.ZH: 2}
"""Letters that a word must have to be looked for within another."""
_BETWEEN = "\n"
"""Between the words that are searched as one text: no word contains it."""


class KeywordIndex:
    """The content words of texts. Texts have places, in the order of adding."""

    def __init__(self, language: Language) -> None:
        """Start empty."""
        self._language = language
        self._sizes = array("q")
        """How many words each text has."""
        self._holders: dict[str, array[int]] = {}
        """The places of the texts that have a word."""
        self._all_words = _BETWEEN
        """The words that are long enough to be looked for, as one text."""
        self._new_words: list[str] = []
        """Those that are not in that text yet."""

    def add(self, text: str) -> None:
        """Hold a text behind the others."""
        words = set(content(text, self._language))
        for word in words:
            if word not in self._holders:
                self._holders[word] = array("q")
                if len(word) >= _SHORTEST[self._language]:
                    self._new_words.append(word)
            self._holders[word].append(len(self._sizes))
        self._sizes.append(len(words))

    def overlaps(self, query: str) -> NDArray[np.float64]:
        """The overlap of each text and the query."""
        query_words = set(content(query, self._language))
        shared = np.zeros(len(self._sizes))
        for word in sorted(query_words):
            weights = np.zeros(len(shared))
            for other in self._parts(word):
                weights[np.array(self._holders[other])] = _PARTIAL
            if word in self._holders:
                weights[np.array(self._holders[word])] = 1.0
            shared += weights
        overlaps: NDArray[np.float64] = shared / np.maximum(
            len(query_words) + np.array(self._sizes) - shared, 1.0
        )
        return overlaps

    def _parts(self, word: str) -> set[str]:
        """The words of the texts that contain this word or are contained in it."""
        least = _SHORTEST[self._language]
        if len(word) < least:
            return set()
        parts = self._containing(word)
        for start in range(len(word)):
            for end in range(start + least, len(word) + 1):
                if word[start:end] in self._holders:
                    parts.add(word[start:end])
        return parts - {word}

    def _containing(self, word: str) -> set[str]:
        """The words that contain this word.

        One search through a text is quicker than one through each word.
        """
        if self._new_words:
            self._all_words += _BETWEEN.join([*self._new_words, ""])
            self._new_words = []
        text = self._all_words
        words = set[str]()
        at = text.find(word)
        while at >= 0:
            start = text.rindex(_BETWEEN, 0, at) + 1
            end = text.index(_BETWEEN, at)
            words.add(text[start:end])
            at = text.find(word, end)
        return words
