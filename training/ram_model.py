"""Fit the retrieval without a model: `make ram-model`, three minutes; needs the `train` extra.

1. The concept model of each language: softmax regression from pieces of words to concepts, on
`asks` and the thesaurus. 2. The weights of the evidence: logistic regression on `questions/`, put
to the bundled records and to imported ones.

The concept model is written to `src/osler/language/lexicon/concepts/`, the weights to
`src/osler/agents/ram/model/`, with a manifest of the hashes of all data and of what was fitted.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums in one order, whatever the machine

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from tests.agents.questions import FOLDER, Labelled

from osler.agents.ram.evidence import COLUMNS, Evidence, read_asks
from osler.language import Language
from osler.language.lexicon.concept_model import ConceptModel, concept_model
from osler.language.lexicon.thesaurus import idioms, names
from osler.language.pieces import count_pieces
from osler.records import PatientRecord, RecordPool
from training.imported import PREFIX, imported, put_to
from training.labels import HERE, asks, by_hand

ROOT = HERE.parent
MODEL = ROOT / "src" / "osler" / "agents" / "ram" / "model"
CONCEPTS = ROOT / "src" / "osler" / "language" / "lexicon" / "concepts"
THESAURUS = ROOT / "src" / "osler" / "language" / "lexicon" / "thesaurus"
LEAST_SEEN = 3
"""A piece that fewer examples have says nothing about another."""
EPOCHS, BATCH, RATE, SEED = 3, 256, 2.0, 0
KEPT = 0.04
"""Weights below this share of the largest are left out."""
THRESHOLD, RATIO = 0.35, 0.5
"""What the best entry must reach, and which share of it every other one; chosen on the questions
for validation."""
Examples = Sequence[tuple[str, str]]
Arrays = dict[str, NDArray[np.generic]]


def fit_concepts(examples: Examples, language: Language, least_seen: int = LEAST_SEEN) -> Arrays:
    """A concept model from (text, concept) examples, as the arrays of its file."""
    rows = [count_pieces(text, language) for text, _ in examples]
    counts: Counter[int] = Counter()
    for row in rows:
        counts.update(row.keys())
    frequent = sorted(key for key, count in counts.items() if count >= least_seen)
    keys = np.array(frequent, dtype=np.uint32)
    rarity = np.log((1 + len(rows)) / (1 + np.array([counts[key] for key in frequent]))) + 1
    concepts = sorted({concept for _, concept in examples})
    place = {concept: number for number, concept in enumerate(concepts)}
    labels = np.array([place[concept] for _, concept in examples])
    weights, bias = _softmax_regression(_matrix(rows, keys, rarity), labels, len(concepts))
    step = np.abs(weights).max() / 127
    small = np.rint(weights / step).astype(np.int8)
    small[np.abs(small) < KEPT * 127] = 0
    sparse = csr_matrix(small)
    return {
        "concepts": np.array(concepts),
        "keys": keys,
        "rarity": rarity.astype(np.float16),
        "starts": sparse.indptr.astype(np.uint32),
        "classes": sparse.indices.astype(np.uint16),
        "weights": sparse.data.astype(np.int8),
        "step": np.float32(step),
        "bias": bias,
    }


def _matrix(
    rows: list[dict[int, float]], keys: NDArray[np.uint32], rarity: NDArray[np.float64]
) -> csr_matrix:
    """(examples, pieces), every row of length one."""
    column = {key: place for place, key in enumerate(keys.tolist())}
    starts = [0]
    columns: list[int] = []
    values: list[float] = []
    for row in rows:
        cells = sorted((column[key], value) for key, value in row.items() if key in column)
        vector = np.array([value * rarity[place] for place, value in cells])
        columns += [place for place, _ in cells]
        values += (vector / max(np.sqrt(vector @ vector), 1e-9)).tolist()
        starts.append(len(columns))
    data = np.array(values, dtype=np.float32)
    indices = np.array(columns, dtype=np.int64)
    return csr_matrix((data, indices, np.array(starts)), shape=(len(rows), len(keys)))


def _softmax_regression(
    rows: csr_matrix, labels: NDArray[np.int64], classes: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights (pieces, concepts) and bias, by Adagrad: a rate of its own for each piece."""
    order = np.random.default_rng(SEED)
    weights = np.zeros((rows.shape[1], classes), dtype=np.float32)
    bias = np.zeros(classes, dtype=np.float32)
    squares = np.full(rows.shape[1], 1e-6, dtype=np.float32)
    for _ in range(EPOCHS):
        shuffled = order.permutation(len(labels))
        for start in range(0, len(labels), BATCH):
            chosen = shuffled[start : start + BATCH]
            batch = rows[chosen]
            # Only the pieces of the batch are computed with: a few of many thousand.
            columns, inverse = np.unique(batch.indices, return_inverse=True)
            shape = (len(chosen), len(columns))
            batch = csr_matrix((batch.data, inverse, batch.indptr), shape=shape)
            scores = batch @ weights[columns] + bias
            error = np.exp(scores - scores.max(axis=1, keepdims=True))
            error /= error.sum(axis=1, keepdims=True)
            error[np.arange(len(chosen)), labels[chosen]] -= 1
            gradient = batch.T @ error
            squares[columns] += (gradient * gradient).sum(axis=1)
            weights[columns] -= (RATE / np.sqrt(squares[columns]))[:, None] * gradient
            bias -= 0.05 * error.mean(axis=0)
    return weights, bias


def fit_weights(language: Language) -> dict[str, object]:
    """The weights of the evidence, on labelled questions to bundled and imported records."""
    records = {record.id: record for record in RecordPool.open()}
    questions = by_hand(language)
    names = dict.fromkeys(row.record for row in questions)
    twins = {name: imported(records[name]) for name in names}
    twin_questions = [put_to(row, twins[row.record][1]) for row in questions]
    every_record = records | {PREFIX + name: twin for name, (twin, _) in twins.items()}
    rows, labels = _evidence([*questions, *filter(None, twin_questions)], every_record)
    from sklearn.linear_model import LogisticRegression  # takes a second; a slice does without

    fitted = LogisticRegression(C=1.0, max_iter=2000).fit(rows, labels)
    weights = [round(float(weight), 4) for weight in fitted.coef_[0]]
    columns = dict(zip(COLUMNS, weights, strict=True))
    bias = round(float(fitted.intercept_[0]), 4)
    return {"columns": columns, "bias": bias, "threshold": THRESHOLD, "ratio": RATIO}


def _evidence(
    questions: list[Labelled], records: dict[str, PatientRecord]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """One row for each question and entry, but for entries that are not wrong either."""
    evidence: dict[str, Evidence] = {}
    rows = []
    labels = []
    for question in questions:
        record = records[question.record]
        if record.id not in evidence:
            evidence[record.id] = Evidence(record)
        is_used = [entry.name not in question.also for entry in record.entries]
        rows.append(evidence[record.id].rows(question.question)[is_used])
        for entry in record.entries:
            if entry.name not in question.also:
                labels.append(entry.name in question.entries)
    return np.concatenate(rows), np.array(labels)


def digest(path: Path) -> str:
    """The hash of a file."""
    return sha256(path.read_bytes()).hexdigest()


def data_files() -> list[Path]:
    """All files that the fit reads."""
    files = [
        *(HERE / "asks").glob("*.txt"),
        *(HERE / "questions").glob("*.txt"),
        *(FOLDER / "tuning").glob("*.yaml"),
        *THESAURUS.glob("*.yaml"),
    ]
    return sorted(files)


def manifest() -> dict[str, dict[str, str]]:
    """The hashes of the data and of what was fitted."""
    fitted = [CONCEPTS / f"{language.value}.npz" for language in Language]
    fitted.append(MODEL / "weights.json")
    return {
        "data": {str(path.relative_to(ROOT)): digest(path) for path in data_files()},
        "fitted": {path.name: digest(path) for path in fitted},
    }


def small_slice(language: Language) -> ConceptModel:
    """A model of a few concepts, fitted in seconds: a test compares it with what it was."""
    few = {"cough", "fever", "smoking", "alcohol", "drug-allergy", "chest-x-ray", "sleep", "none"}
    examples = [row for row in asks(language) if row[1] in few]
    return ConceptModel(fit_concepts(examples, language))


def main() -> None:
    """Fit everything and write it."""
    MODEL.mkdir(exist_ok=True)
    for language in Language:
        examples = sorted({*asks(language), *names(language), *idioms(language)})
        arrays = fit_concepts(examples, language)
        np.savez_compressed(CONCEPTS / f"{language.value}.npz", allow_pickle=False, **arrays)
        print(f"{language.value}: {len(examples)} examples, {len(arrays['keys'])} pieces")
    # The weights are fitted on the new concept model.
    for cached in (concept_model, read_asks):
        cached.cache_clear()
    fitted = {language.value: fit_weights(language) for language in Language}
    (MODEL / "weights.json").write_text(json.dumps(fitted, indent=2) + "\n", encoding="utf-8")
    (MODEL / "manifest.json").write_text(json.dumps(manifest(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
