"""Find which of the entries given to the patient its reply discloses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from osler.language import Language
from osler.language.lexicon.phrases import meant
from osler.language.reader import denies
from osler.language.words import content, numbers
from osler.ranking import reaches
from osler.records.schema import Entry, Status

_SHARE = 0.34
"""Share of the words of a report, telling or name that a reply to several things must have to disclose it."""


def disclosed_entries(reply: str, entries: Sequence[Entry], language: Language) -> tuple[str, ...]:
    """Return the names of the entries that a reply discloses.

    A reply discloses an entry in the record's words, by a number of the report, or by naming the same thing in other
    words. A denial counts for everything that is denied: "no, none of that".
    """
    words, spoken, denied = frozenset(content(reply, language)), numbers(reply), denies(reply, language)
    # The answer to a question for one thing is about that thing, however loosely it is told.
    needed = _SHARE if len(entries) > 1 else 0.0

    def tells(entry: Entry) -> bool:
        if denied and entry.status in (Status.ABSENT, Status.NOT_DONE):
            return True
        versions, results = _words_and_numbers(entry, language)
        if not results.isdisjoint(spoken):
            return True
        if any(reaches(len(version & words), max(1, needed * len(version))) for version in versions):
            return True
        # Last, because it costs most: few replies are told in words of their own alone.
        return bool(meant(entry.name, language) & meant(reply, language))

    return tuple(entry.name for entry in entries if tells(entry))


@lru_cache(maxsize=2048)
def _words_and_numbers(entry: Entry, language: Language) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """The words of an entry's report, telling and name, and the numbers of its report."""
    versions = (frozenset(content(one, language)) for one in (entry.report, entry.said, entry.name))
    return tuple(version for version in versions if version), frozenset(numbers(entry.report))
