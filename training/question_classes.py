"""Fit and measure the classifier of the memory `perlt`.

`make perlt-model`, seconds, needs the `train` extra.

`memory_classes/train_LANGUAGE.jsonl` has questions labelled as `semantic` (who somebody is:
profile, relations, standing facts) or `episodic` (what happened or was said); `test_LANGUAGE.jsonl`
is only measured on. `python -m training.question_classes MODEL@URL` measures `classify=model` with
this model instead.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums in one order, whatever the machine

import numpy as np
from numpy.typing import NDArray

from osler.language import Language
from osler.memory.perlt.question_class import hashed, probability_by_model, semantic_probability
from osler.memory.store.arguments import thinker_of
from osler.models import open_backbone
from training.labels import HERE

WEIGHTS = HERE.parent / "src" / "osler" / "memory" / "perlt" / "weights.npz"
STRENGTH = 10.0
"""The inverse of the regularisation; chosen by cross-validation on the training questions."""
_EVEN, _AT_ONCE = 0.5, 16
"""Probability from which a question is semantic, and requests to a model at a time."""


def questions(part: str, language: Language) -> list[tuple[str, bool]]:
    """(question, whether it is semantic)."""
    lines = (
        (HERE / "memory_classes" / f"{part}_{language.value}.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    return [(row["question"], row["label"] == "semantic") for row in map(json.loads, lines)]


def fit(language: Language) -> NDArray[np.float32]:
    """The weights of the buckets, then the bias."""
    from sklearn.linear_model import LogisticRegression  # measuring does without

    rows = questions("train", language)
    cells = np.array([hashed(question, language) for question, _ in rows])
    fitted = LogisticRegression(C=STRENGTH, solver="liblinear").fit(
        cells, [label for _, label in rows]
    )
    return np.append(fitted.coef_[0], fitted.intercept_).astype(np.float32)


def measure(part: str, language: Language, found: Sequence[float]) -> None:
    """Print precision, recall and F1 of both classes by the probabilities of the semantic class."""
    pairs = [
        (label, given >= _EVEN)
        for (_, label), given in zip(questions(part, language), found, strict=True)
    ]
    for name, wanted in (("semantic", True), ("episodic", False)):
        right = sum(label == found == wanted for label, found in pairs)
        precision = right / max(1, sum(found == wanted for _, found in pairs))
        recall = right / max(1, sum(label == wanted for label, _ in pairs))
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(
            f"{part} {language.value} {name}: precision {precision:.3f}, recall {recall:.3f}, F1"
            f" {f1:.3f}"
        )


def measure_shipped() -> None:
    """Measure the weights that were written last."""
    for language in Language:
        measure(
            "test",
            language,
            [
                semantic_probability(question, language)
                for question, _ in questions("test", language)
            ],
        )


async def measure_model(spec: str) -> None:
    """Measure a language model; a question to which it gives no probability counts as wrong."""
    backbone, limit = open_backbone(spec), asyncio.Semaphore(_AT_ONCE)

    async def asked(question: str, language: Language) -> float | None:
        async with limit:
            return (await probability_by_model(question, language, thinker_of(backbone)))[0]

    for language in Language:
        rows = questions("test", language)
        found = await asyncio.gather(*(asked(question, language) for question, _ in rows))
        print(f"{language.value}: {found.count(None)} of {len(rows)} without a probability")
        wrong = [1.0 - label for _, label in rows]
        measure(
            "test", language, [wrong[at] if one is None else one for at, one in enumerate(found)]
        )
    await backbone.close()


def main() -> None:
    """Fit both languages, write the weights, and measure them.

    Or measure the model that is named.
    """
    if len(sys.argv) > 1:
        asyncio.run(measure_model(sys.argv[1]))
        return
    np.savez_compressed(WEIGHTS, **{language.value: fit(language) for language in Language})
    measure_shipped()


if __name__ == "__main__":
    main()
