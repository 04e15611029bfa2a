"""What an entry gives a patient to say, read once: every consultation with that patient tells the same entries."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from osler.agents.lexicon.spoken import opened_up
from osler.records.language import Language
from osler.records.schema import Entry
from osler.words import content, numbers, plain

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
    figures: frozenset[str]
    """The numbers that who tells it may say."""
    things: frozenset[str]
    """The concepts that its text touches on, and those that stand near them."""


@lru_cache(maxsize=2048)
def given(entry: Entry, language: Language) -> Given:
    """Read an entry."""
    text = " ".join((entry.name, *entry.aliases, entry.report, entry.said, entry.when or ""))
    return Given(
        text,
        frozenset(content(text, language)),
        figures(text),
        opened_up(text, language),
    )


@lru_cache(maxsize=1024)
def figures(text: str) -> frozenset[str]:
    """The numbers that a text allows to say: `two days` allows 2."""
    chinese = (str(value) for value, digit in enumerate("零一二三四五六七八九十") if digit in text)
    english = (_DIGITS[word] for word in _WORD.findall(plain(text)) if word in _DIGITS)
    return frozenset((*numbers(text), *english, *chinese))
