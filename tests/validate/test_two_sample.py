"""The classifier two-sample test: it finds what differs, and nothing where nothing does."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from osler.language import Language
from osler.validate.classifier import FeatureRows, area_under_curve, fit
from osler.validate.two_sample import (
    FeatureSet,
    LabelledReply,
    Unit,
    folds,
    half_against_half,
    shuffled,
    two_sample_test,
)

WORDS = [
    "yes",
    "no",
    "head",
    "pain",
    "since",
    "week",
    "maybe",
    "work",
    "night",
    "leg",
    "bread",
    "cold",
]
CHARACTERS = "有没头痛天晚上腿冷饭药水"


def sentence(draws: random.Random, *more: str) -> str:
    return " ".join([*draws.choices(WORDS, k=draws.randint(1, 6)), *more])


def units_of(reply: Callable[[random.Random, int, bool], str], count: int = 12) -> list[Unit]:
    draws = random.Random(1)
    units = []
    for number in range(count):
        replies = []
        for _ in range(15):
            for label in (True, False):
                replies.append(LabelledReply(reply(draws, number, label), label))
        units.append(Unit(f"c{number}", tuple(replies)))
    return units


def test_the_classifier_is_that_of_scikit_learn() -> None:
    draws = random.Random(2)
    labels = np.array([float(draws.random() < 0.4) for _ in range(120)])
    features = []
    for label in labels:
        more = ["ache"] if label and draws.random() < 0.5 else []
        features.append([*draws.choices(WORDS, k=5), *more])
    training = np.arange(120) % 4 != 0
    rows = FeatureRows.of(features).weighted(training)
    matrix = csr_matrix((rows.values, (rows.rows, rows.columns)), shape=rows.size)
    assert np.allclose(np.sqrt(matrix.multiply(matrix).sum(axis=1)), 1)
    theirs = LogisticRegression(C=1, class_weight="balanced", tol=1e-8, max_iter=1000)
    theirs.fit(matrix[training], labels[training])
    ours = fit(rows, labels, training).scores(rows)
    assert np.allclose(ours, theirs.decision_function(matrix), atol=0.01)
    expected = roc_auc_score(labels, np.round(ours, 9))
    assert area_under_curve(ours, labels) == pytest.approx(expected)


def test_the_area_counts_ties_half() -> None:
    labels = np.array([1.0, 1.0, 0.0, 0.0])
    assert area_under_curve(np.array([1.0, 1.0, 1.0, 1.0]), labels) == 0.5
    assert area_under_curve(np.array([2.0, 1.0, 1.0, 0.0]), labels) == 0.875


@pytest.mark.parametrize("language", list(Language))
def test_what_differs_is_found_and_what_does_not_is_not(language: Language) -> None:
    def words(draws: random.Random, *more: str) -> str:
        if language is Language.EN:
            return sentence(draws, *more)
        return "".join([*draws.choices(CHARACTERS, k=draws.randint(2, 8)), *more])

    marked = units_of(lambda draws, _, label: words(draws, *(["certainly"] if label else [])))
    found = two_sample_test(marked, language, FeatureSet.WORDS, seed=0)
    assert found is not None and found.area.value == pytest.approx(1)
    assert found.accuracy.value == pytest.approx(1)
    same = two_sample_test(
        units_of(lambda draws, *_: words(draws)), language, FeatureSet.WORDS, seed=0
    )
    assert same is not None and same.area.value is not None and same.area.interval is not None
    assert same.area.value == pytest.approx(0.5, abs=0.1)
    control = shuffled(marked, language, seed=0)
    assert control is not None and control.mean == pytest.approx(0.5, abs=0.1)
    assert control.lowest <= control.mean <= control.highest


def test_a_consultation_is_never_learned_from_when_it_is_tried() -> None:
    # Each consultation has a character of its own for each kind, which no other consultation has.
    def own_word(draws: random.Random, number: int, label: bool) -> str:
        return sentence(draws, chr(0x4E00 + 2 * number + label) * 3)

    units = units_of(own_word)
    found = two_sample_test(units, Language.ZH, FeatureSet.WORDS, seed=0)
    assert found is not None and found.area.value == pytest.approx(0.5, abs=0.15)
    held_out = [number for fold in folds(units, 3) for number in fold]
    assert sorted(held_out) == list(range(12))


def test_case_and_punctuation_count_only_as_written() -> None:
    units = units_of(lambda draws, _, label: sentence(draws) + ("." if label else ""))
    written = two_sample_test(units, Language.EN, FeatureSet.WRITTEN, seed=0)
    levelled = two_sample_test(units, Language.EN, FeatureSet.WORDS, seed=0)
    assert written is not None and written.area.value == pytest.approx(1)
    assert levelled is not None and levelled.area.value == pytest.approx(0.5, abs=0.1)


def test_length_alone_knows_no_words() -> None:
    longer = units_of(lambda draws, _, label: "pain " * (9 if label else 2))
    found = two_sample_test(longer, Language.EN, FeatureSet.LENGTH, seed=0)
    assert found is not None and found.area.value == 1
    other_words = units_of(lambda draws, _, label: "leg" if label else "head")
    found = two_sample_test(other_words, Language.EN, FeatureSet.LENGTH, seed=0)
    assert found is not None and found.area.value == 0.5


def test_human_halves_are_told_apart_only_by_what_differs_between_them() -> None:
    draws = random.Random(3)
    replies = {f"i{number}": [sentence(draws) for _ in range(15)] for number in range(12)}
    found = half_against_half(replies, Language.EN, seed=0)
    assert found is not None and found.mean == pytest.approx(0.5, abs=0.1)
    assert found == half_against_half(replies, Language.EN, seed=0), "the same under one seed"
    assert found != half_against_half(replies, Language.EN, seed=1)
    assert half_against_half({"a": ["x"]}, Language.EN, seed=0) is None


def test_one_consultation_cannot_be_cross_validated() -> None:
    [unit] = units_of(lambda draws, *_: sentence(draws), count=1)
    assert two_sample_test([unit], Language.EN, FeatureSet.WORDS, seed=0) is None
