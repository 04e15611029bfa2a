"""The default embedder: hashed words and parts of words, in English and Chinese, with nothing to download."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.errors import UserError
from osler.memory.embedders.base import Vectors
from osler.records.language import Language
from osler.words import content, plain, words

DIMENSIONS = 4096
"""The smallest power of two at which the rows, on average over hash functions, find what BM25 finds in long turns."""
FEWEST, MOST = 16, 65536

_WORD = 1.0
_ENGLISH = {3: 0.15, 4: 0.15, 5: 0.15}
"""Weight of the character n-grams inside an English word, by length; a word outweighs its parts."""
_CHINESE = {1: 0.15, 2: 0.5, 3: 0.2}
"""Weight of Chinese characters, pairs and triples: they find what was segmented in another way."""
_STOPWORD = 0.3
"""What a word without content of its own counts; before there are texts, no document frequency says so."""
_LARGEST_TABLE = 100_000
"""Features whose frequency is kept; thousands of turns fit."""

_CJK = re.compile(r"[\u4e00-\u9fff]+")


class _Features(NamedTuple):
    """Every feature of a text once."""

    keys: NDArray[np.int64]
    """32 bits of a stable hash: place and sign in the row, and the entry in the table of frequencies."""
    weights: NDArray[np.float64]
    counts: NDArray[np.int64]


class HashEmbedder:
    """Words and character n-grams, hashed with signs into a row.

    A kept row holds how often each feature occurs, damped, and never changes. The query's row carries how rare each
    feature is among the texts kept so far, so that the cosine of the two behaves as TF-IDF does.
    """

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        """Start without having seen a text.

        Args:
            dimensions: The length of a row. Fewer cost memory less and mix up more features.

        Raises:
            UserError: No row can have that length.
        """
        if not FEWEST <= dimensions <= MOST:
            raise UserError(
                f"a hash embedder cannot have {dimensions} dimensions", f"give a number from {FEWEST} to {MOST}"
            )
        self.dimensions = dimensions
        self.name = f"hash:{dimensions}"
        self._frequencies = _Frequencies()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows for texts that are to be kept; how common their features are is learned."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            features = _features(text)
            self._frequencies.learn(features.keys)
            row[:] = self._row(features, features.weights * (1 + np.log(features.counts)), text)
        return rows

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row, in which rare features weigh more than common ones."""
        features = _features(text)
        return self._row(features, features.weights * self._frequencies.rarity(features.keys), text)

    def snapshot(self) -> dict[str, Any]:
        """The frequencies learned so far."""
        return {"dimensions": self.dimensions, **self._frequencies.snapshot()}

    def restore(self, state: dict[str, Any]) -> None:
        """Know the frequencies that `snapshot` knew.

        Raises:
            UserError: The state is that of an embedder of another size, whose rows cannot be compared with these.
        """
        if state["dimensions"] != self.dimensions:
            raise UserError(
                f"what was kept has {state['dimensions']} dimensions, and this embedder {self.dimensions}",
                f"use hash:{state['dimensions']}",
            )
        self._frequencies.restore(state)

    def _row(self, features: _Features, values: NDArray[np.float64], text: str) -> NDArray[np.float32]:
        signs = np.where(features.keys >> 31, 1.0, -1.0)
        row = np.bincount(features.keys % self.dimensions, weights=signs * values, minlength=self.dimensions)
        length = float(np.linalg.norm(row))
        if length == 0.0:  # no word of either language: the text is like itself alone
            row[_key("text", plain(text)) % self.dimensions] = length = 1.0
        return np.asarray(row / length, dtype=np.float32)


class _Frequencies:
    """In how many texts each feature occurs."""

    def __init__(self) -> None:
        self._texts = 0
        self._counts: Counter[int] = Counter()

    def learn(self, keys: NDArray[np.int64]) -> None:
        """Count one text with these features, each given once."""
        self._texts += 1
        self._counts.update(keys.tolist())
        if len(self._counts) > _LARGEST_TABLE:
            # The rarest go: as a feature never seen they weigh nearly what they did.
            common = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
            self._counts = Counter(dict(common[: _LARGEST_TABLE // 2]))

    def rarity(self, keys: NDArray[np.int64]) -> NDArray[np.float64]:
        """BM25's inverse document frequency; the same for all features while there are no texts."""
        seen = np.array([self._counts.get(key, 0) for key in keys.tolist()], dtype=np.float64)
        return np.log1p((self._texts - seen + 0.5) / (seen + 0.5))

    def snapshot(self) -> dict[str, Any]:
        return {"texts": self._texts, "counts": {str(key): count for key, count in self._counts.items()}}

    def restore(self, state: dict[str, Any]) -> None:
        self._texts = int(state["texts"])
        self._counts = Counter({int(key): int(count) for key, count in state["counts"].items()})


def _features(text: str) -> _Features:
    """What a text is made of. It may mix the languages, so that nobody need say which one it is in."""
    found: list[int] = []
    weights: list[float] = []
    runs = _CJK.findall(plain(text).replace("疼", "痛"))  # one word for pain, as in `words`
    # In Chinese, English words are split as in English; a text without Chinese is split as everybody else splits it.
    for word in words(text, Language.ZH if runs else Language.EN):
        of_word = _word_features(word)
        found += of_word.keys
        weights += of_word.weights
    for run in runs:
        of_run = _run_features(run)
        found += of_run.keys
        weights += of_run.weights
    # What np.unique does, which for a few hundred numbers spends most of its time on being general.
    keys = np.array(found, dtype=np.int64)
    order = keys.argsort(kind="stable")
    ranked = keys[order]
    is_first = np.ones(len(keys), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=is_first[1:])
    place = np.empty(len(keys), dtype=np.int64)
    place[order] = is_first.cumsum() - 1
    counts = np.bincount(place)
    return _Features(ranked[is_first], np.bincount(place, weights=weights) / counts, counts)


class _Part(NamedTuple):
    """The features of a word or a run of characters; texts of one conversation share most of theirs."""

    keys: tuple[int, ...]
    weights: tuple[float, ...]


@lru_cache(maxsize=65536)
def _word_features(word: str) -> _Part:
    """A word and, in English, its parts; its borders count as letters, which keeps `pain` apart from `Spain`."""
    share = 1.0 if _has_content(word) else _STOPWORD
    found = [(_key("word", word), _WORD * share)]
    if word[0].isascii() and word[0].isalpha():
        bordered = f"<{word}>"
        for size, weight in _ENGLISH.items():
            for start in range(len(bordered) - size + 1):
                found.append((_key("en", bordered[start : start + size]), weight * share))
    return _Part(*zip(*found, strict=True))


@lru_cache(maxsize=8192)
def _run_features(run: str) -> _Part:
    """The characters of a run, their pairs and triples."""
    found = [
        (_key("zh", run[start : start + size]), weight)
        for size, weight in _CHINESE.items()
        for start in range(len(run) - size + 1)
    ]
    return _Part(*zip(*found, strict=True))


def _has_content(word: str) -> bool:
    return bool(content(word, Language.ZH if _CJK.match(word) else Language.EN))


@lru_cache(maxsize=65536)
def _key(kind: str, feature: str) -> int:
    return int.from_bytes(blake2b(f"{kind}\0{feature}".encode("utf-8", "replace"), digest_size=4).digest())
