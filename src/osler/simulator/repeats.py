"""Whether a question asks again for what an earlier one asked for."""

from __future__ import annotations

from osler.records.language import Language
from osler.words import alike, content


class Repeats:
    """The questions of one consultation so far."""

    def __init__(self, language: Language) -> None:
        """Start empty."""
        self._language = language
        self._entries: set[str] = set()
        self._questions: list[frozenset[str]] = []

    def saw(self, question: str, entries: tuple[str, ...]) -> bool:
        """Take in a question and the entries it brought; True when all of it had been asked for before."""
        words = frozenset(content(question, self._language))
        same_words = any(alike(words, earlier) for earlier in self._questions)
        same_entries = bool(entries) and self._entries.issuperset(entries)
        self._entries.update(entries)
        self._questions.append(words)
        return same_words or same_entries
