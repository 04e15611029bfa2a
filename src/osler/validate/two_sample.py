"""A classifier two-sample test: how well can replies of two kinds be told apart?

Cross-validated by consultation: a classifier is tried on consultations that it has not learned
from. The area under the curve is taken within each consultation, so that what differs between
cases tells nothing, and the interval is over consultations.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from osler.eval.statistics import Figure
from osler.language import Language
from osler.language.words import plain
from osler.seeds import derive
from osler.validate.classifier import FeatureRows, Floats, area_under_curve, fit
from osler.validate.listed_words import length, spoken_words
from osler.validate.replies import share_by_interview

FOLDS = 5
REPEATS = 5
"""How often the controls are drawn."""
_LONGEST_GRAM = {Language.EN: 3, Language.ZH: 2}
_LENGTH_BOUNDS = (0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 45, 70, 100, 150, 250)


class FeatureSet(StrEnum):
    """What a classifier is shown of a reply."""

    WORDS = "words"
    """Words, pairs of words and short runs of characters; without case and punctuation."""
    WRITTEN = "written"
    """The same as it is written, with case and punctuation."""
    LENGTH = "length"
    """How long it is, and nothing else."""


class LabelledReply(NamedTuple):
    """A reply and what a classifier is to find out about it."""

    text: str
    label: bool


class Unit(NamedTuple):
    """Replies of both kinds that are trained on, or tried, together: those of one consultation."""

    name: str
    replies: tuple[LabelledReply, ...]


@dataclass(frozen=True)
class TwoSampleResult:
    """How well the two kinds were told apart; .5 is not at all."""

    area: Figure
    """Under the curve: the mean over units."""
    accuracy: Figure


@dataclass(frozen=True)
class RepeatedResult:
    """The area under the curve of a control, drawn several times."""

    mean: float
    lowest: float
    highest: float
    draws: int


def two_sample_test(
    units: Sequence[Unit], language: Language, feature_set: FeatureSet, seed: int
) -> TwoSampleResult | None:
    """Cross-validate a classifier; None with fewer than two units."""
    if len(units) < 2:
        return None
    features = []
    labels_by_row: list[float] = []
    unit_by_row: list[int] = []
    for number, unit in enumerate(units):
        for reply in unit.replies:
            features.append(features_of(reply.text, language, feature_set))
            labels_by_row.append(float(reply.label))
            unit_by_row.append(number)
    counted = FeatureRows.of(features)
    labels, members = np.array(labels_by_row), np.array(unit_by_row)
    areas: dict[str, list[float]] = {}
    hits: dict[str, list[float]] = {}
    for held_out in folds(units, seed):
        training = ~np.isin(members, held_out)
        rows = counted.weighted(training)
        scores = fit(rows, labels, training).scores(rows)
        for number in held_out:
            own = members == number
            areas[units[number].name] = [area_under_curve(scores[own], labels[own])]
            hits[units[number].name] = _hits(scores[own], labels[own])
    return TwoSampleResult(Figure.of(areas), share_by_interview(hits))


def _hits(scores: Floats, labels: Floats) -> list[float]:
    """1 for a right guess, .5 where a classifier has none."""
    values = np.where(scores == 0, 0.5, (scores > 0) == (labels == 1))
    return [float(value) for value in values]


def folds(units: Sequence[Unit], seed: int) -> Iterator[list[int]]:
    """The numbers of the units that are held out together."""
    numbers = list(range(len(units)))
    names = "\0".join(unit.name for unit in units)
    random.Random(derive(seed, names, 0, "folds")).shuffle(numbers)  # noqa: S311 -- a split
    count = min(FOLDS, len(units))
    for fold in range(count):
        yield numbers[fold::count]


def features_of(text: str, language: Language, feature_set: FeatureSet) -> list[str]:
    """What a classifier is shown of a reply."""
    if feature_set is FeatureSet.LENGTH:
        size = length(text, language)
        return [f"length {max(bound for bound in _LENGTH_BOUNDS if bound <= size)}"]
    pieces = list(spoken_words(text, language))
    shown = " ".join(text.split())
    if feature_set is FeatureSet.WORDS:
        shown = _without_marks(text)
    features = [f"word {piece}" for piece in pieces]
    for first, second in pairwise(pieces):
        features.append(f"words {first} {second}")
    whole = f"^{shown}$"
    for size in range(1, _LONGEST_GRAM[language] + 1):
        for start in range(len(whole) - size + 1):
            features.append(f"run {whole[start : start + size]}")
    return features


def _without_marks(text: str) -> str:
    levelled = plain(text)
    return " ".join("".join(char if char.isalnum() else " " for char in levelled).split())


def half_against_half(
    replies: Mapping[str, Sequence[str]], language: Language, seed: int
) -> RepeatedResult | None:
    """How well a half of the human interviews is told from the other half: what people reach.

    Interviews are drawn in pairs, one of each half, and a pair stays together. None with fewer than
    four interviews.
    """

    def pairs(draws: random.Random) -> list[Unit]:
        names = sorted(replies)
        draws.shuffle(names)
        units = []
        for first, second in zip(names[::2], names[1::2], strict=False):
            own = [LabelledReply(text, True) for text in replies[first]]
            own += [LabelledReply(text, False) for text in replies[second]]
            units.append(Unit(f"{first}\0{second}", tuple(own)))
        return units

    if len(replies) < 4:
        return None
    return _repeated(pairs, language, seed, "halves")


def shuffled(units: Sequence[Unit], language: Language, seed: int) -> RepeatedResult | None:
    """The same test with labels drawn at random in each unit: what it shows where nothing is."""

    def relabelled(draws: random.Random) -> list[Unit]:
        shuffled_units = []
        for unit in units:
            labels = [reply.label for reply in unit.replies]
            draws.shuffle(labels)
            own = [
                LabelledReply(reply.text, label)
                for reply, label in zip(unit.replies, labels, strict=True)
            ]
            shuffled_units.append(Unit(unit.name, tuple(own)))
        return shuffled_units

    return _repeated(relabelled, language, seed, "shuffled")


def _repeated(
    draw: Callable[[random.Random], Sequence[Unit]], language: Language, seed: int, purpose: str
) -> RepeatedResult | None:
    areas = []
    for number in range(REPEATS):
        draws = random.Random(derive(seed, "", number, purpose))  # noqa: S311 -- a control
        result = two_sample_test(draw(draws), language, FeatureSet.WORDS, seed)
        if result is not None and result.area.value is not None:
            areas.append(result.area.value)
    if not areas:
        return None
    return RepeatedResult(sum(areas) / len(areas), min(areas), max(areas), len(areas))
