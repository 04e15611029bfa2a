"""How near two patients are: lessons of one never reach another that is nearly a copy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from osler.language import Language
from osler.language.lexicon import concepts
from osler.language.words import content
from osler.ranking import reaches
from osler.records.schema import PatientRecord, Status

NEAR_DUPLICATE = 0.45
"""Nearness from which a patient counts as a copy. Of the bundled patients, the two languages of one
are at .56 or more without a look at their ids, and two different ones at .39 or less."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Fingerprint:
    """What a record is compared by."""

    patient: str
    language: Language
    facts: frozenset[tuple[str, str]]
    """Medical concepts with whether they are there, and numbers: the same in every language."""
    words: frozenset[str]

    @classmethod
    def of(cls, record: PatientRecord) -> Fingerprint:
        """Read a record: its complaint, its entries and its diagnosis."""
        texts = [(record.complaint, Status.PRESENT), (record.diagnosis.name, Status.PRESENT)]
        for entry in record.entries:
            texts.append((f"{entry.name} {entry.report} {entry.when or ''}", entry.status))
        index = concepts(record.language)
        facts: set[tuple[str, str]] = set()
        words: set[str] = set()
        for text, status in texts:
            facts |= {(concept, status.value) for concept in index.whole(text)}
            facts |= {(number, "number") for number in _NUMBER.findall(text)}
            words |= {*content(text, record.language)}
        return cls(record.patient, record.language, frozenset(facts), frozenset(words))

    def nearness(self, other: Fingerprint) -> float:
        """Return how much of what either tells both tell: in facts, or in words if that is more."""
        shares = [_shared(self.facts, other.facts)]
        if self.language is other.language:
            shares.append(_shared(self.words, other.words))
        return round(max(shares), 4)


def is_near_duplicate(nearness: float) -> bool:
    """Check whether a patient is nearly a copy of another."""
    return reaches(nearness, NEAR_DUPLICATE)


def _shared(first: frozenset[object], second: frozenset[object]) -> float:
    if first or second:
        return len(first & second) / len(first | second)
    return 0.0
