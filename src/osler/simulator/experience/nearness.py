"""How near two patients are.

Lessons of one never reach another that is nearly a copy, in any language.
"""

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
are at .56 or more
without a look at their ids, and two different ones at .39 or less."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Fingerprint:
    """What a record is compared by."""

    patient: str
    language: Language
    told: frozenset[tuple[str, str]]
    """Medical concepts with whether they are there, and numbers: the same in every language."""
    words: frozenset[str]

    @classmethod
    def of(cls, record: PatientRecord) -> Fingerprint:
        """Read a record: its complaint, its entries and its diagnosis."""
        texts = [(record.complaint, Status.PRESENT), (record.diagnosis.name, Status.PRESENT)]
        texts += [
            (f"{one.name} {one.report} {one.when or ''}", one.status) for one in record.entries
        ]
        index, told, words = concepts(record.language), set[tuple[str, str]](), set[str]()
        for text, status in texts:
            told |= {(concept, status.value) for concept in index.whole(text)}
            told |= {(number, "number") for number in _NUMBER.findall(text)}
            words |= {*content(text, record.language)}
        return cls(record.patient, record.language, frozenset(told), frozenset(words))

    def nearness(self, other: Fingerprint) -> float:
        """Return how much of what either tells both tell.

        By concepts and numbers, or by words if that is more.
        """
        shares = [_shared(self.told, other.told)]
        if self.language is other.language:
            shares.append(_shared(self.words, other.words))
        return round(max(shares), 4)


def is_near_duplicate(nearness: float) -> bool:
    """Check whether a patient is nearly a copy of another."""
    return reaches(nearness, NEAR_DUPLICATE)


def _shared(one: frozenset[object], other: frozenset[object]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
