"""The evidence that a question asks for an entry: a few numbers for each entry, and the weights that make them one.

The weights are fitted by logistic regression on labelled questions (`make ram-model`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from osler.agents.ram.concept_model import meant
from osler.agents.ram.entry_topics import entry_topics
from osler.agents.ram.question import Ask, asks_about_another, letters, read_asks
from osler.language import Language
from osler.language.lexicon import concepts, terms
from osler.language.lexicon.kinds import of_a_kind
from osler.records.schema import Category, PatientRecord

Floats = NDArray[np.float64]
ByConcept = dict[str, list[tuple[int, float]]]
"""For each concept the entries that are about it, and how much."""

BY_ASK = (
    *("name_in_ask", "ask_in_name", "ask_in_text", "letters", "phrase", "whole_phrase", "other_phrase", "category"),
    *("whole_name", "own_name", "meant", "other_meant", "meant_alone", "name_rank", "phrase_rank", "meant_rank"),
    *("read", "read_rank", "talk"),
)
"""Of each the best that an ask of the question gives an entry."""
BY_QUESTION = ("relative", "family", "other_kind", "best_name", "best_phrase", "best_meant", "several")
COLUMNS = (*BY_ASK, *BY_QUESTION)
_TALK = frozenset({"none", "other", "reassurance", "plan-consent", "paperwork", "comfort"})
"""Meant where the doctor greets, calms, plans or writes something down, and where no record tells."""
_LEAST = 0.05
"""A best entry below this is no measure for the others."""
_WHOLE = 0.999
_MOST_SAID = 12.0


@dataclass(frozen=True)
class Weights:
    """How the evidence of one language is weighed, and which entries count as asked for."""

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
def weights(language: Language) -> Weights:
    """As they were fitted."""
    text = (files("osler.agents.ram") / "model" / "weights.json").read_text(encoding="utf-8")
    fitted = json.loads(text)[language.value]
    columns = np.array([fitted["columns"][name] for name in COLUMNS])
    return Weights(columns, fitted["bias"], fitted["threshold"], fitted["ratio"])


class Bags:
    """Bags of terms as the rows of a matrix: how much of each is in an ask."""

    def __init__(self, bags: Sequence[Iterable[str]], weight: Callable[[str], float]) -> None:
        """Lay out the bags; `weight` is how much a term says."""
        every = sorted({term for bag in bags for term in bag})
        self._column = {term: place for place, term in enumerate(every)}
        self._rows = np.zeros((len(bags), len(every)))
        for row, bag in zip(self._rows, bags, strict=True):
            for term in bag:
                row[self._column[term]] = weight(term)
        self.sums = np.maximum(self._rows.sum(axis=1), 1e-9)

    def shared(self, asked: Iterable[str]) -> Floats:
        """For each bag the weight of those of its terms that are asked for."""
        columns = sorted(self._column[term] for term in asked if term in self._column)
        found: Floats = self._rows[:, columns].sum(axis=1)
        return found


class Evidence:
    """The entries of one record, laid out once for all questions."""

    def __init__(self, record: PatientRecord) -> None:
        """Lay out names, texts, letters, concepts and kinds."""
        self._language, self._speaker, self._size = record.language, record.speaker, len(record.entries)
        self._weight = concepts(record.language).weight
        names = [(entry.name, *entry.aliases) for entry in record.entries]
        flat = [name for some in names for name in some]
        self._first = np.cumsum([0, *map(len, names)])[:-1]
        """Where the names of each entry begin."""
        words = [terms(name, self._language) for name in flat]
        self._names = Bags(words, self._weight)
        self._letters = Bags([letters(name, self._language) for name in flat], lambda _: 1.0)
        whole = (" ".join((*some, e.report, e.said)) for some, e in zip(names, record.entries, strict=True))
        self._texts = Bags([terms(text, self._language) for text in whole], self._weight)
        self._topics = _by_concept(entry_topics(record))
        self._read = _by_concept(self._read_by_model(record))
        """The same as the concept model reads names and texts of the entries."""
        self._categories = [entry.category.value for entry in record.entries]
        self._family = np.array([entry.category is Category.FAMILY_HISTORY for entry in record.entries], dtype=float)
        self._kinds = [of_a_kind("\n".join(some), self._language) for some in names]

    def rows(self, question: str) -> Floats:
        """(entries, columns): all that is known about each entry and the question."""
        asks = read_asks(question, self._language, self._speaker)
        by_ask = np.max([self._by_ask(ask) for ask in asks], axis=0)
        relative = float(asks_about_another(question, self._language, self._speaker))
        best = [by_ask[BY_ASK.index(name)].max() for name in ("name_in_ask", "phrase", "meant")]
        of_question = [relative * (1 - self._family), (1 - relative) * self._family, self._of_other_kind(question)]
        of_question += [np.full(self._size, value) for value in (*best, float(len(asks) > 1))]
        return np.concatenate([by_ask, of_question]).T

    def _by_ask(self, ask: Ask) -> Floats:
        """(columns, entries) of one ask; in its order of columns `BY_ASK`."""
        total = sum(map(self._weight, sorted(ask.words))) or 1.0
        shared = self._names.shared(ask.words)
        covered = shared / self._names.sums
        in_name = self._best_name(covered)
        own = np.where(covered[self._first] >= _WHOLE, self._names.sums[self._first], 0.0)
        alike = self._letters.shared(ask.letters) / np.sqrt(self._letters.sums * max(1, len(ask.letters)))
        phrase = self._about(self._topics, {found.thing: found.score for found in ask.phrases}, max)
        whole = {found.thing: 1.0 for found in ask.phrases if found.share >= _WHOLE}
        likely = self._about(self._topics, ask.meant, float.__add__)
        read = np.sqrt(self._about(self._read, ask.meant, float.__add__))
        clearest = max((found.score for found in ask.phrases), default=0.0)
        return np.array(
            [
                in_name,
                self._best_name(shared) / total,
                self._texts.shared(ask.words) / total,
                self._best_name(alike),
                phrase,
                self._about(self._topics, whole, max),
                phrase - clearest,
                [ask.categories.get(category, 0.0) for category in self._categories],
                in_name >= _WHOLE,
                np.minimum(own, _MOST_SAID) / _MOST_SAID,
                likely,
                likely - max(ask.meant.values(), default=0.0),
                np.sqrt(likely) * (1 - in_name),
                *(_rank(column) for column in (in_name, phrase, likely)),
                read,
                _rank(read),
                np.full(self._size, -sum(ask.meant.get(name, 0.0) for name in sorted(_TALK))),
            ]
        )

    def _best_name(self, by_name: Floats) -> Floats:
        """Of each entry the best of its names."""
        found: Floats = np.maximum.reduceat(by_name, self._first)
        return found

    def _about(self, known: ByConcept, asked: dict[str, float], join: Callable[[float, float], float]) -> Floats:
        """How strongly each entry is about the concepts that are asked for."""
        found = [0.0] * self._size
        for concept, score in asked.items():
            for place, share in known.get(concept, ()):
                found[place] = join(found[place], score * share)
        return np.array(found)

    def _read_by_model(self, record: PatientRecord) -> Iterator[dict[str, float]]:
        """Of each entry the concepts that its names or its texts mean, at their likeliest."""
        for entry in record.entries:
            found: dict[str, float] = {}
            for likely in meant((entry.name, *entry.aliases, entry.report, entry.said), self._language):
                for concept in likely.keys() - _TALK:
                    found[concept] = max(likely[concept], found.get(concept, 0.0))
            yield found

    def _of_other_kind(self, question: str) -> Floats:
        """In how many ways each entry is another thing than the question names: another test, another place."""
        asked = of_a_kind(question, self._language)
        return np.array(
            [
                float(sum(kind in own and things.isdisjoint(own[kind]) for kind, things in asked.items()))
                for own in self._kinds
            ]
        )


def _rank(column: Floats) -> Floats:
    """Each entry's share of the best."""
    found: Floats = column / max(column.max(initial=0.0), _LEAST)
    return found


def _by_concept(entries: Iterable[dict[str, float]]) -> ByConcept:
    found: ByConcept = {}
    for place, topics in enumerate(entries):
        for concept, share in topics.items():
            found.setdefault(concept, []).append((place, share))
    return found
