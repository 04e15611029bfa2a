"""Features that say whether a question asks for an entry, and the weights that combine them into one score.

The weights are fitted by logistic regression on labelled questions (`make ram-model`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from operator import add

import numpy as np
from numpy.typing import NDArray

from osler.language import Language, Speaker
from osler.language.lexicon import answered_by, concepts, terms
from osler.language.lexicon.concept_model import likely, meant
from osler.language.lexicon.phrases import Spoken
from osler.language.questions import read_questions
from osler.language.words import content
from osler.ranking import reaches
from osler.records.schema import Category, Entry, PatientRecord, Status

Floats = NDArray[np.float64]
ByConcept = dict[str, list[tuple[int, float]]]
"""For each concept the entries that are about it, or for each term the names that contain it, with weights."""

BY_ASK = (
    *("name_in_ask", "whole_name", "ask_in_name", "phrase", "other_phrase", "meant", "other_meant", "read"),
    *("name_rank", "phrase_rank", "meant_rank", "read_rank"),
)
"""For each feature, the best value over the question's asks."""
COLUMNS = (*BY_ASK, "best_name", "best_phrase", "best_meant", "several")
_TALK = frozenset({"none", "other", "reassurance", "plan-consent", "paperwork", "comfort"})
"""Concepts meant when the doctor greets, reassures, plans or writes something down: no entry answers these."""
_LEAST = 0.05
"""Lower bound of the best entry's score when the others are divided by it."""
_WHOLE, _MOSTLY = 0.999, 0.75
_NEAR, _ALSO_CALLED = 0.7, 0.85
"""How much an entry is about concepts near its own, and about what only its other names say."""
_OF_THE_CHIEF = (
    *("chief-complaint", "onset-time", "onset-mode", "course", "constant-or-intermittent"),
    *("episode-duration-frequency", "pain-location", "pain-character", "pain-severity"),
    *("aggravating-factors", "relieving-factors", "time-of-day-pattern"),
)
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
    topics = [topic for one in read_questions(question, language, speaker) for topic in one.topics]
    parts = [topic for topic in dict.fromkeys(topics) if content(topic, language)]
    texts = [question, *(parts if len(parts) > 1 else ())]
    return tuple(Ask(terms(text, language), concepts(language).there(text), likely(text, language)) for text in texts)


@dataclass(frozen=True)
class EvidenceWeights:
    """Weights of the features in one language, and the thresholds above which entries count as asked for."""

    columns: Floats
    bias: float
    threshold: float
    """Probability that the best entry must reach, or nothing was asked for."""
    ratio: float
    """Share of the best entry's probability that every other one must have."""

    def probabilities(self, evidence: Floats) -> Floats:
        """One for each entry, from its row of evidence."""
        found: Floats = 1 / (1 + np.exp(-(evidence @ self.columns + self.bias)))
        return found


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
        self._language, self._speaker, self._size = record.language, record.speaker, len(record.entries)
        self._weight = concepts(record.language).weight
        names = [(entry.name, *entry.aliases) for entry in record.entries]
        self._first = np.cumsum([0, *map(len, names)])[:-1]
        """Where the names of each entry begin."""
        weighed = [
            {term: self._weight(term) for term in sorted(terms(name, self._language))}
            for some in names
            for name in some
        ]
        self._terms, self._whole = _by_concept(weighed), np.maximum([sum(name.values()) for name in weighed], 1e-9)
        """For each term the names that have it, and for each name the weight of all its terms."""
        self._topics = _by_concept(_entry_topics(record))
        texts = [(*some, entry.report, entry.said) for some, entry in zip(names, record.entries, strict=True)]
        self._read = _by_concept(_meant_by_any(texts, self._language))
        """The same as the concept model reads names and texts of the entries."""

    def rows(self, question: str) -> Floats:
        """(entries, columns): all that is known about each entry and the question."""
        asks = read_asks(question, self._language, self._speaker)
        by_ask = np.max([self._by_ask(ask) for ask in asks], axis=0)
        best = [by_ask[BY_ASK.index(name)].max() for name in ("name_in_ask", "phrase", "meant")]
        of_question = [np.full(self._size, value) for value in (*best, float(len(asks) > 1))]
        return np.concatenate([by_ask, of_question]).T

    def _by_ask(self, ask: Ask) -> Floats:
        """(columns, entries) of one ask, in the order of `BY_ASK`."""
        total = sum(map(self._weight, sorted(ask.words))) or 1.0
        shared = _about(self._terms, dict.fromkeys(sorted(ask.words), 1.0), len(self._whole), add)
        in_ask = np.maximum.reduceat(shared / self._whole, self._first)
        phrase = _about(self._topics, {found.thing: found.score for found in ask.phrases}, self._size, max)
        meaning = _about(self._topics, ask.meant, self._size, add)
        read = np.sqrt(_about(self._read, ask.meant, self._size, add))
        clearest = max((found.score for found in ask.phrases), default=0.0)
        likeliest = max(ask.meant.values(), default=0.0)
        ranks = (column / max(column.max(initial=0.0), _LEAST) for column in (in_ask, phrase, meaning, read))
        names = (in_ask, in_ask >= _WHOLE, np.maximum.reduceat(shared, self._first) / total)
        return np.array([*names, phrase, phrase - clearest, meaning, meaning - likeliest, read, *ranks])


def _about(known: ByConcept, asked: Mapping[str, float], size: int, join: Callable[[float, float], float]) -> Floats:
    """Score how strongly each entry is about the concepts asked for, or each name contains the terms."""
    found = [0.0] * size
    for concept, score in asked.items():
        for place, share in known.get(concept, ()):
            found[place] = join(found[place], score * share)
    return np.array(found)


def _meant_by_any(entries: Sequence[Sequence[str]], language: Language) -> list[dict[str, float]]:
    """For each entry the concepts that any of its texts means, with the highest probability."""
    meanings = iter(meant([text for texts in entries for text in texts], language))
    found: list[dict[str, float]] = []
    for texts in entries:
        highest: dict[str, float] = {}
        for of_text in islice(meanings, len(texts)):
            for concept, share in of_text.items():
                highest[concept] = max(share, highest.get(concept, 0.0))
        found.append({concept: share for concept, share in highest.items() if concept not in _TALK})
    return found


def _by_concept(entries: Iterable[dict[str, float]]) -> ByConcept:
    found: ByConcept = {}
    for place, topics in enumerate(entries):
        for concept, share in topics.items():
            found.setdefault(concept, []).append((place, share))
    return found


def _entry_topics(record: PatientRecord) -> list[dict[str, float]]:
    """For each entry, the concepts of its names and those near them; for the chief symptom, those asked of any."""
    symptoms = (e.name for e in record.entries if e.category is Category.SYMPTOM and e.status is Status.PRESENT)
    chief = next(symptoms, "")
    found = []
    for entry in record.entries:
        own, also = _named(entry, record.language)
        topics = dict.fromkeys((other for concept in own | also for other in answered_by(concept)), _NEAR)
        if entry.name == chief:
            # "When did it start?" asks for the chief symptom, whose report has the answer.
            topics |= dict.fromkeys(_OF_THE_CHIEF, _NEAR)
        found.append(topics | dict.fromkeys(also, _ALSO_CALLED if own else 1.0) | dict.fromkeys(own, 1.0))
    return found


def _named(entry: Entry, language: Language) -> tuple[set[str], set[str]]:
    """Return what an entry's name and category mention, and what its other names are about.

    An alias is only about what is most of it: "pain on a deep breath" is not about breathlessness. A statement of a
    text has no other names; what it is about is in its report.
    """
    index = concepts(language)
    is_statement = not (entry.aliases or entry.said or entry.category in _BY_NAME)
    own = set(index.whole(f"{entry.name}\n{entry.report}" if is_statement else entry.name))
    also = {
        found.thing
        for alias in entry.aliases
        for found in index.there(alias)
        if reaches(found.share, _WHOLE) and reaches(found.score, _MOSTLY)
    }
    return own | _OF_THE_CATEGORY.get(entry.category, set()), also
