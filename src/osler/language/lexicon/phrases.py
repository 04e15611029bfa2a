"""What a text speaks of, however it is worded: concepts and categories, found by how much of a phrase is there."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from osler.language import Language
from osler.language.lexicon.kept import thesaurus_terms
from osler.language.lexicon.terms import LONGEST_RUN, phrase_terms, terms
from osler.language.lexicon.thesaurus_files import idioms, load, names
from osler.language.words import canonical, words
from osler.ranking import exceeds, reaches
from osler.records.schema import Category

_LEAST = 0.5
"""Share of a phrase, by the weight of its words, that must be there."""

_REMEMBERED = 4_000
"""Texts; what is kept of one is a few hundred bytes."""
_ALL, _MOST = 0.999, 0.68
_OTHER = re.compile("其他|其它|其余|别的|另外|还有|还觉|除了|除此|伴|以外|之外")


class _Led(NamedTuple):
    """The phrases that a term leads."""

    alone: tuple[tuple[int, str, float, float], ...]
    """Of each thing that it stands for by itself: its first phrase, share, and cosine with a text of weight 1."""
    beside: dict[str, tuple[int, ...]]
    """For each other term the phrases that hold both."""


@dataclass(frozen=True)
class Phrases:
    """Phrases, each standing for a thing, indexed by the terms without which too little of them is there."""

    language: Language
    phrases: tuple[tuple[frozenset[str], str, float], ...]
    """Of each phrase its terms, what it stands for, and the sum of its terms' weights."""
    by_term: dict[str, tuple[int, ...]]
    """For each term the phrases that it leads: who has none of a phrase's leading terms has less than half of it."""
    by_first: dict[str, tuple[int, ...]]
    """For each term the phrases of which it is the rarest: who does not have it does not have the whole phrase."""
    openings: frozenset[tuple[str, str]]
    """The first two words of the runs that are a term of their own."""
    idf: dict[str, float]
    unseen: float
    """Weight of a term that no phrase holds: it says more than any of them."""
    seen: dict[str, tuple[tuple[str, float, float], ...]] = field(default_factory=dict, compare=False, repr=False)
    """What texts held that were looked at before: thing, share, cosine."""
    met: dict[str, _Led] = field(default_factory=dict, compare=False, repr=False)
    """Terms met lately, with the phrases that each leads."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], language: Language) -> Phrases:
        """Index (phrase, thing) pairs."""
        return cls.of_terms([(phrase_terms(phrase, language), thing) for phrase, thing in pairs], language)

    @classmethod
    def of_terms(cls, pairs: Iterable[tuple[frozenset[str], str]], language: Language) -> Phrases:
        """Index (terms of a phrase, thing) pairs; a phrase without terms is passed over."""
        sets = [(found, thing) for found, thing in pairs if found]
        counts = Counter(term for found, _ in sets for term in found)
        idf = {term: math.log(1 + len(sets) / count) for term, count in counts.items()}
        # Phrases that differ in no term are one.
        phrases = [(found, thing, sum(map(idf.__getitem__, found))) for found, thing in dict.fromkeys(sets)]
        by_term: dict[str, list[int]] = defaultdict(list)
        by_first: dict[str, list[int]] = defaultdict(list)
        for place, (found, _, weight) in enumerate(phrases):
            rest = weight
            rarest_first = sorted(found, key=lambda term: (counts[term], term))
            by_first[rarest_first[0]].append(place)
            for term in rarest_first:
                if exceeds(_LEAST * weight, rest):
                    break
                by_term[term].append(place)
                rest -= idf[term]
        runs = (term.split(" ") for term in idf if " " in term)
        return cls(
            language,
            tuple(phrases),
            {term: tuple(places) for term, places in by_term.items()},
            {term: tuple(places) for term, places in by_first.items()},
            frozenset((run[0], run[1]) for run in runs),
            idf,
            math.log(1 + 2 * len(sets)),
        )

    def weight(self, term: str) -> float:
        """How much a term says: little where many phrases hold it, like `pain`."""
        return self.idf.get(term, self.unseen)

    def find(self, text: str) -> dict[str, float]:
        """Things spoken of, each with the share of its best phrase that is there."""
        return {thing: share for thing, share, _ in self.there(text)}

    def best(self, text: str) -> dict[str, float]:
        """Things a text is about: how well one phrase and the text cover each other, as the cosine of their terms."""
        return {thing: score for thing, _, score in self.there(text)}

    def whole(self, text: str) -> frozenset[str]:
        """Things of which a phrase is there with all its terms."""
        own, runs = terms(text, self.language), self._runs(text)
        every = own.union(runs) if runs else own
        led = (self.phrases[place] for term in every if term in self.by_first for place in self.by_first[term])
        return frozenset(thing for phrase, thing, _ in led if phrase <= every)

    def there(self, text: str) -> tuple[tuple[str, float, float], ...]:
        """The things spoken of, with share and cosine of the phrase that is best at each."""
        if (seen := self.seen.get(text)) is not None:
            return seen
        if len(self.seen) >= _REMEMBERED:
            self.seen.clear()
        found = self.seen[text] = self._weighed(terms(text, self.language), self._runs(text))
        return found

    def _runs(self, text: str) -> list[str]:
        """The runs of a few words in a text that are a term of their own."""
        row = tuple(map(canonical, words(text, self.language)))
        if self.openings.isdisjoint(pairwise(row)):
            return []
        begins = [place for place, pair in enumerate(pairwise(row)) if pair in self.openings]
        runs = (" ".join(row[place : place + n]) for place in begins for n in range(2, LONGEST_RUN + 1))
        return [run for run in runs if run in self.idf]

    def _meet(self, term: str) -> _Led:
        """What a term leads: few of its phrases have to be looked at where no other term of theirs is there."""
        if len(self.met) >= _REMEMBERED:
            self.met.clear()
        weight = self.idf[term]
        alone: dict[str, tuple[int, float]] = {}
        beside: dict[str, list[int]] = defaultdict(list)
        for place in self.by_term[term]:
            phrase, thing, full = self.phrases[place]
            for other in phrase:
                if other != term:
                    beside[other].append(place)
            if reaches(weight, _LEAST * full):
                first, least = alone.get(thing, (place, full))
                alone[thing] = (first, min(least, full))
        found = self.met[term] = _Led(
            tuple((first, thing, weight / full, weight / math.sqrt(full)) for thing, (first, full) in alone.items()),
            {other: tuple(places) for other, places in beside.items()},
        )
        return found

    def _weighed(self, own: frozenset[str], runs: list[str]) -> tuple[tuple[str, float, float], ...]:
        every = own.union(runs) if runs else own
        leading = self.by_term.keys() & every
        if not leading:
            return ()
        idf, unseen = self.idf, self.unseen
        whole = sum([idf.get(term, unseen) for term in own]) or 1.0
        rows: list[tuple[int, str, float, float]] = []
        together: set[int] = set()
        for term in leading:
            # One look: another thread may clear what is kept between two.
            alone, beside = self.met.get(term) or self._meet(term)
            length = math.sqrt(max(whole, idf[term]))
            rows += [(place, thing, share, cosine / length) for place, thing, share, cosine in alone]
            for other in beside.keys() & every:
                together.update(beside[other])
        for place in together:
            phrase, thing, full = self.phrases[place]
            part = sum([idf[term] for term in phrase & every])
            if reaches(part, _LEAST * full):
                rows.append((place, thing, min(1.0, part / full), part / math.sqrt(full * max(whole, part))))
        best: dict[str, tuple[float, float]] = {}
        for _, thing, share, cosine in sorted(rows):
            most, nearest = best.get(thing, (0.0, 0.0))
            best[thing] = (share if share > most else most, cosine if cosine > nearest else nearest)
        return tuple([(thing, *scores) for thing, scores in best.items()])


@cache
def named(language: Language) -> Phrases:
    """The things doctors ask about by their usual names alone: for telling what a reply surely speaks of."""
    return Phrases.of_terms(thesaurus_terms(language).names, language)


@cache
def concepts(language: Language) -> Phrases:
    """The things doctors ask about: by their names, and by the idioms that avoid them."""
    known = thesaurus_terms(language)
    return Phrases.of_terms([*known.names, *known.idioms], language)


def worded(language: Language) -> list[tuple[str, str]]:
    """(phrase, concept): the names of the things doctors ask about, and the idioms that avoid them."""
    return [*names(language), *idioms(language)]


@cache
def categories(language: Language) -> Phrases:
    """The words that ask for a whole category."""
    table = load("categories.yaml").items()
    return Phrases.of([(p, Category(name).value) for name, words in table for p in words[language.value]], language)


@cache
def broad(language: Language) -> Phrases:
    """The phrases that ask for a whole part of the record; a thing is what they give, joined by `+`."""
    rows = load("broad.yaml")
    return Phrases.of([(phrase, "+".join(row["gives"])) for row in rows for phrase in row[language.value]], language)


@lru_cache(maxsize=1024)
def broad_parts(text: str, language: Language, least: float = _MOST) -> frozenset[str]:
    """The whole parts of the record that a text asks for.

    The phrase must be all there and be at least that share of the text: "what did the blood tests show" is broad,
    "what did the breathing test show" is not. Asking for other symptoms stays broad whatever they are other than.
    """
    index = broad(language)
    most = {gives: score for gives, share, score in index.there(text) if reaches(share, _ALL)}
    if not most:
        return frozenset()
    all_there = set(most)
    if language is Language.ZH:
        # Without its words for "other", which say nothing by themselves, 别的不舒服 is the same as 哪里不舒服.
        all_there.discard("chief" if "others" in all_there and _OTHER.search(text) else "others")
    needed = max([least, *(most[gives] for gives in all_there)])
    whole = (gives for gives in all_there if gives == "others" or reaches(most[gives], needed))
    return frozenset(part for gives in whole for part in gives.split("+"))


@cache
def related() -> dict[str, frozenset[str]]:
    """For each concept those that stand near it."""
    near: dict[str, set[str]] = defaultdict(set)
    for group in load("related.yaml"):
        for one in group:
            near[one].update(other for other in group if other != one)
    return {name: frozenset(others) for name, others in near.items()}


@cache
def answered_by(concept: str) -> tuple[str, ...]:
    """What else an entry about a concept answers, where the record has no entry of its own for it."""
    apart = load("apart.yaml")
    not_by = {other for one, other in apart["one_way"] if one == concept}
    not_by.update(other for pair in apart["both"] if concept in pair for other in pair)
    return tuple(sorted(related().get(concept, frozenset()) - not_by))
