"""What an entry gives a patient to say, read once: every consultation with that patient tells the same entries."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from osler.agents.guards.spoken import opened_up
from osler.memory.tim.extract.scope import Voices, voices
from osler.records.language import Language
from osler.records.schema import Category, Entry, Status
from osler.words import content, numbers, plain, sentences

_NOT_SO = frozenset({Status.ABSENT, Status.NOT_DONE})
_WORD = re.compile(r"[a-z]+")
_DIGITS = {
    word: str(value)
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}


class Given(NamedTuple):
    """One entry as the guards look at it."""

    text: str
    """All that the record says of it."""
    words: frozenset[str]
    """Those of the text that carry meaning."""
    versions: tuple[frozenset[str], ...]
    """The words of its report, of its telling and of its name."""
    figures: frozenset[str]
    """The numbers that who tells it may say."""
    results: frozenset[str]
    """The numbers of its report."""
    things: frozenset[str]
    """The concepts that its text touches on, and those that stand near them."""
    voices: tuple[Voices, ...]
    """What it affirms and denies."""


@lru_cache(maxsize=2048)
def given(entry: Entry, language: Language) -> Given:
    """Read an entry."""
    text = " ".join((entry.name, *entry.aliases, entry.report, entry.said, entry.when or ""))
    versions = (frozenset(content(one, language)) for one in (entry.report, entry.said, entry.name))
    return Given(
        text,
        frozenset(content(text, language)),
        tuple(version for version in versions if version),
        figures(text),
        frozenset(numbers(entry.report)),
        opened_up(text, language),
        _voices(entry, language),
    )


@lru_cache(maxsize=1024)
def figures(text: str) -> frozenset[str]:
    """The numbers that a text allows to say: `two days` allows 2."""
    chinese = (str(value) for value, digit in enumerate("零一二三四五六七八九十") if digit in text)
    english = (_DIGITS[word] for word in _WORD.findall(plain(text)) if word in _DIGITS)
    return frozenset((*numbers(text), *english, *chinese))


def _voices(entry: Entry, language: Language) -> tuple[Voices, ...]:
    told = [voices(sentence, language) for text in (entry.report, entry.said) for sentence in sentences(text, language)]
    # Where a report speaks for itself, other names of the entry add no polarity of their own.
    names = (entry.name,) if told else (entry.name, *entry.aliases)
    if told and entry.category is Category.SOCIAL_HISTORY:
        # The title of a habit is what one asks for: "smoking: never" affirms no smoking.
        names = ()
    return (*told, *(voices(name, language, denied=entry.status in _NOT_SO) for name in names))
