"""Pieces of a text that linear models weigh: words, pairs of words, and runs of letters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from zlib import crc32

from osler.language.base import Language
from osler.language.words import plain, written

_LETTERS = 4


def pieces(text: str, language: Language) -> Iterator[str]:
    """Split a text into words, pairs of words and runs of four letters; in Chinese, characters and pairs of them."""
    if language is Language.ZH:
        level = "".join(char for char in plain(text) if char.isalnum())
        yield from level
        yield from (f"{one}{two}" for one, two in pairwise(f"^{level}$"))
        return
    row = written(text)
    yield from row
    yield from (f"{one} {two}" for one, two in pairwise(("^", *row, "$")))
    for word in row:
        framed = f"<{word}>"
        yield from (framed[start : start + _LETTERS] for start in range(len(framed) - _LETTERS + 1))


def counted(text: str, language: Language) -> dict[int, float]:
    """Return the pieces of a text by their checksums, with damped counts: twice does not count double."""
    found = Counter(crc32(piece.encode()) for piece in pieces(text, language))
    return {key: 1 + math.log(times) for key, times in found.items()}
