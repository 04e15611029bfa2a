"""Find which concepts of the thesaurus a text means.

A linear model over the text's words and runs of letters finds meanings that no list of phrases has
("do your shoes feel tight by the evening?"). `make ram-model` fits it.
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
from osler.language.pieces import count_pieces
from osler.ranking import all_seen, reaching
from osler.stretches import positions_of

_LEAST = 0.02
"""Concepts below this probability are left out."""
_AT_ONCE = 128
"""Texts that are read at once: each takes a row of all concepts."""
TALK = frozenset({"none", "other", "reassurance", "plan-consent", "paperwork", "comfort"})
"""Concepts of a doctor who greets, reassures, plans or writes: no entry answers these."""
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
        """Return the probabilities of many texts, a row each: numpy is slow with one at a time."""
        size = len(self.concepts)
        rows, places, values = self._pieces(texts, language)
        # The weights of each piece are a stretch of one long array.
        starts = self._starts[places]
        ends = self._starts[places + 1]
        lengths = ends - starts
        cells = positions_of(starts, ends)
        weighed = self._weights[cells] * np.repeat(values, lengths)
        # A bin for each pair of a text and a concept, in which its weights are added.
        bins = self._classes[cells] + np.repeat(rows * size, lengths)
        sums = np.bincount(bins, weights=weighed, minlength=len(texts) * size)
        scores = sums.reshape(len(texts), size) + self._bias
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Floats = exponentials / exponentials.sum(axis=1, keepdims=True)
        pieces_in_text = np.bincount(rows, minlength=len(texts))
        shares[pieces_in_text == 0] = 0.0
        return shares

    def _pieces(
        self, texts: Sequence[str], language: Language
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """Return for every known piece of the texts its text, its place in the model and its value.

        The squares of a text's values add up to 1.
        """
        pieces: list[tuple[int, float]] = []
        sizes = []
        for text in texts:
            # In a fixed order, so that sums have the same last digits in every run.
            of_text = sorted(count_pieces(text, language).items())
            pieces += of_text
            sizes.append(len(of_text))
        keys = np.array([key for key, _ in pieces], dtype=np.uint32)
        counts = np.array([count for _, count in pieces], dtype=np.float64)
        nearest = np.minimum(self._keys.searchsorted(keys), len(self._keys) - 1)
        is_known = self._keys[nearest] == keys
        rows = np.repeat(np.arange(len(texts)), sizes)[is_known]
        places = nearest[is_known]
        values: Floats = self._rarity[places] * counts[is_known]
        borders = rows.searchsorted(np.arange(len(texts) + 1)).tolist()
        for begin, end in pairwise(borders):
            row = values[begin:end]
            row /= math.sqrt(float(row @ row)) or 1.0
        return rows, places, values


@cache
def concept_model(language: Language) -> ConceptModel:
    """The model of a language, as it was fitted."""
    resource = files("osler.language.lexicon") / "concepts" / f"{language.value}.npz"
    with as_file(resource) as path, np.load(path) as data:
        return ConceptModel(data)


@lru_cache(maxsize=1024)
def likely_concepts(text: str, language: Language) -> Mapping[str, float]:
    """The concepts that a question may mean, with their probabilities."""
    return concepts_of_texts((text,), language)[0]


def concepts_of_texts(texts: Sequence[str], language: Language) -> list[dict[str, float]]:
    """For each text the concepts it may mean, with their probabilities."""
    model = concept_model(language)
    by_text: list[dict[str, float]] = []
    for start in range(0, len(texts), _AT_ONCE):
        shares = all_seen(model.of_texts(texts[start : start + _AT_ONCE], language))
        of_batch: list[dict[str, float]] = [{} for _ in shares]
        rows, places = np.nonzero(reaching(shares, _LEAST))
        likely = shares[rows, places]
        # As Python numbers: to take them from the array one by one is slow.
        cells = zip(rows.tolist(), places.tolist(), likely.tolist(), strict=True)
        for row, place, share in cells:
            of_batch[row][model.concepts[place]] = share
        by_text += of_batch
    return by_text
