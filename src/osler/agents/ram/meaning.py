"""Which concepts a question means, learned from many worded examples.

A linear model over the pieces of a question: words, their neighbours, and the letters or characters they are made of.
It hears what no list of phrases holds ("do your shoes feel tight by the evening?"). `training/meaning.py` fits it.
Beside it stands the `reader`, which knows words that no example has; what speaks for a concept with both is added up.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import as_file, files
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.agents.ram.reader import reader, shares
from osler.records.language import Language
from osler.words import content, plain, words

_GRAM = 4
_MET = 16384
"""Pieces that are kept at hand, some 6 MB."""


class _Piece(NamedTuple):
    """How much a piece says, and for which concepts: its weights are multiplied by its rarity."""

    rarity: float
    classes: NDArray[np.uint16]
    weights: NDArray[np.float32]


_UNMET = _Piece(0.0, np.zeros(0, dtype=np.uint16), np.zeros(0, dtype=np.float32))
"""Stands for a piece that is not kept; one that is kept may be unknown."""


def pieces(question: str, language: Language) -> Counter[int]:
    """The pieces of a question, each by the checksum of its text, with how often it is there."""
    telling = content(question, language)
    found = [key for word in telling for key in _of_word(word, language)]
    if language is Language.ZH:
        level = "".join(c for c in plain(question) if "\u4e00" <= c <= "\u9fff" or (c.isascii() and c.isalnum()))
        found += [_key(f"u:{c}") for c in level]
        found += [_key(f"b:{level[i : i + 2]}") for i in range(len(level) - 1)]
        return Counter(found)
    every = words(question, language)
    found += [_key(f"b:{one}_{two}") for one, two in pairwise(telling)]
    found += [_key(f"q:{word}") for word in every]
    found += [_key(f"r:{one}_{two}") for one, two in pairwise(every)]
    return Counter(found)


@lru_cache(maxsize=16384)
def _key(piece: str) -> int:
    return zlib.crc32(piece.encode())


@lru_cache(maxsize=32768)
def _of_word(word: str, language: Language) -> tuple[int, ...]:
    """A word and the letters it is made of: words come again, questions do not."""
    framed = f"^{word}$"
    letters = range(len(word) + 3 - _GRAM) if language is Language.EN else ()
    return _key(f"w:{word}"), *(_key(f"c:{framed[i : i + _GRAM]}") for i in letters)


@dataclass(frozen=True)
class Meaning:
    """The fitted model of one language."""

    concepts: tuple[str, ...]
    keys: NDArray[np.uint32]
    """Checksums of the known pieces, sorted."""
    rarity: NDArray[np.float32]
    """Of each piece: how much it says."""
    starts: NDArray[np.int64]
    """Where the weights of each piece begin."""
    classes: NDArray[np.uint16]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    sharpness: float

    met: dict[int, _Piece | None] = field(default_factory=dict, compare=False, repr=False)
    """Pieces met lately; None for one that is not known."""

    def scores(self, question: str, language: Language) -> NDArray[np.float32]:
        """For every concept how much speaks for it, as a logarithm; all the same where no piece is known."""
        classes, weights, length = [], [], 0.0
        for key, count in pieces(question, language).items():
            # One look: another thread may clear what is kept between two.
            if (known := self.met.get(key, _UNMET)) is _UNMET:
                known = self._meet(key)
            if known is None:
                continue
            rarity, of_classes, of_weights = known
            if count > 1:
                often = 1 + math.log(count)
                rarity, of_weights = rarity * often, of_weights * np.float32(often)
            length += rarity * rarity
            classes.append(of_classes)
            weights.append(of_weights)
        if not classes:
            return np.zeros(len(self.bias), dtype=np.float32)
        summed = np.bincount(np.concatenate(classes), np.concatenate(weights), len(self.bias))
        scores: NDArray[np.float32] = ((summed / math.sqrt(length) + self.bias) * self.sharpness).astype(np.float32)
        return scores

    def _meet(self, key: int) -> _Piece | None:
        """Look a piece up, and keep it: the same pieces come again and again."""
        if len(self.met) >= _MET:
            self.met.clear()
        place = int(self.keys.searchsorted(np.uint32(key)))
        if place == len(self.keys) or self.keys[place] != key:
            self.met[key] = None
            return None
        span = slice(self.starts[place], self.starts[place + 1])
        rarity = self.rarity[place]
        known = self.met[key] = _Piece(float(rarity), self.classes[span], self.weights[span] * rarity)
        return known


@cache
def model(language: Language) -> Meaning:
    """The model of a language, as it was fitted."""
    with as_file(files("osler.agents.ram") / "meaning" / f"{language.value}.npz") as path, np.load(path) as data:
        return Meaning(
            tuple(str(name) for name in data["concepts"]),
            data["keys"],
            data["rarity"].astype(np.float32),
            data["starts"].astype(np.int64),
            data["classes"],
            data["weights"].astype(np.float32) * float(data["step"]),
            data["bias"].astype(np.float32),
            float(data["sharpness"]),
        )


@cache
def places(language: Language) -> dict[str, int]:
    """Where each concept stands in what is read."""
    return {name: place for place, name in enumerate(model(language).concepts)}


def meant(questions: Sequence[str], language: Language) -> list[dict[str, float]]:
    """For each question the concepts it may mean, with their probabilities. All at once: numpy is slow to begin."""
    linear = model(language)
    scores = np.array([linear.scores(question, language) for question in questions])
    return [
        {linear.concepts[place]: float(row[place]) for place in row.nonzero()[0].tolist()}
        if words(question, language)
        else {}
        for question, row in zip(questions, shares(scores + reader(language).scores(questions)), strict=True)
    ]
