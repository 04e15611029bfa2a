"""Which words of a sentence are affirmed and which denied: a denial reaches over its list and ends with its clause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from osler.language import Language
from osler.language.words import content, plain
from osler.memory.tim.extract.chinese_sentence import NEGATION
from osler.memory.tim.extract.english_sentence import pieces, titled

_DENIAL = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|denie[sd]|deny|absence of|negative for|free of|"
    r"lacks?|unable)\b|n't\b",
    re.IGNORECASE,
)
_AFTER = {
    Language.EN: re.compile(
        r"\b(?:absent|negative|unremarkable|ruled out|excluded|resolved|gone|stopped)\b", re.IGNORECASE
    ),
    Language.ZH: re.compile(r"阴性|消失|排除|正常|否认|好了|停了"),
}
"""Words that may take back what stands before them."""
_TURN = {
    Language.EN: re.compile(r"\b(?:but|however|although|though|except)\b", re.IGNORECASE),
    Language.ZH: re.compile(r"但是?|不过|只是|就是|除了"),
}
_CLAUSES = re.compile(r"[，；。！？：,;（）()]")


@dataclass(frozen=True)
class Voices:
    """The affirmed and the denied words of a text."""

    affirmed: frozenset[str]
    denied: frozenset[str]
    language: Language
    denies: bool = False
    """Whether the whole is a denial: then words outside of it are denied with it."""

    def of(self, word: str) -> set[bool]:
        """Whether a word is denied, affirmed, or both; neither when it is not there."""
        found = {True} if _among(word, self.denied, self.language) else set()
        return found | ({False} if _among(word, self.affirmed, self.language) else set())


def _among(word: str, words: frozenset[str], language: Language) -> bool:
    if language is Language.ZH:
        return any(word in text for text in words) or all(any(char in text for text in words) for char in word)
    return word in words


@lru_cache(maxsize=512)
def voices(text: str, language: Language, denied: bool = False) -> Voices:
    """The words by their polarity; all are denied where the whole text is. The texts of a turn are asked for often."""
    affirmed: list[str] = []
    refused: list[str] = []
    for clause in _clauses(text, language):
        if denied:
            refused.append(clause)
            continue
        for part in _TURN[language].split(clause):
            found = (_DENIAL if language is Language.EN else NEGATION).search(part)
            affirmed.append(part[: found.start()] if found else part)
            refused.append(part[found.end() :] if found else "")
            if _AFTER[language].search(part):
                refused.append(part)
    return Voices(_said(affirmed, language), _said(refused, language), language, denied)


def _clauses(text: str, language: Language) -> list[str]:
    if language is Language.ZH:
        return [part for part in _CLAUSES.split(text) if part]
    title = titled(text, examined=True)
    return [title.name, *pieces(title.said)] if title else pieces(text)


def _said(parts: list[str], language: Language) -> frozenset[str]:
    if language is Language.ZH:
        return frozenset(plain(part).replace("疼", "痛") for part in parts if part)
    return frozenset(word for part in parts for word in content(part, language))
