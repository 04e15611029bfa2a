"""From the evidence about an entry to the probability that it was asked for: a small fitted network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.ranking import all_seen, reaches

Floats = NDArray[np.float64]
Narrow = NDArray[np.float32]


@dataclass(frozen=True)
class Decision:
    """A network, and from which probability on an entry counts as asked for."""

    hidden: Narrow
    """(units, columns and a last one of ones); what levels the columns is part of it."""
    out: Narrow
    out_bias: float
    threshold: float
    """What the best entry must reach, or nothing was asked for."""
    ratio: float
    """Share of the best entry's probability that every other one must have."""

    def probabilities(self, evidence: Narrow) -> Floats:
        """One for each entry, of its columns of evidence and a last one of ones."""
        inner = self.hidden @ evidence
        scores = self.out @ np.maximum(inner, _noughts(*inner.shape), out=inner) + self.out_bias
        return all_seen(1 / (1 + np.exp(-scores.astype(np.float64))))

    def floor(self, probabilities: Sequence[float]) -> float:
        """What an entry's probability must reach, beside these."""
        best = max(probabilities, default=0.0)
        return best * self.ratio if reaches(best, self.threshold) else math.inf


@lru_cache(maxsize=32)
def _noughts(units: int, entries: int) -> Narrow:
    """To compare with: numpy takes three times as long to compare with one nought."""
    return np.zeros((units, entries), dtype=np.float32)


@cache
def decision(language: Language, *, of_text: bool) -> Decision:
    """As `training/fit.py` found it on questions for tuning: for entries with names, or for statements of a text."""
    with as_file(files("osler.agents.ram") / "decision" / file_name(language, of_text)) as path, np.load(path) as data:
        hidden = data["hidden"] / data["scale"][:, None]
        return Decision(
            hidden=np.concatenate([hidden, [data["hidden_bias"] - data["mean"] @ hidden]]).T.copy(),
            out=data["out"],
            out_bias=float(data["out_bias"]),
            threshold=float(data["threshold"]),
            ratio=float(data["ratio"]),
        )


def file_name(language: Language, of_text: bool) -> str:
    """Where a network is kept."""
    return f"{language.value}_text.npz" if of_text else f"{language.value}.npz"
