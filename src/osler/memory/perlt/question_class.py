"""P(class | question).

Whether a question asks for standing facts of a person or for something that happened.

A logistic regression over the words and letters of the question; `make perlt-model` fits it.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from osler.language import Language
from osler.language.pieces import count_pieces
from osler.memory.base import Thinker
from osler.memory.core.ask_model import ask_json

BUCKETS = 4096
"""Length of the row that a question's words are hashed into."""
_TOKENS = 200
"""The most tokens of a model's answer."""


class ClassAnswer(BaseModel):
    """What a model is asked for."""

    semantic: float = Field(ge=0.0, le=1.0)
    """How likely the question asks for standing facts."""


def hashed(question: str, language: Language) -> NDArray[np.float64]:
    """The pieces of a question, counted in buckets; its length is 1, or 0 if there are none."""
    row = np.zeros(BUCKETS)
    for key, value in count_pieces(question, language).items():
        row[key % BUCKETS] += value
    length = math.sqrt(float(row @ row))
    if length:
        return row / length
    return row


def semantic_probability(question: str, language: Language) -> float:
    """How likely a question asks for standing facts, by the shipped model."""
    *weights, bias = _weights()[language.value].tolist()
    return sigmoid(float(hashed(question, language) @ np.array(weights)) + bias)


async def probability_by_model(
    question: str, language: Language, thinker: Thinker
) -> tuple[float | None, int]:
    """The same by a language model, and the requests it took; None if it gives no probability."""
    answer = await ask_json(
        thinker, "perlt_classify", language, ClassAnswer, _TOKENS, question=question
    )
    given = (answer.data or {}).get("semantic")
    is_probability = isinstance(given, int | float) and 0 <= given <= 1
    return float(given) if is_probability else None, answer.requests  # type: ignore[arg-type]


def sigmoid(value: float) -> float:
    """Squash a score into 0 to 1."""
    if value > 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))


@cache
def _weights() -> dict[str, NDArray[np.float32]]:
    """For each language, a weight for each bucket and the bias."""
    with as_file(files("osler.memory.perlt") / "weights.npz") as path, np.load(path) as data:
        return {name: data[name] for name in data.files}
