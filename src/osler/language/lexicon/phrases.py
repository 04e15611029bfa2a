"""Find what a text mentions, however it is worded: concepts, by how much of a phrase is there."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from osler.language.base import Language
from osler.language.cues import any_of, groups
from osler.language.lexicon.thesaurus import LONGEST_RUN, QUALITIES, load, phrase_terms, terms, thesaurus_terms
from osler.language.words import canonical, words
from osler.ranking import reaches

_LEAST = 0.5
"""Share of a phrase, by the weight of its words, that must be there."""
_WORTH_A_LOOK = 0.45
"""Share below which a phrase is passed over without a closer look, as nearly all are."""
_ALL, _MOST = 0.999, 0.68


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
        rows = [(found, thing) for found, thing in pairs if found]
        counts = Counter(term for found, _ in rows for term in found)
        self.language = language
        self.idf = {term: math.log(1 + len(rows) / count) for term, count in counts.items()}
        self.unseen = math.log(1 + 2 * len(rows))
        """Weight of a term that no phrase holds: it says more than any of them."""
        unique = list(dict.fromkeys(rows))
        self._things = [thing for _, thing in unique]
        self._weights = [sum(map(self.idf.__getitem__, found)) for found, _ in unique]
        places: dict[str, list[int]] = defaultdict(list)
        for place, (found, _) in enumerate(unique):
            for term in found:
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
        return {found.thing: found.share for found in self.there(text)}

    def best(self, text: str) -> dict[str, float]:
        """Things a text is about, each with how well its best phrase and the text cover each other."""
        return {found.thing: found.score for found in self.there(text)}

    def whole(self, text: str) -> frozenset[str]:
        """Return the things with a phrase whose terms are all there."""
        return frozenset(found.thing for found in self.there(text) if reaches(found.share, _ALL))

    def _there(self, text: str) -> tuple[Spoken, ...]:
        """The things mentioned, with share and score of the phrase that is best at each."""
        own = terms(text, self.language)
        known = [term for term in (*sorted(own), *self._runs(text)) if term in self.idf]
        if not known:
            return ()
        part: dict[int, float] = {}
        for term in known:
            weight = self.idf[term]
            for place in self._places[term]:
                part[place] = part.get(place, 0.0) + weight
        whole = sum(map(self.weight, sorted(own)))
        found: dict[str, Spoken] = {}
        weights = self._weights
        for place in sorted([place for place, here in part.items() if here > _WORTH_A_LOOK * weights[place]]):
            thing, full, here = self._things[place], weights[place], part[place]
            if not reaches(here / full, _LEAST):
                continue
            share, score = min(1.0, here / full), here / math.sqrt(full * max(whole, here))
            _, most, nearest = found.get(thing, (thing, 0.0, 0.0))
            found[thing] = Spoken(thing, max(share, most), max(score, nearest))
        return tuple(found.values())

    def _runs(self, text: str) -> list[str]:
        """The runs of a few words in a text that are a term of their own."""
        row = tuple(map(canonical, words(text, self.language)))
        begins = [place for place in range(len(row) - 1) if row[place : place + 2] in self._openings]
        runs = (" ".join(row[place : place + n]) for place in begins for n in range(2, LONGEST_RUN + 1))
        return [run for run in dict.fromkeys(runs) if run in self.idf]


@cache
def named(language: Language) -> Phrases:
    """Index the things doctors ask about by their usual names alone: for what a reply surely mentions."""
    return Phrases(thesaurus_terms(language).names, language)


@cache
def concepts(language: Language) -> Phrases:
    """The things doctors ask about: by their names, and by the idioms that avoid them."""
    known = thesaurus_terms(language)
    return Phrases([*known.names, *known.idioms], language)


@cache
def _broad(language: Language) -> Phrases:
    """The phrases that ask for the illness as a whole: its chief symptom, or what came along with it."""
    rows = load("broad.yaml")
    return Phrases.of([(phrase, row["gives"]) for row in rows for phrase in row[language.value]], language)


@lru_cache(maxsize=1024)
def broad_parts(text: str, language: Language) -> frozenset[str]:
    """Return `chief` and `others` if a text asks for the chief symptom, or for the symptoms beside it.

    The phrase must be all there and be most of the text: "when did it start" is broad, "when did the cough start" is
    not.
    """
    there = [found for found in _broad(language).there(text) if reaches(found.share, _ALL)]
    needed = max([_MOST, *(found.score for found in there)])
    return frozenset(found.thing for found in there if reaches(found.score, needed))


def meant(text: str, language: Language) -> frozenset[str]:
    """The concepts that it holds a whole phrase of."""
    return concepts(language).whole(text)


@lru_cache(maxsize=1024)
def things(text: str, language: Language) -> frozenset[str]:
    """The concepts that it calls by one of their usual names, but for the qualities that may be asked of any thing."""
    return named(language).whole(text) - QUALITIES


@lru_cache(maxsize=2048)
def aspects(text: str, language: Language) -> frozenset[str]:
    """Return what a question asks about the thing it names: since when, where, how bad."""
    return frozenset(name for name, finds in _aspects(language).items() if finds.search(text))


@cache
def _aspects(language: Language) -> dict[str, re.Pattern[str]]:
    listed = groups("aspects", language).items()
    return {name: re.compile(any_of(cues, language), re.IGNORECASE) for name, cues in listed if name}
