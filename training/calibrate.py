"""Fit how the retrieval module weighs its evidence, and from which probability an entry counts as asked for.

Two kinds of questions: the labelled ones for tuning, and the worded examples put to records that hold, or do not hold,
an entry of that concept. The model of meaning is fitted without the examples that are used here.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.agents.questions import Labelled
from tests.agents.ram_figures import figures

from osler.agents.ram.decision import decision
from osler.agents.ram.index import RecordIndex
from osler.agents.ram.speaks import entry_concepts
from osler.records import Language, RecordPool

WHERE = Path(__file__).parent.parent / "src" / "osler" / "agents" / "ram" / "decision"
AIMS = {"precision": 0.92, "nothing": 0.95}
"""Above what is wanted, since figures fall a little on what was not seen."""
RATIO = 0.4
ASKED_OF, NOT_ASKED_OF = 2, 2
"""Records that hold an entry of the concept and records that do not, for each worded example."""
UNITS, NETWORKS = 16, 3
TIMES = 6
"""How often each labelled question counts beside the many worded ones."""


def synthetic(
    examples: list[tuple[str, str]], language: Language, held: dict[str, list[dict[str, float]]]
) -> list[Labelled]:
    """Worded examples put to records. Where an entry is only near to the concept, the question says nothing."""
    rng = random.Random(0)
    rows = []
    mine = [record for record in RecordPool.open() if record.language is language]
    for text, concept in examples:
        rng.shuffle(mine)
        asked = unasked = 0
        for record in mine:
            shares = [found.get(concept, 0.0) for found in held[record.id]]
            names = [entry.name for entry, share in zip(record.entries, shares, strict=True) if share >= 1]
            near = {entry.name for entry, share in zip(record.entries, shares, strict=True) if 0 < share < 1}
            if names and asked < ASKED_OF:
                asked += 1
                rows.append(Labelled(record.id, "worded", text, frozenset(names), frozenset(near), held_out=False))
            elif not names and not near and unasked < NOT_ASKED_OF:
                unasked += 1
                rows.append(Labelled(record.id, "nothing", text, frozenset(), frozenset(), held_out=False))
    return rows


def fit(guessed: list[Labelled], by_hand: list[Labelled], index: dict[str, RecordIndex]) -> dict[str, np.ndarray]:
    """The network and its threshold for one language."""
    rows, labels = [], []
    for some, times in ((guessed, 1), (by_hand, TIMES)):
        for row in some:
            names = [entry.name for entry in index[row.record].entries]
            counts = np.array([name not in row.also for name in names])
            rows += [index[row.record].evidence(row.question)[counts]] * times
            labels += [np.array([name in row.entries for name in names])[counts]] * times
    x, y = np.concatenate(rows), np.concatenate(labels)
    scaler = StandardScaler().fit(x)
    networks = [
        MLPClassifier((UNITS,), alpha=0.03, max_iter=60, early_stopping=True, random_state=seed).fit(
            scaler.transform(x), y
        )
        for seed in range(NETWORKS)
    ]
    # Several networks beside each other make one: their outputs are averaged in the last layer.
    arrays = {
        "mean": scaler.mean_,
        "scale": scaler.scale_,
        "hidden": np.concatenate([network.coefs_[0] for network in networks], axis=1),
        "hidden_bias": np.concatenate([network.intercepts_[0] for network in networks]),
        "out": np.concatenate([network.coefs_[1][:, 0] for network in networks]) / NETWORKS,
        "out_bias": np.mean([network.intercepts_[1][0] for network in networks]),
        "ratio": np.float64(RATIO),
    }
    return {name: value.astype(np.float32) for name, value in arrays.items()}


def worth(rows: list[Labelled], index: dict[str, RecordIndex]) -> float:
    """How near the figures come to what is wanted."""
    got = figures(rows, index)
    return got.recall + 2 * min(got.precision / AIMS["precision"], 1.0) + 3 * min(got.nothing / AIMS["nothing"], 1.0)


def save(arrays: dict[str, np.ndarray], threshold: float, language: Language) -> None:
    """Put a fitted network where the package finds it."""
    WHERE.mkdir(exist_ok=True)
    np.savez_compressed(WHERE / f"{language.value}.npz", **arrays, threshold=np.float32(threshold))
    decision.cache_clear()


def networks(worded: dict[Language, list[tuple[str, str]]], rows: list[Labelled]) -> dict[Language, dict]:
    """Fitted on labelled questions and on worded examples that the model of meaning has not seen."""
    records = list(RecordPool.open())
    held = {record.id: entry_concepts(record) for record in records}
    index = {record.id: RecordIndex(record) for record in records}
    return {
        language: fit(synthetic(examples, language, held), [row for row in rows if row.language is language], index)
        for language, examples in worded.items()
    }


def choose_thresholds(fitted: dict[Language, dict], rows: list[Labelled]) -> None:
    """Save each network with the threshold that serves the labelled questions best.

    What a worded example asks of a record is a guess; this is left to what was labelled by hand.
    """
    index = {record.id: RecordIndex(record) for record in RecordPool.open()}
    for language, arrays in fitted.items():
        mine = [row for row in rows if row.language is language]
        found = {}
        for threshold in (round(float(t), 3) for t in np.arange(0.1, 0.7, 0.05)):
            save(arrays, threshold, language)
            found[threshold] = worth(mine, index)
        best = max(found, key=lambda threshold: (round(found[threshold], 3), threshold))
        save(arrays, best, language)
        print(f"{language.value}: threshold {best}")
