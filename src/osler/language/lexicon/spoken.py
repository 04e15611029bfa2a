"""What a text surely speaks of: its concepts, the things it calls by name, the aspects it asks for."""

from __future__ import annotations

import re
from functools import cache

from osler.language.base import Language
from osler.language.cues import any_of, groups
from osler.language.lexicon.phrases import concepts, named
from osler.language.lexicon.thesaurus import QUALITIES


def meant(text: str, language: Language) -> frozenset[str]:
    """The concepts that it holds a whole phrase of."""
    return concepts(language).whole(text)


def things(text: str, language: Language) -> frozenset[str]:
    """The concepts that it calls by one of their usual names, but for the qualities that may be asked of any thing."""
    return named(language).whole(text) - QUALITIES


def aspects(text: str, language: Language) -> frozenset[str]:
    """What a question asks of the thing it names: since when, where, how bad."""
    return frozenset(name for name, finds in _aspects(language).items() if finds.search(text))


@cache
def _aspects(language: Language) -> dict[str, re.Pattern[str]]:
    listed = groups("aspects", language).items()
    return {name: re.compile(any_of(cues, language), re.IGNORECASE) for name, cues in listed if name}
