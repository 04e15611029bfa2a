"""Fit and measure the classifier of the memory `perlt`: `make perlt-model`, seconds, needs the `train` extra.

`memory_classes/train_LANGUAGE.jsonl` has questions labelled as `semantic` (who somebody is: profile, relations,
standing facts) or `episodic` (what happened or was said); `test_LANGUAGE.jsonl` is only measured on.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums in one order, whatever the machine

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from osler.language import Language
from osler.memory.perlt.question_class import hashed, semantic_probability
from training.labels import HERE

WEIGHTS = HERE.parent / "src" / "osler" / "memory" / "perlt" / "weights.npz"
STRENGTH = 10.0
"""The inverse of the regularisation; chosen by cross-validation on the training questions."""


def questions(part: str, language: Language) -> list[tuple[str, bool]]:
    """(question, whether it is semantic)."""
    lines = (HERE / "memory_classes" / f"{part}_{language.value}.jsonl").read_text(encoding="utf-8").splitlines()
    return [(row["question"], row["label"] == "semantic") for row in map(json.loads, lines)]


def fit(language: Language) -> NDArray[np.float32]:
    """The weights of the buckets, then the bias."""
    rows = questions("train", language)
    cells = np.array([hashed(question, language) for question, _ in rows])
    fitted = LogisticRegression(C=STRENGTH, solver="liblinear").fit(cells, [label for _, label in rows])
    return np.append(fitted.coef_[0], fitted.intercept_).astype(np.float32)


def measure(part: str, language: Language) -> None:
    """Print precision, recall and F1 of both classes."""
    rows = questions(part, language)
    pairs = [(label, semantic_probability(question, language) >= 0.5) for question, label in rows]
    for name, wanted in (("semantic", True), ("episodic", False)):
        right = sum(label == found == wanted for label, found in pairs)
        precision = right / max(1, sum(found == wanted for _, found in pairs))
        recall = right / max(1, sum(label == wanted for label, _ in pairs))
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(f"{part} {language.value} {name}: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}")


def main() -> None:
    """Fit both languages, write the weights, and measure them."""
    np.savez_compressed(WEIGHTS, **{language.value: fit(language) for language in Language})
    for language in Language:
        measure("test", language)


if __name__ == "__main__":
    main()
