"""What the entries of a record are about, as concepts of the thesaurus."""

from __future__ import annotations

from osler.language import Language
from osler.language.lexicon import answered_by, concepts
from osler.ranking import reaches
from osler.records.schema import Category, Entry, PatientRecord, Status

_CLEAR, _MOSTLY = 0.999, 0.75
_NEAR, _ALSO_CALLED = 0.7, 0.85
"""How much an entry is about what stands near it, and about what only its other names say."""
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

Topics = dict[str, float]
"""Concepts, each with how much an entry is about it."""


def chief_symptom(record: PatientRecord) -> str:
    """The name of the symptom that brings the patient: the first that is there."""
    symptoms = (e.name for e in record.entries if e.category is Category.SYMPTOM and e.status is Status.PRESENT)
    return next(symptoms, "")


def entry_topics(record: PatientRecord) -> list[Topics]:
    """For each entry the concepts its names mean and those near them; for the chief symptom what is asked about any."""
    chief = chief_symptom(record)
    found = []
    for entry in record.entries:
        own, also = _named(entry, record.language)
        topics = dict.fromkeys((other for concept in own | also for other in answered_by(concept)), _NEAR)
        if entry.name == chief:
            # "When did it start?" asks for the chief symptom, whose report tells.
            topics |= dict.fromkeys(_OF_THE_CHIEF, _NEAR)
        found.append(topics | dict.fromkeys(also, _ALSO_CALLED if own else 1.0) | dict.fromkeys(own, 1.0))
    return found


def _named(entry: Entry, language: Language) -> tuple[set[str], set[str]]:
    """What an entry's name and category speak of, and what its other names are about.

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
        if reaches(found.share, _CLEAR) and reaches(found.score, _MOSTLY)
    }
    return own | _OF_THE_CATEGORY.get(entry.category, set()), also
