"""The default embedder: hashed words and parts of words, in English and Chinese, with nothing to download."""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.errors import UserError
from osler.language import Language
from osler.language.words import content, plain, words
from osler.memory.embedders.base import Vectors

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

_BITS = 32
"""Of a key."""
_CJK = re.compile(r"[\u4e00-\u9fff]+")


class _Features(NamedTuple):
    """Every feature of some texts, once for each text that has it."""

    texts: NDArray[np.int64]
    """Which of the texts it is in."""
    keys: NDArray[np.int64]
    """32 bits of a stable hash: place and sign in the row, and the entry in the table of frequencies."""
    weights: NDArray[np.float64]
    """With the sign in the row."""
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
        found = _features(texts)
        self._frequencies.learn(found.keys, len(texts))
        return self._rows(found, 1 + np.log(found.counts), texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """One row, in which rare features weigh more than common ones."""
        found = _features([text])
        row: NDArray[np.float32] = self._rows(found, self._frequencies.rarity(found.keys), [text])[0]
        return row

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

    def _rows(self, found: _Features, factors: NDArray[np.float64], texts: Sequence[str]) -> Vectors:
        places = found.texts * self.dimensions + found.keys % self.dimensions
        flat = np.bincount(places, weights=found.weights * factors, minlength=len(texts) * self.dimensions)
        # Of nothing, bincount makes whole numbers.
        rows = flat.reshape(len(texts), self.dimensions).astype(np.float64, copy=False)
        for row, text in zip(rows, texts, strict=True):
            length = math.sqrt(row.dot(row))
            if length == 0.0:  # no word of either language: the text is like itself alone
                row[_key("text", plain(text)) % self.dimensions] = length = 1.0
            row /= length
        return rows.astype(np.float32)


class _Frequencies:
    """In how many texts each feature occurs."""

    def __init__(self) -> None:
        self._texts = 0
        self._counts: Counter[int] = Counter()

    def learn(self, keys: NDArray[np.int64], texts: int) -> None:
        """Count some texts with these features, each given once for each text that has it."""
        self._texts += texts
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


def _features(texts: Sequence[str]) -> _Features:
    """What texts are made of: all of them at once, since a call of numpy costs more than the numbers of one text."""
    parts = [b"".join(_parts(text)) for text in texts]
    pairs = np.frombuffer(b"".join(parts), dtype=np.int64).reshape(-1, 2)
    keys = pairs[:, 0].copy()
    if len(texts) > 1:
        keys += np.repeat(np.arange(len(texts)) << _BITS, [len(part) // pairs.strides[0] for part in parts])
    # What np.unique does, which for a few hundred numbers spends most of its time on being general.
    order = keys.argsort()
    ranked = keys[order]
    is_first = np.ones(len(keys), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=is_first[1:])
    place = np.empty(len(keys), dtype=np.int64)
    place[order] = is_first.cumsum() - 1
    counts = np.bincount(place)
    weights = np.bincount(place, weights=pairs.view(np.float64)[:, 1]) / counts
    once = ranked[is_first]
    return _Features(once >> _BITS, once & (1 << _BITS) - 1, weights, counts)


def _parts(text: str) -> Iterator[bytes]:
    """The features of a text. It may mix the languages, so that nobody need say which one it is in."""
    runs = _CJK.findall(plain(text).replace("疼", "痛"))  # one word for pain, as in `words`
    # In Chinese, English words are split as in English; a text without Chinese is split as everybody else splits it.
    split = words(text, Language.ZH if runs else Language.EN)
    return chain(map(_word_features, split), map(_run_features, runs))


@lru_cache(maxsize=65536)
def _word_features(word: str) -> bytes:
    """A word and, in English, its parts; its borders count as letters, which keeps `pain` apart from `Spain`."""
    share = 1.0 if _has_content(word) else _STOPWORD
    found = [(_key("word", word), _WORD * share)]
    if word[0].isascii() and word[0].isalpha():
        bordered = f"<{word}>"
        for size, weight in _ENGLISH.items():
            for start in range(len(bordered) - size + 1):
                found.append((_key("en", bordered[start : start + size]), weight * share))
    return _packed(found)


@lru_cache(maxsize=8192)
def _run_features(run: str) -> bytes:
    """The characters of a run, their pairs and triples."""
    return _packed(
        [
            (_key("zh", run[start : start + size]), weight)
            for size, weight in _CHINESE.items()
            for start in range(len(run) - size + 1)
        ]
    )


def _packed(found: Sequence[tuple[int, float]]) -> bytes:
    """Keys and signed weights in turn, as they lie in an array: words repeat, and theirs are quickly put in a row."""
    return b"".join(struct.pack("=qd", key, weight if key >> _BITS - 1 else -weight) for key, weight in found)


def _has_content(word: str) -> bool:
    return bool(content(word, Language.ZH if _CJK.match(word) else Language.EN))


@lru_cache(maxsize=65536)
def _key(kind: str, feature: str) -> int:
    return int.from_bytes(blake2b(f"{kind}\0{feature}".encode("utf-8", "replace"), digest_size=_BITS // 8).digest())
