"""Find which concepts of the thesaurus a text means: a linear model over its words and runs of letters.

It finds meanings that no list of phrases has ("do your shoes feel tight by the evening?"). `make ram-model` fits it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from osler.language.base import Language
from osler.language.pieces import counted
from osler.ranking import all_seen, reaching

_LEAST = 0.02
"""Concepts below this probability are left out."""


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

    def probabilities(self, text: str, language: Language) -> NDArray[np.float64]:
        """Return how likely the text means each concept; all 0 if no piece is known."""
        found = counted(text, language)
        keys = np.array(sorted(found), dtype=np.uint32)
        at = np.minimum(self._keys.searchsorted(keys), len(self._keys) - 1)
        is_known = self._keys[at] == keys
        places, keys = at[is_known], keys[is_known]
        if not len(places):
            return np.zeros(len(self.concepts))
        values = self._rarity[places] * np.array([found[key] for key in keys.tolist()])
        values /= math.sqrt(float(values @ values))
        lengths = self._starts[places + 1] - self._starts[places]
        before = np.cumsum(lengths) - lengths
        cells = np.arange(int(lengths.sum())) + np.repeat(self._starts[places] - before, lengths)
        weighed = self._weights[cells] * np.repeat(values, lengths)
        scores = np.bincount(self._classes[cells], weights=weighed, minlength=len(self.concepts)) + self._bias
        likely = np.exp(scores - scores.max())
        shares: NDArray[np.float64] = likely / likely.sum()
        return shares


@cache
def concept_model(language: Language) -> ConceptModel:
    """The model of a language, as it was fitted."""
    with as_file(files("osler.language.lexicon") / "concepts" / f"{language.value}.npz") as path, np.load(path) as data:
        return ConceptModel(data)


def meant(texts: Sequence[str], language: Language) -> list[dict[str, float]]:
    """For each text the concepts it may mean, with their probabilities."""
    model = concept_model(language)
    found = []
    for text in texts:
        likely = all_seen(model.probabilities(text, language))
        places = np.flatnonzero(reaching(likely, _LEAST)).tolist()
        found.append({model.concepts[place]: float(likely[place]) for place in places})
    return found
