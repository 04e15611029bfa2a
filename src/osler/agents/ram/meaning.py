"""Which concepts a question means, learned from many worded examples.

A linear model over the pieces of a question: words, their neighbours, and the letters or characters they are made of.
It hears what no list of phrases holds ("do your shoes feel tight by the evening?"). `training/meaning.py` fits it.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from osler.records.language import Language
from osler.words import content, plain, words

_GRAM = 4
LEAST = 0.01
"""Probability below which a concept is not worth a mention."""


def pieces(question: str, language: Language) -> Counter[int]:
    """The pieces of a question, each by the checksum of its text, with how often it is there."""
    telling = content(question, language)
    found = Counter(key for word in telling for key in _of_word(word, language))
    if language is Language.ZH:
        level = "".join(c for c in plain(question) if "\u4e00" <= c <= "\u9fff" or (c.isascii() and c.isalnum()))
        found.update(_key(f"u:{c}") for c in level)
        found.update(_key(f"b:{level[i : i + 2]}") for i in range(len(level) - 1))
        return found
    every = words(question, language)
    found.update(_key(f"b:{one}_{two}") for one, two in pairwise(telling))
    found.update(_key(f"q:{word}") for word in every)
    found.update(_key(f"r:{one}_{two}") for one, two in pairwise(every))
    return found


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

    def of(self, question: str, language: Language) -> dict[str, float]:
        """The concepts that a question may mean, each with its probability."""
        counts = pieces(question, language)
        wanted = np.fromiter(counts, dtype=np.uint32, count=len(counts))
        places = np.searchsorted(self.keys, wanted)
        known = (places < len(self.keys)) & (self.keys[np.minimum(places, len(self.keys) - 1)] == wanted)
        if not known.any():
            return {}
        times = np.array([1 + math.log(count) for count in counts.values()])
        rows, times = places[known], times[known]
        values = times * self.rarity[rows]
        values /= np.sqrt((values**2).sum())
        lengths = self.starts[rows + 1] - self.starts[rows]
        # The weights of all pieces in one row: where each begins, less what stands before it in the row.
        begins = np.repeat(self.starts[rows] - np.cumsum(lengths) + lengths, lengths)
        spans = begins + np.arange(len(begins))
        pulls = np.repeat(values, lengths) * self.weights[spans]
        scores = self.bias + np.bincount(self.classes[spans], pulls, minlength=len(self.bias))
        scores = np.exp((scores - scores.max()) * self.sharpness)
        scores /= scores.sum()
        return {self.concepts[i]: float(scores[i]) for i in np.flatnonzero(scores >= LEAST)}


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


@lru_cache(maxsize=4096)
def meant(question: str, language: Language) -> dict[str, float]:
    """The concepts that a question may mean, each with its probability."""
    return model(language).of(question, language)
