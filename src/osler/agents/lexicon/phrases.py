"""What a text speaks of, however it is worded: concepts and categories, found by how much of a phrase is there."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from osler.records.language import Language
from osler.records.schema import Category
from osler.words import content, words

_LEAST = 0.5
"""Share of a phrase, by the weight of its words, that must be there."""


_LONGEST_RUN = 4
_REMEMBERED = 4_000
"""Texts; what is kept of one is a few hundred bytes."""
_ALL, _MOST = 0.999, 0.68


def terms(text: str, language: Language) -> frozenset[str]:
    """What phrases are compared by: words; in Chinese pairs of characters too, since compounds segment differently."""
    row = content(text, language)
    if language is Language.EN:
        return frozenset(row)
    level = "".join(word for word in row if "\u4e00" <= word[0] <= "\u9fff")
    return frozenset(row) | frozenset(level[i : i + 2] for i in range(len(level) - 1))


def _phrase_terms(phrase: str, language: Language) -> frozenset[str]:
    """A phrase's terms. `Throw up` is not `throw`: where one word has all the meaning, the run of words is the term."""
    found = terms(phrase, language)
    run = words(phrase, language)
    if len(found) == 1 and 1 < len(run) <= _LONGEST_RUN:
        return frozenset({" ".join(run)})
    # A single Chinese character on its own says nothing.
    return found if language is Language.EN or any(len(term) > 1 for term in found) else frozenset()


def _runs(text: str, language: Language) -> frozenset[str]:
    """Every run of a few words in a text, for phrases that are a term of their own."""
    row = words(text, language)
    return frozenset(" ".join(row[i : i + n]) for n in range(2, _LONGEST_RUN + 1) for i in range(len(row) - n + 1))


@lru_cache(maxsize=1024)
def _looked_for(text: str, language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """A text's own terms, and these with its runs: the same for every index, and several are asked in a row."""
    own = terms(text, language)
    return own, own | _runs(text, language)


@dataclass(frozen=True)
class Phrases:
    """Phrases, each standing for a thing, indexed by their terms."""

    language: Language
    things: tuple[str, ...]
    weights: NDArray[np.float64]
    """Of each phrase, the sum of its terms' weights."""
    by_term: dict[str, NDArray[np.int64]]
    """For each term the phrases that hold it."""
    idf: dict[str, float]
    unseen: float
    """Weight of a term that no phrase holds: it says more than any of them."""
    seen: dict[str, tuple[tuple[str, float, float], ...]] = field(default_factory=dict, compare=False, repr=False)
    """What texts held that were looked at before: thing, share, cosine."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], language: Language) -> Phrases:
        """Index (phrase, thing) pairs."""
        sets = [(found, thing) for phrase, thing in pairs if (found := _phrase_terms(phrase, language))]
        counts = Counter(term for found, _ in sets for term in found)
        idf = {term: math.log(1 + len(sets) / count) for term, count in counts.items()}
        by_term: dict[str, list[int]] = defaultdict(list)
        for place, (found, _) in enumerate(sets):
            for term in found:
                by_term[term].append(place)
        weights = np.array([sum(idf[term] for term in found) for found, _ in sets])
        index = {term: np.array(rows) for term, rows in by_term.items()}
        return cls(language, tuple(thing for _, thing in sets), weights, index, idf, math.log(1 + 2 * len(sets)))

    def weight(self, term: str) -> float:
        """How much a term says: little where many phrases hold it, like `pain`."""
        return self.idf.get(term, self.unseen)

    def find(self, text: str) -> dict[str, float]:
        """Things spoken of, each with the share of its best phrase that is there."""
        return {thing: share for thing, share, _ in self._there(text)}

    def best(self, text: str) -> dict[str, float]:
        """Things a text is about: how well one phrase and the text cover each other, as the cosine of their terms."""
        return {thing: score for thing, _, score in self._there(text)}

    def _there(self, text: str) -> tuple[tuple[str, float, float], ...]:
        """The things spoken of, with share and cosine of the phrase that is best at each."""
        if (seen := self.seen.get(text)) is not None:
            return seen
        own, every = _looked_for(text, self.language)
        known = [term for term in every if term in self.by_term]
        found = self._weighed(known, sum(map(self.weight, own)) or 1.0) if known else ()
        if len(self.seen) >= _REMEMBERED:
            self.seen.clear()
        self.seen[text] = found
        return found

    def _weighed(self, known: list[str], whole: float) -> tuple[tuple[str, float, float], ...]:
        found = [self.by_term[term] for term in known]
        weights = np.repeat([self.idf[term] for term in known], [len(row) for row in found])
        rows = np.concatenate(found)
        there = np.bincount(rows, weights)
        # Nothing but phrases that hold one of the terms can be there, and these are few.
        places = sorted(set(rows[there[rows] >= _LEAST * self.weights[rows]].tolist()))
        best: dict[str, tuple[float, float]] = {}
        for place, part, full in zip(places, there[places].tolist(), self.weights[places].tolist(), strict=True):
            thing = self.things[place]
            share, cosine = best.get(thing, (0.0, 0.0))
            whole_of_both = math.sqrt(full * max(whole, part))
            best[thing] = (max(share, min(1.0, part / full)), max(cosine, part / whole_of_both))
        return tuple((thing, share, cosine) for thing, (share, cosine) in best.items())


@cache
def _load(name: str) -> Any:
    text = (files("osler.agents.lexicon") / "thesaurus" / name).read_text(encoding="utf-8")
    # Everything in these files is text; the base loader makes nothing else of it.
    return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506


def _names(language: Language) -> list[tuple[str, str]]:
    return [
        (phrase, concept["id"])
        for name in ("symptoms.yaml", "history.yaml")
        for concept in _load(name)
        for phrase in (
            *((concept["id"].replace("-", " "),) if language is Language.EN else ()),
            *concept[language.value],
        )
    ]


@cache
def named(language: Language) -> Phrases:
    """The things doctors ask about by their usual names alone: for telling what a reply surely speaks of."""
    return Phrases.of(_names(language), language)


def worded(language: Language) -> list[tuple[str, str]]:
    """(phrase, concept): the names of the things doctors ask about, and the idioms that avoid them."""
    idioms = _load("idioms.yaml").items()
    return [*_names(language), *((phrase, thing) for thing, row in idioms for phrase in row[language.value])]


@cache
def concepts(language: Language) -> Phrases:
    """The things doctors ask about: by their names, and by the idioms that avoid them."""
    return Phrases.of(worded(language), language)


@cache
def categories(language: Language) -> Phrases:
    """The words that ask for a whole category."""
    table = _load("categories.yaml").items()
    return Phrases.of([(p, Category(name).value) for name, words in table for p in words[language.value]], language)


@cache
def broad(language: Language) -> Phrases:
    """The phrases that ask for a whole part of the record; a thing is what they give, joined by `+`."""
    rows = _load("broad.yaml")
    return Phrases.of([(phrase, "+".join(row["gives"])) for row in rows for phrase in row[language.value]], language)


def broad_parts(text: str, language: Language, least: float = _MOST) -> frozenset[str]:
    """The whole parts of the record that a text asks for.

    The phrase must be all there and be at least that share of the text: "what did the blood tests show" is broad,
    "what did the breathing test show" is not. Asking for other symptoms stays broad whatever they are other than.
    """
    index = broad(language)
    there, most = index.find(text), index.best(text)
    clearest = max((most[gives] for gives, share in there.items() if share >= _ALL), default=0.0)
    needed = max(least, clearest - 1e-9)
    whole = (gives for gives, share in there.items() if share >= _ALL and (gives == "others" or most[gives] >= needed))
    return frozenset(part for gives in whole for part in gives.split("+"))


@cache
def related() -> dict[str, frozenset[str]]:
    """For each concept those that stand near it."""
    near: dict[str, set[str]] = defaultdict(set)
    for group in _load("related.yaml"):
        for one in group:
            near[one].update(other for other in group if other != one)
    return {name: frozenset(others) for name, others in near.items()}
