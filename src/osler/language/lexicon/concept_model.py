"""Find which concepts of the thesaurus a text means: a linear model over its words and runs of letters.

It finds meanings that no list of phrases has ("do your shoes feel tight by the evening?"). `make ram-model` fits it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from osler.language.base import Language
from osler.language.pieces import counted
from osler.ranking import all_seen, reaching

_LEAST = 0.02
"""Concepts below this probability are left out."""
_AT_ONCE = 128
"""Texts that are read at once: each takes a row of all concepts."""
Floats = NDArray[np.float64]


class ConceptModel:
    """The fitted model of one language."""

    def __init__(self, data: Mapping[str, NDArray[np.generic]]) -> None:
        """Take the arrays of its file."""
        self.concepts = tuple(map(str, data["concepts"]))
        self._keys = data["keys"].astype(np.uint32)
        """Checksums of the known pieces, sorted."""
        self._rarity = data["rarity"].astype(np.float32)
        """Weight of each piece."""
        self._starts = data["starts"].astype(np.int64)
        """Where the weights of each piece begin; most are zero and left out."""
        self._classes = data["classes"].astype(np.uint16)
        """The concept that each weight is for."""
        self._weights = data["weights"].astype(np.float32) * np.float32(data["step"])
        self._bias = data["bias"].astype(np.float32)

    def probabilities(self, text: str, language: Language) -> Floats:
        """Return how likely the text means each concept; all 0 if no piece is known."""
        row: Floats = self.of_texts([text], language)[0]
        return row

    def of_texts(self, texts: Sequence[str], language: Language) -> Floats:
        """Return the probabilities of many texts, one in each row: at once, as numpy is slow at small things."""
        size = len(self.concepts)
        rows, places, values = self._pieces(texts, language)
        lengths = self._starts[places + 1] - self._starts[places]
        before = np.cumsum(lengths) - lengths
        cells = np.arange(int(lengths.sum())) + np.repeat(self._starts[places] - before, lengths)
        weighed = self._weights[cells] * np.repeat(values, lengths)
        bins = self._classes[cells] + np.repeat(rows * size, lengths)
        scores = np.bincount(bins, weights=weighed, minlength=len(texts) * size).reshape(len(texts), size) + self._bias
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Floats = likely / likely.sum(axis=1, keepdims=True)
        shares[np.bincount(rows, minlength=len(texts)) == 0] = 0.0
        return shares

    def _pieces(self, texts: Sequence[str], language: Language) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """Return for every known piece of the texts its text, its place in the model and its value.

        The squares of a text's values add up to 1.
        """
        counts = [sorted(counted(text, language).items()) for text in texts]
        row_of = np.repeat(np.arange(len(texts)), [len(row) for row in counts])
        keys = np.array([key for row in counts for key, _ in row], dtype=np.uint32)
        damped = np.array([value for row in counts for _, value in row], dtype=np.float64)
        at = np.minimum(self._keys.searchsorted(keys), len(self._keys) - 1)
        is_known = self._keys[at] == keys
        rows, places = row_of[is_known], at[is_known]
        values: Floats = self._rarity[places] * damped[is_known]
        for begin, end in pairwise(rows.searchsorted(np.arange(len(texts) + 1)).tolist()):
            row = values[begin:end]
            row /= math.sqrt(float(row @ row)) or 1.0
        return rows, places, values


@cache
def concept_model(language: Language) -> ConceptModel:
    """The model of a language, as it was fitted."""
    with as_file(files("osler.language.lexicon") / "concepts" / f"{language.value}.npz") as path, np.load(path) as data:
        return ConceptModel(data)


@lru_cache(maxsize=1024)
def likely(text: str, language: Language) -> Mapping[str, float]:
    """The concepts that a question may mean, with their probabilities."""
    return meant((text,), language)[0]


def meant(texts: Sequence[str], language: Language) -> list[dict[str, float]]:
    """For each text the concepts it may mean, with their probabilities."""
    model = concept_model(language)
    found: list[dict[str, float]] = []
    for start in range(0, len(texts), _AT_ONCE):
        likely = all_seen(model.of_texts(texts[start : start + _AT_ONCE], language))
        of_texts: list[dict[str, float]] = [{} for _ in likely]
        rows, places = np.nonzero(reaching(likely, _LEAST))
        for row, place, share in zip(rows.tolist(), places.tolist(), likely[rows, places].tolist(), strict=True):
            of_texts[row][model.concepts[place]] = share
        found += of_texts
    return found
