"""On which side of a kept fact a clause of a draft stands, if it is about the same thing at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from osler.memory.tim.perturb import KIN, NEGATION, SIDES, VALUES, joined, spoken_relation, turned
from osler.memory.tim.relations import is_single, says
from osler.memory.tim.saying import ALTERNATIVE, OLD, TIME, Clause, clauses_of, marks_of
from osler.memory.tim.terms import canonical, mentions, terms_of
from osler.memory.tim.thought import Thought
from osler.ranking import reaches
from osler.records.language import Language
from osler.words import numbers, plain

_CANDIDATES = 4
"""Pairs of clause and thought whose cosines are looked at, those with most words in common first."""


@dataclass(frozen=True)
class _Stance:
    """On which side of a thought a clause stands, and by which of the words."""

    against: bool
    terms: frozenset[str]


_LISTED = {Language.EN: re.compile(r"\b(?:or|nor)\b"), Language.ZH: re.compile(r"[、或和及与]")}
"""Where the parts of an object are alternatives and not a description."""
_FOR_IT = {
    Language.EN: re.compile(r"\b(?:for|against|about|any|of getting|signs? of)\s+(?:a |the |your )?$"),
    Language.ZH: re.compile(r"(?:针对|有没有|关于|有无)$"),
}
_VERBS = frozenset({"tak", "us", "drink", "eat", "吃", "服用", "用", "喝", "做", "打"})
"""Verbs that say nothing without their object."""
_ALLERGY = re.compile(r"allerg|anaphyla|过敏")
_AMOUNT = re.compile(
    r"(\d+(?:\.\d+)?)\s*(?:个\s*)?(hour|day|week|month|year|小时|天|周|星期|月|年|岁|(?:°\s*)?c\b|[a-z%°/]+)?"
)
_HOURS = {
    **{"hour": 1, "day": 24, "week": 168, "month": 730, "year": 8760},
    **{"小时": 1, "天": 24, "周": 168, "星期": 168, "月": 730, "年": 8760},
}
_SLACK = 0.15
"""By how much of itself one length of time may differ from another that means the same."""
_BEING = re.compile(r"^(?:is|was|are|were|为|是|had been|has been)$")
_AGE = re.compile(r"\bage|岁|年龄")


def suspects(draft: str, thoughts: Sequence[Thought], language: Language) -> list[tuple[Clause, Thought]]:
    """Clauses that by their words speak against a thought, unless another thought says the same as they do."""
    clauses = clauses_of(draft, language)
    if not clauses:
        return []
    claims = [
        (thought, _claim(thought.subject, spoken_relation(thought, language), thought.object, language))
        for thought in thoughts
    ]
    found: list[tuple[int, Clause, Thought]] = []
    for clause in clauses:
        stances = [(thought, _stance(clause, claim, thought, language)) for thought, claim in claims]
        backed = [stance.terms for _, stance in stances if stance and not stance.against]
        found += [
            (len(stance.terms), clause, thought)
            for thought, stance in stances
            if stance and stance.against and not any(stance.terms <= terms for terms in backed)
        ]
    found.sort(key=lambda one: -one[0])
    return [(clause, thought) for _, clause, thought in found[:_CANDIDATES]]


@dataclass(frozen=True)
class _Claim:
    """What a thought says, ready to be compared. Most clauses are about other things: the rest waits for one."""

    negative: bool
    about: str
    verb: str
    thing: str
    text: str
    """All of it, without its negation."""
    kin: frozenset[str]
    marks: frozenset[str]
    language: Language

    @cached_property
    def subject(self) -> frozenset[str]:
        """The words of its subject."""
        return terms_of(canonical(self.about, self.language), self.language)

    @cached_property
    def targets(self) -> tuple[frozenset[str], ...]:
        """The words that have to be there for the thing to be said, one set for each alternative."""
        listed = self.negative and _LISTED[self.language].search(self.thing) is not None
        things = [one for one in ALTERNATIVE[self.language].split(plain(self.thing)) if one] if listed else [self.thing]
        bare = not terms_of(canonical(self.verb, self.language), self.language)
        targets = []
        for one in things or [""]:
            terms = terms_of(canonical(joined((self.verb, one), self.language), self.language), self.language)
            targets.append(terms | self.subject if bare or not one else terms)
        return tuple(one for one in targets if one - _VERBS)


@lru_cache(maxsize=2048)
def _claim(subject: str, relation: str, thing: str, language: Language) -> _Claim:
    negative = NEGATION[language].search(plain(relation)) is not None
    verb = turned(relation, language) if negative else relation
    inner = None if negative else NEGATION[language].search(plain(thing))
    thing = plain(thing)[: inner.start()] if inner else thing  # what the object denies by itself is not affirmed
    text = canonical(joined((subject, verb, thing), language), language)
    kin = frozenset(KIN[language].findall(text))
    return _Claim(negative, subject, verb, thing, text, kin, marks_of(text, language), language)


def _stance(clause: Clause, claim: _Claim, thought: Thought, language: Language) -> _Stance | None:
    """On which side the clause stands; nothing when it is about something else or leaves it open."""
    if clause.kin != claim.kin or clause.marks.isdisjoint(claim.marks):
        return None
    if against := _turns(clause, claim, thought, language):
        return _Stance(True, against)
    if clause.real:
        for target in claim.targets:
            if _affirms(clause, target, language):
                return _Stance(claim.negative, target)
        for scope in clause.denied:
            terms = terms_of(scope, language)
            if terms and all(mentions(term, claim.text, language) for term in terms):
                return _Stance(not claim.negative, terms)
    return None


def _turns(clause: Clause, claim: _Claim, thought: Thought, language: Language) -> frozenset[str]:
    """The words by which a clause says the fact with another side, value or number, or gives what is not borne."""
    if claim.negative or not clause.affirmed:
        return frozenset()
    if _ALLERGY.search(claim.text) and clause.gives and not _ALLERGY.search(clause.text):
        terms = terms_of(canonical(thought.object, language), language)
        if terms and all(mentions(term, clause.affirmed, language) for term in terms):
            return terms
    if side := _other_side(clause.affirmed, canonical(thought.object, language), language):
        return side
    things = terms_of(canonical(thought.object, language), language)
    side = _other_side(clause.affirmed, canonical(thought.subject, language), language)
    if side and all(mentions(term, clause.affirmed, language) for term in things):
        return side | things
    known = claim.subject and all(mentions(term, clause.affirmed, language) for term in claim.subject)
    if known and clause.real:
        for pair in VALUES[language]:
            for this, that in (pair, pair[::-1]):
                if _only(claim.text, this, that) and _only(clause.affirmed, that, this):
                    return claim.subject | {that}
    if clause.real and _other_number(clause.affirmed, claim, thought, bool(known), language):
        return claim.subject | frozenset(numbers(clause.affirmed))
    return frozenset()


def _other_side(text: str, fact: str, language: Language) -> frozenset[str]:
    """`right` and `knee`, when the fact is about the left knee alone."""
    following = r"\s+(\w+)" if language is Language.EN else r"(.)"
    for pair in SIDES[language]:
        for this, that in (pair, pair[::-1]):
            if not (_only(fact, this, that) and _only(text, that, this)):
                continue
            mark = rf"\b{{}}\b{following}" if language is Language.EN else f"{{}}{following}"
            had = re.search(mark.format(this), fact)
            has = re.search(mark.format(that), text)
            if had and has and had[1] == has[1]:
                return frozenset({that, *terms_of(had[1], language)})
    return frozenset()


def _other_number(text: str, claim: _Claim, thought: Thought, known: bool, language: Language) -> bool:
    """Whether the text gives another number, of the same kind, for what has one value at a time."""
    if not (is_single(thought.relation, language) or _BEING.match(plain(thought.relation))):
        return False
    if not known and not (_AGE.search(claim.text) and OLD.search(text)):
        return False
    had, has = _amounts(canonical(thought.object, language)), _amounts(text)
    kinds = set(had) & set(has)
    if set(numbers(thought.object)) & set(numbers(text)):
        return False
    return bool(kinds) and all(not _near(kind, had[kind], has[kind]) for kind in kinds)


def _amounts(text: str) -> dict[str, list[float]]:
    """Numbers by unit; lengths of time in hours."""
    found: dict[str, list[float]] = {}
    for number, unit in _AMOUNT.findall(text):
        hours = _HOURS.get(unit)
        kind = TIME if hours else re.sub(r"[\s°]", "", unit)
        found.setdefault(kind, []).append(float(number) * (hours or 1))
    return found


def _near(kind: str, some: list[float], others: list[float]) -> bool:
    """Whether a number is the same; of a length of time, about the same: three weeks are 20 days."""
    slack = _SLACK if kind == TIME else 0.0
    return any(reaches(slack * max(one, other), abs(one - other)) for one in some for other in others)


def _affirms(clause: Clause, target: frozenset[str], language: Language) -> bool:
    if not all(mentions(term, clause.affirmed, language) for term in target):
        return False
    return not any(_FOR_IT[language].search(before) for before in _before(clause.affirmed, target))


def _before(text: str, terms: frozenset[str]) -> list[str]:
    places = (text.find(term[:5]) for term in terms)
    return [text[:place] for place in places if place > 0]


def _only(text: str, this: str, that: str) -> bool:
    return says(text, this) and not says(text, that)
