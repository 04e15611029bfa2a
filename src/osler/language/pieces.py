"""Pieces of a text that linear models weigh: words, pairs of words, and runs of letters."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from itertools import chain, pairwise
from operator import add
from zlib import crc32

from osler.language.base import Language
from osler.language.words import plain, written

_LETTERS = 4


def counted(text: str, language: Language) -> dict[int, float]:
    """Return the pieces of a text by their checksums, with damped counts: twice does not count double.

    The pieces are words, pairs of words and runs of four letters; in Chinese, characters and pairs of them.
    """
    found = Counter(_chinese_keys(text) if language is Language.ZH else _english_keys(text))
    return {key: 1.0 if times == 1 else 1 + math.log(times) for key, times in found.items()}


def _chinese_keys(text: str) -> list[int]:
    level = "".join([char for char in plain(text) if char.isalnum()])
    framed = f"^{level}$"
    return [*map(_key, level), *map(_key, map(add, framed, framed[1:]))]


def _english_keys(text: str) -> list[int]:
    row = written(text)
    framed = ("^", *row, "$")
    pairs = [crc32(f"{word} {following}".encode()) for word, following in pairwise(framed)]
    return [*map(_key, row), *pairs, *chain.from_iterable(map(_letter_keys, row))]


@lru_cache(maxsize=16384)
def _key(piece: str) -> int:
    return crc32(piece.encode())


@lru_cache(maxsize=8192)
def _letter_keys(word: str) -> tuple[int, ...]:
    """The checksums of a word's runs of letters; most words come back in other texts."""
    framed = f"<{word}>"
    return tuple(crc32(framed[at : at + _LETTERS].encode()) for at in range(len(framed) - _LETTERS + 1))
