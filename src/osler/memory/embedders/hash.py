"""The default embedder: hashed words and parts of words, with nothing to download."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.errors import UserError
from osler.language import Language
from osler.language.words import content, plain, words
from osler.memory.embedders.base import Vectors

DIMENSIONS = 4096
"""The smallest power of two at which the rows, on average over hash functions, find what BM25 finds
in long turns."""
FEWEST = 16
MOST = 65536

_WORD = 1.0
"""Weight of a word."""
_ENGLISH = {3: 0.15, 4: 0.15, 5: 0.15}
"""Weight of the character n-grams inside an English word, by length; a word outweighs its parts."""
_CHINESE = {1: 0.15, 2: 0.5, 3: 0.2}
"""Weight of Chinese characters, pairs and triples: they find what was segmented in another way."""
_STOPWORD = 0.3
"""Weight of a word without content of its own; before there are texts, there is no document
frequency."""
_LARGEST_TABLE = 100_000
"""Features whose frequency is kept; thousands of turns fit."""

_BITS = 32
"""Bits of a key."""
_CJK = re.compile(r"[\u4e00-\u9fff]+")
_FEATURE = np.dtype([("key", np.int64), ("weight", np.float64)])
"""A key is a stable hash: place and sign in the row, and the entry in the table of frequencies."""


class _Features(NamedTuple):
    """The features of one text, each once, smallest key first."""

    keys: NDArray[np.int64]
    weights: NDArray[np.float64]
    """With the sign in the row; a part of a word that comes in several words weighs their mean."""
    counts: NDArray[np.int64]


class HashEmbedder:
    """Words and character n-grams, hashed with signs into a row.

    A kept row holds how often each feature occurs, damped, and never changes. The query's row
    carries how rare each feature is among the texts kept so far, so that the cosine of the two
    behaves as TF-IDF does.
    """

    sparse = True

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        """Start without having seen a text; shorter rows take less memory and mix up more features.

        Raises:
            UserError: No row can have that length.
        """
        if not FEWEST <= dimensions <= MOST:
            raise UserError(
                f"a hash embedder cannot have {dimensions} dimensions",
                f"give a number from {FEWEST} to {MOST}",
            )
        self.dimensions = dimensions
        self.name = f"hash:{dimensions}"
        self._texts = 0
        self._counts: Counter[int] = Counter()
        """In how many texts each feature occurs, by its key."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows for texts that are to be kept; how common their features are is learned."""
        rows = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            features = _features(text)
            self._learn(features.keys.tolist())
            row[:] = self._row(features, 1 + np.log(features.counts), text)
        return rows

    def learn(self, texts: Sequence[str]) -> None:
        """Count the features of texts whose rows are known already."""
        for text in texts:
            self._learn(set(_occurrences(text)["key"].tolist()))

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row, in which rare features weigh more than common ones."""
        features = _features(text)
        counts = [self._counts.get(key, 0) for key in features.keys.tolist()]
        holders = np.array(counts, dtype=np.float64)
        # BM25's inverse document frequency; the same for all features while there are no texts.
        rarity = np.log1p((self._texts - holders + 0.5) / (holders + 0.5))
        return self._row(features, rarity, text).astype(np.float32)

    def _learn(self, keys: Iterable[int]) -> None:
        self._texts += 1
        self._counts.update(keys)
        if len(self._counts) > _LARGEST_TABLE:
            # The rarest go: as a feature never seen they weigh nearly what they did.
            common = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
            self._counts = Counter(dict(common[: _LARGEST_TABLE // 2]))

    def _row(
        self, features: _Features, factors: NDArray[np.float64], text: str
    ) -> NDArray[np.float64]:
        row = np.zeros(self.dimensions)
        np.add.at(row, features.keys % self.dimensions, features.weights * factors)
        if not row.any():
            # A text without a word of either language is like itself alone.
            row[_key("text", plain(text)) % self.dimensions] = 1.0
        unit: NDArray[np.float64] = row / np.sqrt(row.dot(row))
        return unit


def _features(text: str) -> _Features:
    """Return the features of a text."""
    occurrences = _occurrences(text)
    keys, places, counts = np.unique(occurrences["key"], return_inverse=True, return_counts=True)
    weights = np.bincount(places, occurrences["weight"], len(keys))
    return _Features(keys, weights / counts, counts)


def _occurrences(text: str) -> NDArray[np.void]:
    """Return every feature of a text as often as it occurs. The text may mix the languages."""
    # One word for pain, as in `words`.
    runs = _CJK.findall(plain(text).replace("疼", "痛"))
    # In Chinese, English words are split as in English; a text without Chinese is split as
    # everybody else splits it.
    split = words(text, Language.ZH if runs else Language.EN)
    parts = [*map(_word_features, split), *map(_run_features, runs)]
    return np.frombuffer(b"".join(parts), dtype=_FEATURE)


@lru_cache(maxsize=65536)
def _word_features(word: str) -> bytes:
    """A word and, in English, its parts.

    Its borders count as letters, which keeps `pain` apart from `Spain`.
    """
    language = Language.ZH if _CJK.match(word) else Language.EN
    share = 1.0 if content(word, language) else _STOPWORD
    features = [(_key("word", word), _WORD * share)]
    if word[0].isascii() and word[0].isalpha():
        for key, weight in _ngrams("en", f"<{word}>", _ENGLISH):
            features.append((key, weight * share))
    return _packed(features)


@lru_cache(maxsize=8192)
def _run_features(run: str) -> bytes:
    """The characters of a run of Chinese, their pairs and triples."""
    return _packed(_ngrams("zh", run, _CHINESE))


def _ngrams(kind: str, text: str, weights: dict[int, float]) -> list[tuple[int, float]]:
    """The keys of a text's character n-grams with their weights."""
    features = []
    for size, weight in weights.items():
        for start in range(len(text) - size + 1):
            features.append((_key(kind, text[start : start + size]), weight))
    return features


def _packed(features: Sequence[tuple[int, float]]) -> bytes:
    """The bytes of an array of features with signed weights.

    Words repeat, and bytes are quickly joined.
    """
    # The first bit of the key is the sign.
    signed = [(key, weight if key >> _BITS - 1 else -weight) for key, weight in features]
    return np.array(signed, _FEATURE).tobytes()


@lru_cache(maxsize=65536)
def _key(kind: str, feature: str) -> int:
    data = f"{kind}\0{feature}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=_BITS // 8).digest())
