"""Count listed words in replies: hedges, fillers, and phrases for "I don't know".

The lists are files in `words/`. A count says that a listed word is there, and no more: whether it
hedges anything in that reply is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files

from osler.language import Language
from osler.language.words import plain, words, written_words

_COMMA = re.compile(r"[,，]")


class WordList(StrEnum):
    """A list of words or phrases, by its file."""

    HEDGES = "hedges"
    FILLERS = "fillers"
    UNKNOWN = "unknown"


@cache
def listed(word_list: WordList, language: Language) -> frozenset[str]:
    """The phrases of a list, levelled as texts are."""
    path = files("osler.validate") / "words" / language.value / f"{word_list}.txt"
    phrases = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        for phrase in _COMMA.split(line.partition("#")[0]):
            pieces = spoken_words(phrase, language)
            if pieces:
                phrases.add(_join(pieces, language))
    return frozenset(phrases)


def has_listed(text: str, word_list: WordList, language: Language) -> bool:
    """Whether a text has a phrase of the list, as whole words."""
    phrases = listed(word_list, language)
    longest = _longest(word_list, language)
    pieces = spoken_words(text, language)
    for start in range(len(pieces)):
        for size in range(1, longest + 1):
            if _join(pieces[start : start + size], language) in phrases:
                return True
    return False


@cache
def _longest(word_list: WordList, language: Language) -> int:
    """How many words a phrase of the list may have."""
    # A phrase may be segmented into single characters where it stands among others.
    sizes = [len(phrase) for phrase in listed(word_list, language)]
    if language is Language.EN:
        sizes = [phrase.count(" ") + 1 for phrase in listed(word_list, language)]
    return max(sizes)


def spoken_words(text: str, language: Language) -> Sequence[str]:
    """The words of a text as they are spoken: in English not stemmed, Chinese is segmented."""
    return written_words(text) if language is Language.EN else words(text, language)


def length(text: str, language: Language) -> int:
    """How long a reply is: words in English; in Chinese characters, without punctuation."""
    if language is Language.EN:
        return len(written_words(text))
    return sum(char.isalnum() for char in plain(text))


def _join(pieces: Sequence[str], language: Language) -> str:
    return (" " if language is Language.EN else "").join(pieces)
