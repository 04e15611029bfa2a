"""From the evidence about an entry to the probability that it was asked for: a small fitted network."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from osler.records.language import Language

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Decision:
    """The network of one language, and from which probability on an entry counts as asked for."""

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: float
    threshold: float
    """What the best entry must reach, or nothing was asked for."""
    ratio: float
    """Share of the best entry's probability that every other one must have."""

    def probabilities(self, evidence: Floats) -> Floats:
        """One for each row of evidence."""
        inner = np.maximum(0.0, (evidence - self.mean) / self.scale @ self.hidden + self.hidden_bias)
        probabilities: Floats = 1 / (1 + np.exp(-(inner @ self.out + self.out_bias)))
        return probabilities

    def floor(self, probabilities: Floats) -> float:
        """What an entry's probability must reach, beside these."""
        best = float(probabilities.max(initial=0.0))
        return best * self.ratio if best >= self.threshold else math.inf


@cache
def decision(language: Language) -> Decision:
    """As `training/fit.py` found it on the questions that are for tuning."""
    with as_file(files("osler.agents.ram") / "decision" / f"{language.value}.npz") as path, np.load(path) as data:
        rows = {name: data[name].astype(np.float64) for name in ("mean", "scale", "hidden", "hidden_bias", "out")}
        return Decision(
            **rows,
            out_bias=float(data["out_bias"]),
            threshold=float(data["threshold"]),
            ratio=float(data["ratio"]),
        )
