"""Detect questions that repeat something already asked or answered."""

from __future__ import annotations

from collections.abc import Iterable

from osler.language import Language
from osler.language.lexicon import broad_parts
from osler.language.lexicon.categories import categories_asked
from osler.language.lexicon.phrases import aspects, things
from osler.language.words import alike, content


class Repeats:
    """The dialogue of one consultation so far."""

    def __init__(self, language: Language, opening: str = "") -> None:
        """Start with what the patient came with."""
        self._language = language
        self._entries: set[str] = set()
        self._questions: list[str] = []
        self._worded: list[frozenset[str]] = []
        self._told = [opening]

    def saw(self, question: str, entries: tuple[str, ...]) -> bool:
        """Take in a question and the entries it returned; True if it asks for nothing new.

        Entries that came before are not enough: "What makes it worse?" returns the cough again, and nobody had asked.
        """
        words = frozenset(content(question, self._language))
        again = any(alike(words, earlier) for earlier in self._worded) or (
            bool(entries) and self._entries.issuperset(entries) and not self._asks_for_more(question)
        )
        self._entries.update(entries)
        self._questions.append(question)
        self._worded.append(words)
        self._told += entries
        return again

    def heard(self, reply: str) -> None:
        """Take in what the patient said."""
        self._told.append(reply)

    def _asks_for_more(self, question: str) -> bool:
        """Check whether it asks for a section of the record, a quality or a thing by name that has not come up."""
        if parts := self._parts(question):
            return not parts <= _of(map(self._parts, self._questions))
        named = things(question, self._language)
        if asked_of_it := aspects(question, self._language):
            return not any(
                asked_of_it <= aspects(earlier, self._language) and named <= (things(earlier, self._language) or named)
                for earlier in self._questions
            )
        return not named <= _of(things(text, self._language) for text in (*self._questions, *self._told))

    def _parts(self, question: str) -> frozenset[str]:
        return broad_parts(question, self._language) | categories_asked(question, self._language)


def _of(several: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*several)
