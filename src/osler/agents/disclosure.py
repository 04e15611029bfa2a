"""Find which of the entries given to the patient its reply discloses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from osler.language import Language
from osler.language.lexicon.phrases import concepts_in
from osler.language.reader import denies
from osler.language.words import content, numbers
from osler.ranking import reaches
from osler.records.schema import Entry, Status

_SHARE = 0.34
"""Share of a report's words that a reply must have to disclose it.

The same for the words of the patient's own telling and of the entry's name. It counts only where
several entries were given.
"""


def disclosed_entries(reply: str, entries: Sequence[Entry], language: Language) -> tuple[str, ...]:
    """Return the names of the entries that a reply discloses.

    A reply discloses an entry in the record's words, by a number of the report, or by naming the
    same thing in other words. A denial counts for everything that is denied: "no, none of that".
    """
    reply_words = frozenset(content(reply, language))
    reply_numbers = numbers(reply)
    is_denial = denies(reply, language)
    # The answer to a question for one thing is about that thing, however loosely it is told.
    needed = _SHARE if len(entries) > 1 else 0.0

    def is_disclosed(entry: Entry) -> bool:
        if is_denial and entry.status in (Status.ABSENT, Status.NOT_DONE):
            return True
        versions, report_numbers = _words_and_numbers(entry, language)
        if not report_numbers.isdisjoint(reply_numbers):
            return True
        for version in versions:
            if reaches(len(version & reply_words), max(1, needed * len(version))):
                return True
        # Last, because it costs most: few replies are told in words of their own alone.
        return bool(concepts_in(entry.name, language) & concepts_in(reply, language))

    return tuple(entry.name for entry in entries if is_disclosed(entry))


@lru_cache(maxsize=2048)
def _words_and_numbers(
    entry: Entry, language: Language
) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """The words of an entry's report, telling and name, and the numbers of its report."""
    texts = (entry.report, entry.said, entry.name)
    versions = [frozenset(content(text, language)) for text in texts]
    return tuple(filter(None, versions)), frozenset(numbers(entry.report))
