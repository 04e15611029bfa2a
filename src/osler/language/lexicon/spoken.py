"""What a text surely speaks of. Remembered: a turn asks this of every earlier question, reply and entry again."""

from __future__ import annotations

from functools import lru_cache

from osler.language import Language
from osler.language.lexicon import concepts, named, related
from osler.language.lexicon.qualities import QUALITIES

_REMEMBERED = 4096
"""Texts, of each kind: some hundred consultations' worth, and a few megabytes."""


@lru_cache(maxsize=_REMEMBERED)
def touched_on(text: str, language: Language) -> frozenset[str]:
    """The concepts that may be meant by some of its words."""
    return frozenset(concepts(language).find(text))


@lru_cache(maxsize=256)
def opened_up(text: str, language: Language) -> frozenset[str]:
    """What may be spoken of where this text was: the concepts it touches on, and those that stand near them."""
    touched = touched_on(text, language)
    return touched.union(*(related().get(name, ()) for name in touched))


@lru_cache(maxsize=_REMEMBERED)
def meant(text: str, language: Language) -> frozenset[str]:
    """The concepts that it holds a whole phrase of."""
    return concepts(language).whole(text)


@lru_cache(maxsize=_REMEMBERED)
def called_by_name(text: str, language: Language) -> frozenset[str]:
    """The concepts that it calls by one of their usual names."""
    return named(language).whole(text)


def things(text: str, language: Language) -> frozenset[str]:
    """What it calls by name, but for the qualities that may be asked of any thing."""
    return called_by_name(text, language) - QUALITIES
