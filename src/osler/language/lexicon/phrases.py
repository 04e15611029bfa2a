"""Find what a text mentions, however it is worded: concepts, by how much of a phrase is there."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from osler.language.base import Language
from osler.language.lexicon.thesaurus import (
    LONGEST_RUN,
    QUALITIES,
    load,
    phrase_terms,
    terms,
    thesaurus_terms,
)
from osler.language.words import canonical, words
from osler.ranking import reaches

_LEAST = 0.5
"""Share of a phrase, by the weight of its words, that must be there."""
_WORTH_A_LOOK = 0.45
"""Share below which a phrase is passed over without a closer look, as nearly all are."""
_ALL = 0.999
"""Share from which all of a phrase is there."""
_MOST = 0.68
"""Score from which a phrase is most of a text."""


class Spoken(NamedTuple):
    """A thing that a text mentions."""

    thing: str
    share: float
    """How much of its best phrase is there."""
    score: float
    """How well a phrase and the text cover each other, as the cosine of their terms."""


class Phrases:
    """Phrases, each standing for a thing, indexed by their terms."""

    def __init__(self, pairs: Iterable[tuple[frozenset[str], str]], language: Language) -> None:
        """Index (terms of a phrase, thing) pairs; a phrase without terms is passed over."""
        rows = [(phrase, thing) for phrase, thing in pairs if phrase]
        counts: Counter[str] = Counter()
        for phrase, _ in rows:
            counts.update(phrase)
        self.language = language
        self.idf = {term: math.log(1 + len(rows) / count) for term, count in counts.items()}
        self.unseen = math.log(1 + 2 * len(rows))
        """Weight of a term that no phrase holds: it says more than any of them."""
        unique = list(dict.fromkeys(rows))
        self._things = [thing for _, thing in unique]
        self._weights = [sum(map(self.idf.__getitem__, phrase)) for phrase, _ in unique]
        places: dict[str, list[int]] = defaultdict(list)
        for place, (phrase, _) in enumerate(unique):
            for term in phrase:
                places[term].append(place)
        self._places = dict(places)
        """For each term the phrases that hold it. A text has few terms, and a term few phrases."""
        self._openings = frozenset(tuple(term.split(" ")[:2]) for term in self.idf if " " in term)
        """The first two words of runs that are a term of their own."""
        self.there = lru_cache(maxsize=1024)(self._there)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], language: Language) -> Phrases:
        """Index (phrase, thing) pairs."""
        return cls(((phrase_terms(phrase, language), thing) for phrase, thing in pairs), language)

    def weight(self, term: str) -> float:
        """Return how much a term says: little if many phrases contain it, like `pain`."""
        return self.idf.get(term, self.unseen)

    def find(self, text: str) -> dict[str, float]:
        """Things mentioned, each with the share of its best phrase that is there."""
        return {spoken.thing: spoken.share for spoken in self.there(text)}

    def best(self, text: str) -> dict[str, float]:
        """Things a text is about, each with how well its best phrase and the text fit."""
        return {spoken.thing: spoken.score for spoken in self.there(text)}

    def whole(self, text: str) -> frozenset[str]:
        """Return the things with a phrase whose terms are all there."""
        spoken = self.there(text)
        return frozenset(thing for thing, share, _ in spoken if reaches(share, _ALL))

    def _there(self, text: str) -> tuple[Spoken, ...]:
        """The things mentioned, with share and score of the phrase that is best at each."""
        own = terms(text, self.language)
        weights = self._weights
        # For each phrase the weight of its terms that the text has.
        weight_in_text: dict[int, float] = {}
        # Sorted, so that sums have the same last digits in every run.
        for term in (*sorted(own), *self._runs(text)):
            if term not in self.idf:
                continue
            weight = self.idf[term]
            for place in self._places[term]:
                weight_in_text[place] = weight_in_text.get(place, 0.0) + weight
        candidates = [
            place
            for place, in_text in weight_in_text.items()
            if in_text > _WORTH_A_LOOK * weights[place]
        ]
        text_weight = sum(map(self.weight, sorted(own)))
        by_thing: dict[str, Spoken] = {}
        for place in sorted(candidates):
            in_text = weight_in_text[place]
            phrase_weight = weights[place]
            if not reaches(in_text / phrase_weight, _LEAST):
                continue
            thing = self._things[place]
            share = min(1.0, in_text / phrase_weight)
            score = in_text / math.sqrt(phrase_weight * max(text_weight, in_text))
            best = by_thing.get(thing, Spoken(thing, 0.0, 0.0))
            by_thing[thing] = Spoken(thing, max(share, best.share), max(score, best.score))
        return tuple(by_thing.values())

    def _runs(self, text: str) -> list[str]:
        """The runs of a few words in a text that are a term of their own."""
        row = tuple(map(canonical, words(text, self.language)))
        runs: dict[str, None] = {}
        for place in range(len(row) - 1):
            if row[place : place + 2] not in self._openings:
                continue
            for size in range(2, LONGEST_RUN + 1):
                runs[" ".join(row[place : place + size])] = None
        return [run for run in runs if run in self.idf]


@cache
def named(language: Language) -> Phrases:
    """The things doctors ask about by their usual names alone: what a reply surely mentions."""
    return Phrases(thesaurus_terms(language).names, language)


@cache
def concepts(language: Language) -> Phrases:
    """The things doctors ask about: by their names, and by the idioms that avoid them."""
    all_terms = thesaurus_terms(language)
    return Phrases([*all_terms.names, *all_terms.idioms], language)


@cache
def _broad(language: Language) -> Phrases:
    """The phrases that ask for the chief symptom, or for what came along with it."""
    pairs: list[tuple[str, str]] = []
    for row in load("broad.yaml"):
        pairs += [(phrase, row["gives"]) for phrase in row[language.value]]
    return Phrases.of(pairs, language)


@lru_cache(maxsize=1024)
def broad_parts(text: str, language: Language) -> frozenset[str]:
    """Return `chief` and `others` if a text asks for the chief symptom, or for those beside it.

    The phrase must be all there and be most of the text: "when did it start" is broad, "when did
    the cough start" is not.
    """
    whole = [spoken for spoken in _broad(language).there(text) if reaches(spoken.share, _ALL)]
    needed = max([_MOST, *(spoken.score for spoken in whole)])
    return frozenset(spoken.thing for spoken in whole if reaches(spoken.score, needed))


def concepts_in(text: str, language: Language) -> frozenset[str]:
    """The concepts that a text holds a whole phrase of."""
    return concepts(language).whole(text)


@lru_cache(maxsize=1024)
def things(text: str, language: Language) -> frozenset[str]:
    """The concepts that a text calls by a usual name, but for qualities, which anything has."""
    return named(language).whole(text) - QUALITIES
