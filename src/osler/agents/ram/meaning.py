"""Which concepts a question means, learned from many worded examples.

A linear model over the pieces of a question: words, their neighbours, and the letters or characters they are made of.
It hears what no list of phrases holds ("do your shoes feel tight by the evening?"). `training/meaning.py` fits it.
Beside it stands the `reader`, which knows words that no example has; what speaks for a concept with both is added up.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import as_file, files
from itertools import chain, compress, count, pairwise

import numpy as np
from numpy.typing import NDArray

from osler.agents.ram.reader import LEAST, probabilities, reader
from osler.language import Language
from osler.language.words import content, plain, words
from osler.ranking import all_seen, reaching

_GRAM = 4
_CHARACTERS = re.compile("[0-9A-Za-z\u4e00-\u9fff]+")
_MET = 16384
"""Pieces that are kept at hand, some 14 MB."""
_OFTEN = np.array([0.0, *(1 + math.log(count) for count in range(1, 1000))], dtype=np.float32)
"""What a piece counts that is there so many times: said twice is not twice as much."""
_NO_LENGTH = 1e-6


def pieces(question: str, language: Language) -> Counter[str]:
    """The pieces of a question, with how often each is there."""
    return Counter(_listed(question, language))


def _listed(question: str, language: Language) -> list[str]:
    """The pieces of a question, each as often as it is there."""
    telling = content(question, language)
    found = [piece for word in telling for piece in _of_word(word, language)]
    if language is Language.ZH:
        level = "".join(_CHARACTERS.findall(plain(question)))
        found += map("u:".__add__, level)
        found += [f"b:{one}{two}" for one, two in pairwise(level)]
        return found
    every = words(question, language)
    found += [f"b:{one}_{two}" for one, two in pairwise(telling)]
    found += [f"q:{word}" for word in every]
    found += [f"r:{one}_{two}" for one, two in pairwise(every)]
    return found


def checksum(piece: str) -> int:
    """What stands for a piece in a fitted model."""
    return zlib.crc32(piece.encode())


@lru_cache(maxsize=32768)
def _of_word(word: str, language: Language) -> tuple[str, ...]:
    """A word and the letters it is made of: words come again, questions do not."""
    framed = f"^{word}$"
    letters = range(len(word) + 3 - _GRAM) if language is Language.EN else ()
    return f"w:{word}", *(f"c:{framed[i : i + _GRAM]}" for i in letters)


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
    weights: NDArray[np.int8]
    step: float
    """What one step of a weight is worth."""
    bias: NDArray[np.float32]
    sharpness: float

    met: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)
    """Pieces met lately, each as `_row`; empty for one that is not known."""

    def scores(self, questions: Sequence[str], language: Language) -> NDArray[np.float32]:
        """(questions, concepts): how much speaks for each, as a logarithm; all the same where no piece is known.

        A question and its parts share most of their pieces: these are fetched once for all of them.
        """
        listed = [_listed(question, language) for question in questions]
        every = list(dict.fromkeys(chain.from_iterable(listed)))
        # One look: another thread may clear what is kept between two.
        met = zip(every, map(self.met.get, every), strict=True)
        kept = [self._meet(piece) if row is None else row for piece, row in met]
        rows = np.frombuffer(b"".join(kept), dtype=self._row)
        column = dict(zip(compress(every, kept), range(len(rows)), strict=True))
        cells = [
            start + place
            for start, row in zip(count(step=len(rows)), listed, strict=False)
            for place in map(column.get, row)
            if place is not None
        ]
        there = np.bincount(np.array(cells, dtype=np.intp), minlength=len(listed) * len(rows))
        said = _OFTEN.take(there.reshape(len(listed), -1), mode="clip") * rows["rarity"]
        length = np.sqrt(np.add.reduce(said * said, axis=1, keepdims=True))
        said *= self.step * self.sharpness / np.maximum(length, _NO_LENGTH)
        scores: NDArray[np.float32] = said @ rows["weights"].astype(np.float32)
        scores += self._sharp_bias * (length > 0.0)
        return scores

    @cached_property
    def _sharp_bias(self) -> NDArray[np.float32]:
        return self.bias * np.float32(self.sharpness)

    @cached_property
    def _row(self) -> np.dtype[np.void]:
        """A piece as it is kept: how much it says, and a weight for each concept. Bytes are soon joined."""
        return np.dtype([("rarity", np.float32), ("weights", np.int8, len(self.bias))], align=True)

    def _meet(self, piece: str) -> bytes:
        """Look a piece up, and keep it: the same pieces come again and again."""
        if len(self.met) >= _MET:
            self.met.clear()
        key = checksum(piece)
        place = int(self.keys.searchsorted(np.uint32(key)))
        if place == len(self.keys) or self.keys[place] != key:
            self.met[piece] = b""
            return b""
        span = slice(self.starts[place], self.starts[place + 1])
        weights = np.zeros(self._row.itemsize - self.rarity.itemsize, dtype=np.int8)
        weights[self.classes[span]] = self.weights[span]
        known: bytes = self.rarity[place].tobytes() + weights.tobytes()
        self.met[piece] = known
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
            data["weights"],
            float(data["step"]),
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
    scores = linear.scores(questions, language)
    scores += reader(language).scores(questions)
    likely = all_seen(probabilities(scores).ravel())
    found: list[dict[str, float]] = [{} for _ in questions]
    heard_at = reaching(likely, LEAST).nonzero()[0]
    for place, share in zip(heard_at.tolist(), likely[heard_at].tolist(), strict=True):
        row, column = divmod(place, len(linear.concepts))
        found[row][linear.concepts[column]] = share
    return [heard if words(question, language) else {} for question, heard in zip(questions, found, strict=True)]
