"""A toy language model with a temperature and a repetition penalty, for a stand-in server."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WORDS = [
    "the",
    "nurse",
    "checks",
    "a",
    "patient",
    "and",
    "then",
    "the",
    "ward",
    "while",
    "another",
    "nurse",
    "writes",
    "notes",
    "for",
    "the",
    "doctor",
]


@dataclass
class ToyModel:
    """Says a word after the other by their scores, as a server with such defaults would."""

    penalty: float = 1.0
    """The server's own repetition penalty."""
    takes: tuple[str, ...] = ("repeat_penalty", "temperature")
    """Parameters of a request that it follows; others are ignored."""
    temperature: float = 0.8
    """The server's own temperature."""
    _rng: random.Random = field(default_factory=lambda: random.Random(0))

    def answer(self, request: Mapping[str, Any]) -> str:
        asked = {name: request[name] for name in self.takes if name in request}
        penalty, temperature = (
            asked.get("repeat_penalty", self.penalty),
            asked.get("temperature", self.temperature),
        )
        question, said = request["messages"][-1]["content"], list[str]()
        for place in range(30):
            liked = "pain" if "pain" in question else WORDS[place % len(WORDS)]
            scores = {**dict.fromkeys(WORDS, 3.0), liked: 4.0}
            scores = {
                word: score / penalty if word in said else score for word, score in scores.items()
            }
            said.append(self._pick(scores, temperature))
        return " ".join(said)

    def _pick(self, scores: Mapping[str, float], temperature: float) -> str:
        if temperature == 0:
            return max(scores, key=lambda word: scores[word])
        weights = [math.exp(score / temperature) for score in scores.values()]
        return self._rng.choices(list(scores), weights)[0]
