"""Which of the entries that a patient had before it a reply tells of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from osler.language import Language
from osler.language.lexicon.phrases import meant
from osler.language.words import content, numbers, plain
from osler.ranking import reaches
from osler.records.schema import Entry, Status

_SHARE = 0.34
"""Of the words of a report, a telling or a name that a reply to several things must have to tell of it."""
_DENIES = {
    Language.EN: re.compile(r"\b(?:don't|do not|didn't|not|no|never|nobody|haven't|hasn't|wasn't|isn't|nothing)\b"),
    Language.ZH: re.compile(r"(?<![记说])不|没|无(?!法)|未"),
}


class _Known(NamedTuple):
    """One entry, read once: every consultation with that patient tells the same entries."""

    versions: tuple[frozenset[str], ...]
    """The words of its report, of its telling and of its name."""
    results: frozenset[str]
    """The numbers of its report."""


def disclosed_entries(reply: str, entries: Sequence[Entry], language: Language) -> tuple[str, ...]:
    """The names of the entries that a reply tells of.

    Told is what the reply says in the record's words, by a number of the report, or by naming the same thing in
    others. A denial counts for everything that is denied: "no, none of that".
    """
    words, spoken = frozenset(content(reply, language)), frozenset(numbers(reply))
    denies = _DENIES[language].search(plain(reply)) is not None
    # The answer to a question for one thing is about that thing, however loosely it is told.
    needed = _SHARE if len(entries) > 1 else 0.0

    def tells(entry: Entry) -> bool:
        if entry.status in (Status.ABSENT, Status.NOT_DONE) and denies:
            return True
        known = _known(entry, language)
        if spoken & known.results or any(
            reaches(len(one & words), max(1, needed * len(one))) for one in known.versions
        ):
            return True
        # Last, because it costs most: few replies are told in words of their own alone.
        return bool(meant(entry.name, language) & meant(reply, language))

    return tuple(entry.name for entry in entries if tells(entry))


@lru_cache(maxsize=2048)
def _known(entry: Entry, language: Language) -> _Known:
    versions = (frozenset(content(one, language)) for one in (entry.report, entry.said, entry.name))
    return _Known(tuple(version for version in versions if version), frozenset(numbers(entry.report)))
