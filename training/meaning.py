"""Fit the model that hears which concept a question means (`osler.agents.ram.meaning`)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from osler.agents.ram.intent import read_intent
from osler.agents.ram.meaning import Meaning, checksum, model, pieces, places
from osler.records import Language

HERE = Path(__file__).parent
WHERE = HERE.parent / "src" / "osler" / "agents" / "ram" / "meaning"
LEAST_SEEN = 2
"""A piece that one example alone has says nothing about another."""
KEPT = 0.035
"""Weights below this share of the largest are left out."""


def asks(language: Language) -> list[tuple[str, str]]:
    """(question, concept) of the worded examples."""
    return _worded(f"{language.value}.txt")


def scenes(language: Language) -> list[tuple[str, str]]:
    """The same for questions with a scene around them ("You get puffed on the stairs; was the peptide sent off?").

    Only the teacher learns from these: who takes words in any order takes the scene for what is asked.
    """
    return _worded(f"{language.value}_scenes.txt")


def _worded(name: str) -> list[tuple[str, str]]:
    rows, concept = [], ""
    for line in (HERE / "asks" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            concept = line[2:].strip()
        elif line.strip():
            rows.append((line.strip(), concept))
    return rows


def matrix(counts: list[Counter[int]], keys: np.ndarray, rarity: np.ndarray) -> csr_matrix:
    rows, columns, values = [], [], []
    for place, counter in enumerate(counts):
        wanted = np.fromiter(counter, dtype=np.uint32, count=len(counter))
        found = np.searchsorted(keys, wanted)
        known = (found < len(keys)) & (keys[np.minimum(found, len(keys) - 1)] == wanted)
        times = 1 + np.log(np.fromiter(counter.values(), dtype=float, count=len(counter)))
        value = times[known] * rarity[found[known]]
        value /= np.sqrt((value**2).sum()) or 1.0
        rows += [place] * len(value)
        columns += found[known].tolist()
        values += value.tolist()
    return csr_matrix((values, (rows, columns)), shape=(len(counts), len(keys)))


def fit(examples: list[tuple[str, str]], language: Language) -> dict[str, np.ndarray]:
    """Everything `Meaning` needs but the sharpness, quantised."""
    counts = [Counter(map(checksum, pieces(text, language).elements())) for text, _ in examples]
    seen = Counter(key for counter in counts for key in counter)
    keys = np.array(sorted(key for key, n in seen.items() if n >= LEAST_SEEN), dtype=np.uint32)
    rarity = np.array([np.log((1 + len(counts)) / (1 + seen[int(key)])) + 1 for key in keys])
    concepts = sorted({concept for _, concept in examples})
    labels = np.array([concepts.index(concept) for _, concept in examples])
    svm = LinearSVC(C=1.0).fit(matrix(counts, keys, rarity), labels)
    weights = svm.coef_
    step = np.abs(weights).max() / 127
    small = np.rint(weights / step).astype(np.int8)
    small[np.abs(weights) < KEPT * np.abs(weights).max()] = 0
    by_piece = csr_matrix(small.T)
    return {
        "concepts": np.array(concepts),
        "keys": keys,
        "rarity": rarity.astype(np.float16),
        "starts": by_piece.indptr.astype(np.uint32),
        "classes": by_piece.indices.astype(np.uint16),
        "weights": by_piece.data.astype(np.int8),
        "step": np.float32(step),
        "bias": svm.intercept_.astype(np.float32),
    }


def loaded(arrays: dict[str, np.ndarray]) -> Meaning:
    """Fitted arrays as the package reads them, not sharpened."""
    return Meaning(
        tuple(arrays["concepts"].tolist()),
        arrays["keys"],
        arrays["rarity"].astype(np.float32),
        arrays["starts"].astype(np.int64),
        arrays["classes"],
        arrays["weights"],
        float(arrays["step"]),
        arrays["bias"],
        1.0,
    )


def save(arrays: dict[str, np.ndarray], language: Language) -> None:
    """Put a fitted model where the package finds it."""
    WHERE.mkdir(exist_ok=True)
    path = WHERE / f"{language.value}.npz"
    np.savez_compressed(path, **arrays)
    for known in (model, places, read_intent):
        known.cache_clear()
    print(f"{language.value}: {len(arrays['keys'])} pieces, {path.stat().st_size / 1e6:.1f} MB")
