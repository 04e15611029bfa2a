"""Questions by their words of weight: which of them a text shows to have been asked."""

from __future__ import annotations

import re
from functools import cache

from osler.agents.rules.knowledge import Item, knowledge
from osler.language import Language
from osler.language.words import content, plain, words
from osler.ranking import reaches

_OUTCOME = {
    Language.EN: re.compile(r",? and (?:what|was|were|how)\b.*$", re.IGNORECASE),
    Language.ZH: re.compile(r"(?<=？).+$"),
}
"""What a question asks for beyond whether a thing was done: `…, and what did it show?`."""
_RESTATED = 0.8
"""Share of a question's words that a sentence must hold to be the question over again."""


def restates(item: Item, sentence: str, language: Language) -> bool:
    """Whether a sentence says the question over again as its answer: `patient does not have a fever or chills`."""
    asked = _asked_whether(language)[item.id]
    return reaches(len(asked & words_of_weight(sentence, language)), _RESTATED * len(asked))


def weighty(text: str, language: Language) -> tuple[str, ...]:
    """The words of weight in their order; in Chinese the characters, which no cut can change."""
    level = plain(text)
    # One character for pain, as in `words`.
    return tuple(level.replace(" ", "").replace("疼", "痛")) if language is Language.ZH else content(level, language)


@cache
def asked_in_words(language: Language, *, outcome: bool = True) -> tuple[tuple[tuple[str, ...], Item], ...]:
    """Items with the words of weight of their questions in order; without an outcome, only what was to be done."""
    return tuple((_words_asked(item.ask[language], language, outcome), item) for item in knowledge().items)


def _words_asked(question: str, language: Language, outcome: bool) -> tuple[str, ...]:
    asked = question if outcome else _OUTCOME[language].sub("", question)
    if language is Language.ZH:
        asked = "".join(word for word in words(asked, language) if content(word, language))
    return weighty(asked, language)


@cache
def _asked_whether(language: Language) -> dict[str, frozenset[str]]:
    """For each item the words of weight of its question, but for those that ask what came of it."""
    return {item.id: frozenset(row) for row, item in asked_in_words(language, outcome=False)}


def words_of_weight(text: str, language: Language) -> frozenset[str]:
    """The same without their order."""
    return frozenset(weighty(text, language))
