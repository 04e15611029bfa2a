"""What a doctor's question asks for: its separate asks, each with concepts and categories."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from osler.agents.lexicon import broad_parts, categories, concepts
from osler.agents.ram.meaning import meant
from osler.records.language import Language
from osler.words import content

_SPLIT = {
    Language.EN: re.compile(
        r"[.?!;:]\s+|,\s*(?:and|or|also|plus)?\s+|\s+(?:and|or|as well as|plus|also)\s+", re.IGNORECASE
    ),
    Language.ZH: re.compile(r"[，。？！；：、,?!;]|还有|以及|另外|或者|和|或|跟|与"),
}

_BROAD = 0.78
"""How much of an ask a broad phrase has to be: "was an HIV test done" is not broad, though "test done" is."""


@dataclass(frozen=True)
class Ask:
    """One thing that a question asks for."""

    text: str
    words: frozenset[str]
    concepts: dict[str, float]
    """By phrases."""
    meant: dict[str, float]
    """By the model of worded examples: probabilities."""
    categories: dict[str, float]
    parts: frozenset[str]
    """Whole parts of the record it asks for: categories, `chief`, `others`."""
    is_broad: bool
    """Whether it asks for these and for nothing in particular within them."""


@dataclass(frozen=True)
class Intent:
    """A question taken apart. The first ask is the whole of it; the others are its parts, where it has several."""

    asks: tuple[Ask, ...]

    @property
    def is_broad(self) -> bool:
        """Whether it asks for whole parts of the record and for nothing in particular."""
        whole, *parts = self.asks
        return whole.is_broad or (bool(parts) and all(ask.is_broad for ask in parts))


@lru_cache(maxsize=4096)
def read_intent(question: str, language: Language) -> Intent:
    """Take a question apart."""
    parts = [part for part in _SPLIT[language].split(question) if part and content(part, language)]
    texts = [question, *(parts if len(parts) > 1 else ())]
    return Intent(tuple(_ask(text, means, language) for text, means in zip(texts, meant(texts, language), strict=True)))


def _ask(text: str, means: dict[str, float], language: Language) -> Ask:
    parts = broad_parts(text, language)
    return Ask(
        text,
        frozenset(content(text, language)),
        concepts(language).best(text),
        means,
        categories(language).find(text),
        parts,
        bool(parts) and bool(broad_parts(text, language, _BROAD)),
    )
