"""Pieces of a text that linear models weigh: words, pairs of words, and runs of letters."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from osler.language.base import Language
from osler.language.words import plain, written_words

_LETTERS = 4
"""Length of a run of letters."""


def count_pieces(text: str, language: Language) -> dict[int, float]:
    """Return the pieces of a text by their checksums, with damped counts.

    What is there twice does not count double. The pieces are words, pairs of words and runs of four
    letters; in Chinese, characters and pairs of them.
    """
    keys = _chinese_keys(text) if language is Language.ZH else _english_keys(text)
    damped: dict[int, float] = {}
    for key, count in Counter(keys).items():
        damped[key] = 1.0 if count == 1 else 1 + math.log(count)
    return damped


def _chinese_keys(text: str) -> list[int]:
    characters = "".join([char for char in plain(text) if char.isalnum()])
    framed = f"^{characters}$"
    keys = [_key(character) for character in characters]
    keys += [_key(first + second) for first, second in pairwise(framed)]
    return keys


def _english_keys(text: str) -> list[int]:
    words = written_words(text)
    keys = [_key(word) for word in words]
    for word, following in pairwise(("^", *words, "$")):
        keys.append(crc32(f"{word} {following}".encode()))  # too many pairs for the cache
    for word in words:
        keys += _letter_keys(word)
    return keys


@lru_cache(maxsize=16384)
def _key(piece: str) -> int:
    return crc32(piece.encode())


@lru_cache(maxsize=8192)
def _letter_keys(word: str) -> tuple[int, ...]:
    """The checksums of a word's runs of letters; most words come back in other texts."""
    framed = f"<{word}>"
    starts = range(len(framed) - _LETTERS + 1)
    return tuple(crc32(framed[start : start + _LETTERS].encode()) for start in starts)
