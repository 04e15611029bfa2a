"""One record made searchable: how well each entry answers an ask, as a probability."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import yaml
from numpy.typing import NDArray

from osler.agents.ram.intent import Ask, Intent, read_intent
from osler.agents.ram.thesaurus import categories, concepts
from osler.records.language import Language
from osler.records.schema import Entry, PatientRecord
from osler.words import content, plain

Floats = NDArray[np.float64]

FEATURES = (
    "name_covered",
    "ask_covered",
    "ask_in_text",
    "shared_concept",
    "clear_concept",
    "other_concept",
    "ngrams",
    "category",
    "name_in_ask",
    "ask_is_whole",
    "best_lexical",
    "best_concept",
)


@dataclass(frozen=True)
class Calibration:
    """Weights of the features and the probability from which an entry counts as asked for."""

    weights: dict[Language, tuple[float, ...]]
    bias: dict[Language, float]
    threshold: dict[Language, float]
    ratio: float


@cache
def calibration() -> Calibration:
    """As `benchmarks/ram.py --fit` found it on the half of the labelled questions that is for tuning."""
    text = (files("osler.agents.ram") / "calibration.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    return Calibration(
        weights={Language(key): tuple(value[name] for name in FEATURES) for key, value in data["weights"].items()},
        bias={Language(key): value["bias"] for key, value in data["weights"].items()},
        threshold={Language(key): value for key, value in data["threshold"].items()},
        ratio=data["ratio"],
    )


@dataclass(frozen=True)
class Match:
    """An entry that a question asks for."""

    entry: Entry
    score: float


@dataclass(frozen=True)
class _Prepared:
    entry: Entry
    names: tuple[frozenset[str], ...]
    all_names: frozenset[str]
    text: frozenset[str]
    concepts: dict[str, float]
    grams: tuple[tuple[frozenset[str], float], ...]


class RecordIndex:
    """The entries of one record, prepared once and asked many times."""

    def __init__(self, record: PatientRecord) -> None:
        """Prepare names, texts, concepts and character grams of every entry."""
        self.language = record.language
        self._entries = [_prepare(entry, record.language) for entry in record.entries]
        documents = Counter(word for one in self._entries for word in one.all_names | one.text)
        count = len(self._entries)
        self._idf = {word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in documents.items()}
        # A word the record never uses says what it is not about: it weighs as much as the rarest that it uses.
        self._unseen = math.log(1 + (count + 0.5) / 0.5)

    def search(self, question: str) -> list[Match]:
        """The entries the question asks for, best first; empty when the record says nothing about it."""
        scores = self.scores(question)
        fit = calibration()
        best = float(scores.max(initial=0.0))
        floor = max(fit.threshold[self.language], best * fit.ratio)
        chosen = [
            Match(one.entry, float(score)) for one, score in zip(self._entries, scores, strict=True) if score >= floor
        ]
        return sorted(chosen, key=lambda match: -match.score)

    def scores(self, question: str) -> Floats:
        """For every entry the probability that the question asks for it."""
        features = self.features(question)
        fit = calibration()
        logits = features @ np.array(fit.weights[self.language]) + fit.bias[self.language]
        probabilities: Floats = 1 / (1 + np.exp(-logits))
        return probabilities.max(axis=0)

    def features(self, question: str) -> Floats:
        """(asks, entries, features): what the probability is made of."""
        intent: Intent = read_intent(question, self.language)
        rows = [
            self._ask_features(ask, whole=place == 0 and len(intent.asks) > 1) for place, ask in enumerate(intent.asks)
        ]
        return np.stack(rows)

    def _ask_features(self, ask: Ask, *, whole: bool) -> Floats:
        total = sum(self._weight(word) for word in ask.words) or 1.0
        ask_grams = _grams(ask.text, self.language)
        clearest = max(ask.concepts.values(), default=0.0)
        rows = np.zeros((len(self._entries), len(FEATURES)))
        for place, one in enumerate(self._entries):
            shared = max(
                (one.concepts[name] * share for name, share in ask.concepts.items() if name in one.concepts),
                default=0.0,
            )
            name_covered = max((self._covered(name, ask.words) for name in one.names), default=0.0)
            rows[place, :10] = (
                name_covered,
                sum(self._weight(word) for word in ask.words & one.all_names) / total,
                sum(self._weight(word) for word in ask.words & (one.text | one.all_names)) / total,
                shared,
                shared >= 0.999,
                max(0.0, clearest - shared),
                max(
                    (len(ask_grams & grams) / (len(ask_grams) ** 0.5 * size) for grams, size in one.grams if ask_grams),
                    default=0.0,
                ),
                ask.categories.get(one.entry.category.value, 0.0),
                name_covered >= 0.999,
                whole,
            )
        rows[:, 10] = rows[:, 0] * (rows[:, 0] >= rows[:, 0].max(initial=0) - 1e-9)
        rows[:, 11] = rows[:, 3] * (rows[:, 3] >= rows[:, 3].max(initial=0) - 1e-9)
        return rows

    def _covered(self, name: frozenset[str], words: frozenset[str]) -> float:
        whole = sum(self._weight(word) for word in name)
        return sum(self._weight(word) for word in name & words) / whole if whole else 0.0

    def _weight(self, word: str) -> float:
        return self._idf.get(word, self._unseen)


def _prepare(entry: Entry, language: Language) -> _Prepared:
    names = (entry.name, *entry.aliases)
    sets = tuple(found for found in (frozenset(content(name, language)) for name in names) if found)
    grams = tuple((grams, len(grams) ** 0.5) for grams in (_grams(name, language) for name in names) if grams)
    found: dict[str, float] = {}
    for name in names:
        for concept, share in concepts(language).find(name).items():
            found[concept] = max(share, found.get(concept, 0.0))
    text = frozenset(content(f"{entry.report} {entry.said}", language))
    return _Prepared(entry, sets, frozenset().union(*sets), text, found, grams)


def _grams(text: str, language: Language) -> frozenset[str]:
    """Character grams of the content words: what spelling variants and Chinese compounds share."""
    joined = content(text, language)
    if language is Language.ZH:
        level = "".join(joined)
        return frozenset(level[i : i + 2] for i in range(len(level) - 1)) | frozenset(level)
    return frozenset(f"^{word}$"[i : i + 4] for word in joined for i in range(max(1, len(word) - 1)))


__all__ = ["FEATURES", "Calibration", "Match", "RecordIndex", "calibration", "categories", "plain"]
