"""What the words of a text mean together: a small network over points of words.

Words that mean alike have points near each other, also those that no worded example has ("winded" lies beside
"breathless"). Points and network were learned from a larger model: `training/teacher.py`, `training/student.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.language.words import content, words, written
from osler.ranking import reaching

Matrix = NDArray[np.floating[Any]]

_JOINT = re.compile("['-]")
_MET = 3072
"""Words that are kept at hand, some 15 MB."""
LEAST = 0.01
"""Probability below which a concept is not worth a mention."""
_FEW = 7
"""Texts, as a question with its parts has them."""
_LONGEST = 40
"""Words of a text that are read."""


def spelled(text: str, language: Language) -> tuple[str, ...]:
    """The words of a text as they are written: an ending is part of what a word means."""
    return written(text) if language is Language.EN else words(text, language)


@lru_cache(maxsize=512)
def telling(text: str, language: Language) -> tuple[tuple[str, str], ...]:
    """The words that carry meaning, each as written and as it is counted elsewhere."""
    if language is Language.ZH:
        return tuple((word, word) for word in dict.fromkeys(content(text, language)))
    kept = frozenset(content(text, language))
    both = zip(spelled(text, language), words(text, language), strict=True)
    return tuple(dict.fromkeys([pair for pair in both if pair[1] in kept]))


@dataclass(frozen=True)
class Reader:
    """The points of words and the network of one language."""

    language: Language
    places: dict[str, int]
    points: NDArray[np.int8]
    steps: Matrix
    """Of each word, what one step of its point is worth."""
    near: Matrix
    """(three words beside each other, features)."""
    near_bias: Matrix
    out: Matrix
    """(features and mean of the points, concepts)."""
    out_bias: Matrix
    met: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)
    """Words met lately: what each does for the features of the word after it, of its own, and of the word before it.

    Bytes are soon joined."""

    def point(self, word: str) -> Matrix | None:
        """Where a word lies; one that is not known lies between its parts."""
        parts = self._parts(word)
        if not parts:
            return None
        point: Matrix = self.points[parts[0]] * self.steps[parts[0]]
        return point if len(parts) == 1 else np.mean(self.points[parts] * self.steps[parts], axis=0, dtype=np.float32)

    def _meet(self, word: str) -> bytes:
        """Words come again and again: what is kept of one is all that its texts need, its own point last."""
        if len(self.met) >= _MET:
            self.met.clear()
        size = self.points.shape[1]
        point = self.point(word)
        found = np.zeros(3 * len(self.near_bias) + size, dtype=np.float32)
        if point is not None:
            found[:-size] = point @ self._near
            found[-size:] = point
        found[len(self.near_bias) : 2 * len(self.near_bias)] += self.near_bias
        kept = self.met[word] = found.tobytes()
        return kept

    @cached_property
    def _near(self) -> Matrix:
        """(a word, its features in each of its three places)."""
        size = self.points.shape[1]
        return np.concatenate(self.near.reshape(3, size, -1), axis=1)

    def _parts(self, word: str) -> list[int]:
        if word in self.places:
            return [self.places[word]]
        if self.language is Language.EN:
            return [self.places[part] for part in _JOINT.split(word) if part in self.places]
        pairs = [word[i : i + 2] for i in range(len(word) - 1)]
        return [self.places[part] for part in pairs if part in self.places] or [
            self.places[part] for part in word if part in self.places
        ]

    def scores(self, texts: Sequence[str]) -> Matrix:
        """(texts, concepts): how much speaks for each concept, as a logarithm. Every text has a word."""
        rows = [spelled(text, self.language)[:_LONGEST] or ("",) for text in texts]
        size, features = self.points.shape[1], len(self.near_bias)
        # All in one row, since numpy is slow to begin; an empty word around every text keeps them apart.
        every = ["", *(word for row in rows for word in (*row, ""))]
        # One look: another thread may clear what is kept between two.
        met = zip(every, map(self.met.get, every), strict=True)
        joined = b"".join([self._meet(word) if kept is None else kept for word, kept in met])
        laid = np.frombuffer(joined, dtype=np.float32).reshape(len(every), -1)
        near = laid[1:-1, features : 2 * features] + laid[:-2, :features]
        near += laid[2:, 2 * features : 3 * features]
        found = np.empty((len(rows), features + size), dtype=np.float32)
        start = 0
        # One after the other: `reduceat` goes through them number by number.
        for row, into in zip(rows, found, strict=True):
            stop = start + len(row)
            np.maximum.reduce(near[start:stop], axis=0, out=into[:features], initial=0.0)
            np.add.reduce(laid[start + 1 : stop + 1, -size:], axis=0, out=into[features:])
            into[features:] *= 1.0 / math.sqrt(len(row))
            start = stop + 1
        scores = self._concluded(found)
        scores += self.out_bias
        return scores

    def _concluded(self, found: Matrix) -> Matrix:
        """From features to concepts."""
        if not 1 < len(found) <= _FEW:
            return found @ self.out
        # Small products are made without laying the matrix out anew: its quarters are small enough.
        concepts = self.out.shape[1]
        concluded = np.empty((len(found), concepts), dtype=np.float32)
        quarter = -(-concepts // 4)
        for start in range(0, concepts, quarter):
            columns = slice(start, start + quarter)
            np.matmul(found, self.out[:, columns], out=concluded[:, columns])
        return concluded

    def read(self, texts: Sequence[str]) -> Matrix:
        """(texts, concepts): the probability of each concept by this reader alone, 0 where it is next to nothing."""
        return shares(self.scores(texts))


def shares(scores: Matrix) -> Matrix:
    """Probabilities from scores, 0 where one is not worth a mention."""
    likely = probabilities(scores)
    likely *= reaching(likely, LEAST)
    return likely


def probabilities(scores: Matrix) -> Matrix:
    """Of every concept, also of those that are not worth a mention."""
    likely: Matrix = scores - np.maximum.reduce(scores, axis=1, keepdims=True)
    np.exp(likely, out=likely)
    likely /= np.add.reduce(likely, axis=1, keepdims=True)
    return likely


def laid_out(data: Mapping[str, NDArray[Any]], language: Language) -> Reader:
    """A reader from its arrays."""
    listed = data["words"].tobytes().decode().split("\n")
    steps, near, near_bias, out, out_bias = (
        data[name].astype(np.float32, order="F") for name in ("steps", "near", "near_bias", "out", "out_bias")
    )
    places = {word: place for place, word in enumerate(listed)}
    return Reader(language, places, data["points"], steps, near, near_bias, out, out_bias)


@cache
def reader(language: Language) -> Reader:
    """The reader of a language, as it was fitted."""
    with as_file(files("osler.agents.ram") / "reader" / f"{language.value}.npz") as path, np.load(path) as data:
        return laid_out(data, language)
