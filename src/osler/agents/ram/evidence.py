"""Features that say whether a question asks for an entry, and their weights.

The weights are fitted by logistic regression on labelled questions (`make ram-model`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, islice
from operator import add

import numpy as np
from numpy.typing import NDArray

from osler.language import Language, Speaker
from osler.language.lexicon import answered_by, concepts, terms
from osler.language.lexicon.concept_model import TALK, concepts_of_texts, likely_concepts
from osler.language.lexicon.phrases import Spoken
from osler.language.questions import read_questions
from osler.language.words import content
from osler.ranking import reaches
from osler.records.schema import Category, Entry, PatientRecord, Status

Floats = NDArray[np.float64]
ByConcept = dict[str, list[tuple[int, float]]]
"""For each concept the entries that are about it, or for each term the names that contain it.

Both are by their place, with a weight.
"""

# The order is that of the rows of `_by_ask`.
BY_ASK = (
    "name_in_ask",
    "whole_name",
    "ask_in_name",
    "phrase",
    "other_phrase",
    "meant",
    "other_meant",
    "read",
    "name_rank",
    "phrase_rank",
    "meant_rank",
    "read_rank",
)
"""For each feature, the best value over the question's asks."""
COLUMNS = (*BY_ASK, "best_name", "best_phrase", "best_meant", "several")
_LEAST = 0.05
"""Lower bound of the best entry's score when the others are divided by it."""
_WHOLE, _MOSTLY = 0.999, 0.75
"""Share from which all of a name is there, and score from which an alias is about a concept."""
_NEAR, _ALSO_CALLED = 0.7, 0.85
"""How much an entry is about concepts near its own, and about what only its other names say."""
_OF_THE_CHIEF = (
    "chief-complaint",
    "onset-time",
    "onset-mode",
    "course",
    "constant-or-intermittent",
    "episode-duration-frequency",
    "pain-location",
    "pain-character",
    "pain-severity",
    "aggravating-factors",
    "relieving-factors",
    "time-of-day-pattern",
)
"""Concepts that the report of the chief symptom answers."""
_OF_THE_CATEGORY = {
    Category.FAMILY_HISTORY: {"family-illnesses"},
    Category.SURGICAL_HISTORY: {"operations"},
    Category.MEDICATION_HISTORY: {"medicines"},
    Category.ALLERGY: {"drug-allergy", "penicillin-allergy"},
}
_BY_NAME = frozenset({Category.SIGN, Category.TEST, Category.EXAMINATION, Category.CONCERN})
"""Called by what they are, wherever they come from; what they tell is full of other things."""


@dataclass(frozen=True)
class Ask:
    """One thing that a question asks for."""

    words: frozenset[str]
    phrases: tuple[Spoken, ...]
    """Concepts, by phrases of the thesaurus."""
    meant: Mapping[str, float]
    """Concepts, by the fitted model: probabilities."""


@lru_cache(maxsize=1024)
def read_asks(question: str, language: Language, speaker: Speaker) -> tuple[Ask, ...]:
    """The whole question first; then its topics, if it has several."""
    topics: dict[str, None] = {}
    for read_question in read_questions(question, language, speaker):
        topics |= dict.fromkeys(read_question.topics)
    parts = [topic for topic in topics if content(topic, language)]
    texts = [question]
    if len(parts) > 1:
        texts += parts
    asks = []
    for text in texts:
        phrases = concepts(language).there(text)
        asks.append(Ask(terms(text, language), phrases, likely_concepts(text, language)))
    return tuple(asks)


@dataclass(frozen=True)
class EvidenceWeights:
    """Weights of the features in one language, and when an entry counts as asked for."""

    columns: Floats
    bias: float
    threshold: float
    """Probability that the best entry must reach, or nothing was asked for."""
    ratio: float
    """Share of the best entry's probability that every other one must have."""

    def probabilities(self, evidence: Floats) -> Floats:
        """One for each entry, from its row of evidence."""
        log_odds = evidence @ self.columns + self.bias
        probabilities: Floats = 1 / (1 + np.exp(-log_odds))
        return probabilities


@cache
def weights(language: Language) -> EvidenceWeights:
    """As they were fitted."""
    text = (files("osler.agents.ram") / "model" / "weights.json").read_text(encoding="utf-8")
    fitted = json.loads(text)[language.value]
    columns = np.array([fitted["columns"][name] for name in COLUMNS])
    return EvidenceWeights(columns, fitted["bias"], fitted["threshold"], fitted["ratio"])


class Evidence:
    """The entries of one record, laid out once for all questions."""

    def __init__(self, record: PatientRecord) -> None:
        """Lay out names and concepts."""
        self._language, self._speaker = record.language, record.speaker
        self._size = len(record.entries)
        self._weight = concepts(record.language).weight
        names = [(entry.name, *entry.aliases) for entry in record.entries]
        self._first = np.cumsum([0, *map(len, names)])[:-1]
        """Where the names of each entry begin."""
        weighed: list[dict[str, float]] = []
        for entry_names in names:
            for name in entry_names:
                name_terms = sorted(terms(name, self._language))
                weighed.append({term: self._weight(term) for term in name_terms})
        self._terms = _by_concept(weighed)
        """For each term the names that have it."""
        # A name without a single term must not be divided by 0.
        self._whole = np.maximum([sum(name.values()) for name in weighed], 1e-9)
        """For each name the weight of all its terms."""
        self._topics = _by_concept(_entry_topics(record))
        """For each concept the entries that are about it, as the thesaurus says."""
        texts = [(entry.name, *entry.aliases, entry.report, entry.said) for entry in record.entries]
        self._read = _by_concept(_concepts_of_any(texts, self._language))
        """The same as the concept model reads names and texts of the entries."""

    def rows(self, question: str) -> Floats:
        """(entries, columns): all that is known about each entry and the question."""
        asks = read_asks(question, self._language, self._speaker)
        by_ask = np.max([self._by_ask(ask) for ask in asks], axis=0)
        of_question = [
            by_ask[BY_ASK.index(name)].max() for name in ("name_in_ask", "phrase", "meant")
        ]
        of_question.append(float(len(asks) > 1))
        columns = [np.full(self._size, value) for value in of_question]
        return np.concatenate([by_ask, columns]).T

    def _by_ask(self, ask: Ask) -> Floats:
        """(columns, entries) of one ask, in the order of `BY_ASK`."""
        words = sorted(ask.words)
        total = sum(map(self._weight, words)) or 1.0
        # By name at first; an entry counts with the best of its names.
        shared = _scores(self._terms, dict.fromkeys(words, 1.0), len(self._whole), add)
        name_in_ask = np.maximum.reduceat(shared / self._whole, self._first)
        ask_in_name = np.maximum.reduceat(shared, self._first) / total
        phrases = {spoken.thing: spoken.score for spoken in ask.phrases}
        phrase = _scores(self._topics, phrases, self._size, max)
        meaning = _scores(self._topics, ask.meant, self._size, add)
        read = np.sqrt(_scores(self._read, ask.meant, self._size, add))
        columns = [
            name_in_ask,
            name_in_ask >= _WHOLE,
            ask_in_name,
            phrase,
            phrase - max(phrases.values(), default=0.0),
            meaning,
            meaning - max(ask.meant.values(), default=0.0),
            read,
        ]
        for column in (name_in_ask, phrase, meaning, read):
            columns.append(column / max(column.max(initial=0.0), _LEAST))
        return np.array(columns)


def _scores(
    places_of: ByConcept,
    weight_of: Mapping[str, float],
    size: int,
    join: Callable[[float, float], float],
) -> Floats:
    """Score how strongly each entry is about the concepts asked for.

    The same for names and the terms that they contain.
    """
    scores = [0.0] * size
    for concept, weight in weight_of.items():
        for place, share in places_of.get(concept, ()):
            scores[place] = join(scores[place], weight * share)
    return np.array(scores)


def _concepts_of_any(
    texts_of: Sequence[Sequence[str]], language: Language
) -> list[dict[str, float]]:
    """For each entry the concepts that any of its texts means, with the highest probability."""
    all_texts = list(chain.from_iterable(texts_of))
    meanings = iter(concepts_of_texts(all_texts, language))  # of all at once, which is faster
    by_entry: list[dict[str, float]] = []
    for texts in texts_of:
        highest: dict[str, float] = {}
        for shares in islice(meanings, len(texts)):
            for concept, share in shares.items():
                highest[concept] = max(share, highest.get(concept, 0.0))
        for concept in TALK & highest.keys():
            del highest[concept]
        by_entry.append(highest)
    return by_entry


def _by_concept(entries: Iterable[dict[str, float]]) -> ByConcept:
    places: ByConcept = {}
    for place, topics in enumerate(entries):
        for concept, share in topics.items():
            places.setdefault(concept, []).append((place, share))
    return places


def _entry_topics(record: PatientRecord) -> list[dict[str, float]]:
    """For each entry the concepts of its names and those near them.

    The chief symptom has those that may be asked of any symptom as well.
    """
    chief = _chief_symptom(record)
    by_entry = []
    for entry in record.entries:
        own, also = _named_concepts(entry, record.language)
        topics: dict[str, float] = {}
        for concept in own | also:
            topics |= dict.fromkeys(answered_by(concept), _NEAR)
        if entry.name == chief:
            # "When did it start?" asks for the chief symptom, whose report has the answer.
            topics |= dict.fromkeys(_OF_THE_CHIEF, _NEAR)
        # From the weakest to the strongest, as the later ones replace the earlier.
        topics |= dict.fromkeys(also, _ALSO_CALLED if own else 1.0)
        topics |= dict.fromkeys(own, 1.0)
        by_entry.append(topics)
    return by_entry


def _chief_symptom(record: PatientRecord) -> str:
    """Return the name of the first symptom that is present; empty if there is none."""
    for entry in record.entries:
        if entry.category is Category.SYMPTOM and entry.status is Status.PRESENT:
            return entry.name
    return ""


def _named_concepts(entry: Entry, language: Language) -> tuple[set[str], set[str]]:
    """Return what an entry's name and category mention, and what its other names are about.

    An alias is only about what is most of it: "pain on a deep breath" is not about breathlessness.
    A statement of a text has no other names; what it is about is in its report.
    """
    index = concepts(language)
    is_statement = not (entry.aliases or entry.said or entry.category in _BY_NAME)
    own = set(index.whole(f"{entry.name}\n{entry.report}" if is_statement else entry.name))
    own |= _OF_THE_CATEGORY.get(entry.category, set())
    also: set[str] = set()
    for alias in entry.aliases:
        for spoken in index.there(alias):
            if reaches(spoken.share, _WHOLE) and reaches(spoken.score, _MOSTLY):
                also.add(spoken.thing)
    return own, also
