"""What the entries of a record speak of, as concepts."""

from __future__ import annotations

from osler.language import Language
from osler.language.lexicon import answered_by, concepts
from osler.ranking import reaches
from osler.records.schema import Category, Entry, PatientRecord, Status

_CLEAR = 0.999
_MOSTLY = 0.75
_NEAR, _ALSO_CALLED = 0.7, 0.85
"""How much an entry is about what stands near it, and about what only its other names say."""
_OF_THE_CHIEF = (
    *("chief-complaint", "onset-time", "onset-mode", "course", "constant-or-intermittent"),
    *("episode-duration-frequency", "pain-location", "pain-character", "pain-severity"),
    *("aggravating-factors", "relieving-factors", "time-of-day-pattern"),
)

# "Did your father have a gastric tumour?" asks for what runs in the family, whatever an entry there is called.
OF_THE_CATEGORY = {
    Category.FAMILY_HISTORY: {"family-illnesses"},
    Category.SURGICAL_HISTORY: {"operations"},
    Category.MEDICATION_HISTORY: {"medicines"},
    Category.ALLERGY: {"drug-allergy", "penicillin-allergy"},
}

_BY_NAME = frozenset({Category.SIGN, Category.TEST, Category.EXAMINATION, Category.CONCERN})
"""Called by what they are, wherever they come from; what they tell is full of other things."""

Shares = dict[str, float]
"""Concepts, each with how much an entry is about it."""


def chief(record: PatientRecord) -> str:
    """The name of the symptom that brings the patient: the first that is there."""
    symptoms = (e.name for e in record.entries if e.category is Category.SYMPTOM and e.status is Status.PRESENT)
    return next(symptoms, "")


def entry_concepts(record: PatientRecord) -> list[Shares]:
    """For each entry the concepts its names mean and those near them; for the chief symptom what is asked about any."""
    first = chief(record)
    known = []
    for entry in record.entries:
        named, also_called = _named(entry, record.language)
        found = dict.fromkeys((other for concept in named | also_called for other in answered_by(concept)), _NEAR)
        if entry.name == first:
            # "When did it start?" asks for the chief symptom, whose report tells.
            found |= dict.fromkeys(_OF_THE_CHIEF, _NEAR)
        known.append(found | dict.fromkeys(also_called, _ALSO_CALLED if named else 1.0) | dict.fromkeys(named, 1.0))
    return known


def is_statement(entry: Entry) -> bool:
    """Whether an entry has one name and no more, as pieces of a text have, whose name is their first words.

    One that somebody wrote without other names is read in the same way: its report tells what these would.
    """
    return not (entry.aliases or entry.said or entry.category in _BY_NAME)


def is_text(record: PatientRecord) -> bool:
    """Whether a record is mostly such pieces: its entries hold several things, and names cover little of a question."""
    pieces = [is_statement(entry) for entry in record.entries if entry.category not in _BY_NAME]
    return 2 * sum(pieces) > len(pieces)


def _spoken(entry: Entry) -> str:
    """Where an entry speaks of what it is about."""
    return f"{entry.name}\n{entry.report}" if is_statement(entry) else entry.name


def _named(entry: Entry, language: Language) -> tuple[set[str], set[str]]:
    """What an entry's name and category speak of, and what its other names are about.

    An alias is only about what is most of it: "pain on a deep breath" is not about breathlessness.
    """
    index = concepts(language)
    own = {concept for concept, share in index.find(_spoken(entry)).items() if reaches(share, _CLEAR)}
    also_called: set[str] = set()
    for alias in entry.aliases:
        whole = {concept for concept, share in index.find(alias).items() if reaches(share, _CLEAR)}
        also_called |= {
            concept for concept, share in index.best(alias).items() if concept in whole and reaches(share, _MOSTLY)
        }
    return own | OF_THE_CATEGORY.get(entry.category, set()), also_called
