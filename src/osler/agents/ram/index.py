"""Search index over one record: score each entry against a question and pick the ones to return."""

from __future__ import annotations

from dataclasses import dataclass

from osler.agents.ram.evidence import COLUMNS, Evidence, read_asks, weights
from osler.language import Language, Speaker
from osler.language.cues import finder
from osler.language.lexicon import broad_parts
from osler.language.lexicon.categories import OF_OTHERS, categories_asked
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import things
from osler.language.lexicon.thesaurus import QUALITIES
from osler.language.questions import about_another, names_family
from osler.ranking import all_seen, ranked, reaches
from osler.records.schema import Category, Entry, PatientRecord, Status

_BROAD = 0.5
"""Score of an entry that is returned with a whole part of the record."""
_CLEAR = 0.8
"""Probability from which one entry is asked for with little doubt."""
_BEGINNING = 6
"""Maximum number of symptoms for a broad question: an imported story has a statement for every day of the illness."""
_ORDER = (Status.PRESENT, Status.NORMAL, Status.ABSENT, Status.NOT_DONE)
_LIKELY = 0.5
_MEANINGS: dict[str, frozenset[str]] = {
    "chief": QUALITIES | {"chief-complaint"},
    "others": frozenset({"associated-symptoms"}),
    Category.MEDICATION_HISTORY: frozenset({"medicines"}),
    Category.ALLERGY: frozenset({"drug-allergy", "penicillin-allergy"}),
    Category.MEDICAL_HISTORY: frozenset({"past-illnesses"}),
    Category.TEST: frozenset({"blood-tests-general", "tests-so-far"}),
    Category.EXAMINATION: frozenset({"tests-so-far"}),
}
"""Concepts that ask for a part of the record. They count once their summed probability reaches `_LIKELY`.

Where no entry is clearly asked for, the lists of a record answer for a single thing, too: "allergic to sulfa?".
"""

_BY_NAME = 0.5
"""Share of a question's words, by weight, that an entry's whole name must be to be asked for by it."""


@dataclass(frozen=True)
class Match:
    """An entry that a question asks for."""

    entry: Entry
    score: float


class RecordIndex:
    """The entries of one record, ready for questions."""

    def __init__(self, record: PatientRecord) -> None:
        """Build the index."""
        self.language = record.language
        self.entries = record.entries
        self._speaker = record.speaker
        self._evidence = Evidence(record)

    def search(self, question: str) -> list[Match]:
        """Return the entries the question asks for, best first; empty if the record says nothing about it."""
        if not question.strip():
            return []
        categories = categories_asked(question, self.language, self._speaker)
        fitted = weights(self.language)
        rows = self._evidence.rows(question)
        scores = all_seen(fitted.probabilities(rows)).tolist()
        best = max(scores)
        floor = best * fitted.ratio if reaches(best, fitted.threshold) else 2.0
        found = [Match(*both) for both in zip(self.entries, scores, strict=True)]
        chosen = [match for match in found if reaches(match.score, floor)]
        if not chosen:  # an entry whose whole name is most of the question is never missed
            by_name = rows[:, COLUMNS.index("whole_name")] * rows[:, COLUMNS.index("ask_in_name")]
            chosen = [match for match, share in zip(found, by_name.tolist(), strict=True) if reaches(share, _BY_NAME)]
        if asks_about_another(question, self.language, self._speaker):
            chosen = [match for match in chosen if self._is_of_others(match.entry)]
        elif not categories and not reaches(best, _CLEAR):
            chosen = self._whole_parts(self._parts(question)) or chosen
        if categories:
            names = {match.entry.name for match in chosen}
            chosen += [match for match in self._whole_parts(categories) if match.entry.name not in names]
        if not chosen and drugs_in(question):
            # Whether a drug is taken is answered by the medicines, whichever they are.
            chosen = self._whole_parts(frozenset({Category.MEDICATION_HISTORY}))
        return [chosen[place] for place in ranked([match.score for match in chosen], range(len(chosen)))]

    def _is_of_others(self, entry: Entry) -> bool:
        """Check whether an entry is about somebody other than the patient; a story names them in any section."""
        return entry.category in OF_OTHERS or finder("family", self.language).search(entry.name) is not None

    def _parts(self, question: str) -> frozenset[str]:
        """Return the parts of the record that a question is about, by phrases and by its likely meaning."""
        parts = set(broad_parts(question, self.language))
        whole = read_asks(question, self.language, self._speaker)[0]
        for part, meaning in _MEANINGS.items():
            if reaches(sum(share for name, share in whole.meant.items() if name in meaning), _LIKELY):
                parts.add(part)
        if "chief" in parts and "others" in parts:
            others = whole.meant.get("associated-symptoms", 0.0)
            parts.discard("chief" if reaches(others, whole.meant.get("chief-complaint", 0.0)) else "others")
        if things(question, self.language) - _MEANINGS["chief"] - _MEANINGS["others"]:
            parts.discard("chief")  # "how long has the cough been there?" is about the cough
        return frozenset(parts)

    def _whole_parts(self, parts: frozenset[str]) -> list[Match]:
        """Return all entries of these parts but what was not done: what was found before what was not."""
        symptoms = [e for e in self.entries if e.category is Category.SYMPTOM and e.status is Status.PRESENT]
        found = [e for e in self.entries if e.category.value in parts and e.status is not Status.NOT_DONE]
        if "chief" in parts:
            found += symptoms[:1]
        if "others" in parts:
            found += symptoms[1 : 1 + _BEGINNING]  # the first is the chief symptom
        unique = {entry.name: entry for entry in found}.values()
        return [Match(entry, _BROAD) for entry in sorted(unique, key=lambda e: _ORDER.index(e.status))]


def asks_about_another(question: str, language: Language, speaker: Speaker) -> bool:
    """Check whether the question is only about somebody else: "does your husband smoke?" is not about the patient."""
    return names_family(question, language) or about_another(question, language, speaker)
