"""Search index over one record: score each entry against a question and choose which to return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from osler.agents.ram.evidence import COLUMNS, Evidence, Floats, read_asks, weights
from osler.language import Language, Speaker
from osler.language.cues import finder
from osler.language.lexicon import broad_parts
from osler.language.lexicon.categories import CHIEF, OF_OTHERS, OTHERS, parts_asked
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
"""Maximum number of symptoms for a broad question.

An imported story has a statement for every day of the illness.
"""
_ORDER = (Status.PRESENT, Status.NORMAL, Status.ABSENT, Status.NOT_DONE)
"""How entries of a whole part are ordered: what was found before what was not."""
_LIKELY = 0.5
"""Summed probability from which a question asks for a part of the record."""
_MEANINGS: dict[str, frozenset[str]] = {
    "chief": QUALITIES | {"chief-complaint"},
    "others": frozenset({"associated-symptoms"}),
    Category.MEDICATION_HISTORY: frozenset({"medicines"}),
    Category.ALLERGY: frozenset({"drug-allergy", "penicillin-allergy"}),
    Category.MEDICAL_HISTORY: frozenset({"past-illnesses"}),
    Category.TEST: frozenset({"blood-tests-general", "tests-so-far"}),
    Category.EXAMINATION: frozenset({"tests-so-far"}),
}
"""Concepts that ask for a part of the record. They count once their summed probability reaches
`_LIKELY`.

Where no entry is clearly asked for, the lists of a record answer for a single thing, too: "allergic
to sulfa?".
"""

_BY_NAME = 0.5
"""Share of a question that an entry's whole name must be for the question to ask for the entry.

Words are weighed by how much they say.
"""


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
        """Return the entries the question asks for, best first.

        Empty if the record says nothing about it.
        """
        if not question.strip():
            return []
        speaker = self._speaker
        parts = parts_asked(question, self.language, speaker)
        rows = self._evidence.rows(question)
        fitted = weights(self.language)
        scores = all_seen(fitted.probabilities(rows)).tolist()
        best = max(scores)
        matches = [Match(entry, score) for entry, score in zip(self.entries, scores, strict=True)]
        chosen: list[Match] = []
        if reaches(best, fitted.threshold):
            chosen = [match for match in matches if reaches(match.score, best * fitted.ratio)]
        if not chosen:
            chosen = _matches_by_name(matches, rows)
        if asks_about_another(question, self.language, speaker):
            chosen = [match for match in chosen if self._is_of_others(match.entry)]
        elif not parts and not reaches(best, _CLEAR):
            chosen = self._whole_parts(self._likely_parts(question)) or chosen
        elif parts and parts <= {CHIEF, OTHERS} and not reaches(best, _CLEAR):
            chosen = []  # what else it may mean is a guess
        names = {match.entry.name for match in chosen}
        for match in self._whole_parts(parts):
            if match.entry.name not in names:
                chosen.append(match)
        if not chosen and drugs_in(question):
            # Whether a drug is taken is answered by the medicines, whichever they are.
            chosen = self._whole_parts(frozenset({Category.MEDICATION_HISTORY}))
        places = ranked([match.score for match in chosen], range(len(chosen)))
        return [chosen[place] for place in places]

    def _is_of_others(self, entry: Entry) -> bool:
        """Check whether an entry is about somebody other than the patient.

        A story names them in any section.
        """
        if entry.category in OF_OTHERS:
            return True
        return finder("family", self.language).search(entry.name) is not None

    def _likely_parts(self, question: str) -> frozenset[str]:
        """Return the parts of the record that a question that names none most likely means."""
        parts = set(broad_parts(question, self.language))
        likelihoods = read_asks(question, self.language, self._speaker)[0].meant
        for part, meanings in _MEANINGS.items():
            likelihood = sum(share for concept, share in likelihoods.items() if concept in meanings)
            if reaches(likelihood, _LIKELY):
                parts.add(part)
        if "chief" in parts and "others" in parts:
            chief = likelihoods.get("chief-complaint", 0.0)
            others = likelihoods.get("associated-symptoms", 0.0)
            parts.discard("chief" if reaches(others, chief) else "others")
        if things(question, self.language) - _MEANINGS["chief"] - _MEANINGS["others"]:
            parts.discard("chief")  # "how long has the cough been there?" is about the cough
        return frozenset(parts)

    def _whole_parts(self, parts: frozenset[str]) -> list[Match]:
        """Return all entries of these parts but what was not done, in the order of `_ORDER`."""
        chosen = [
            entry
            for entry in self.entries
            if entry.category.value in parts and entry.status is not Status.NOT_DONE
        ]
        symptoms = [
            entry
            for entry in self.entries
            if entry.category is Category.SYMPTOM and entry.status is Status.PRESENT
        ]
        chief, others = symptoms[:1], symptoms[1 : 1 + _BEGINNING]
        if "chief" in parts:
            chosen += chief
        if "others" in parts:
            chosen += others
        unique = {entry.name: entry for entry in chosen}.values()
        in_order = sorted(unique, key=lambda entry: _ORDER.index(entry.status))
        return [Match(entry, _BROAD) for entry in in_order]


def _matches_by_name(matches: Sequence[Match], rows: Floats) -> list[Match]:
    """Return the entries whose whole name is most of the question: they are never missed."""
    whole_name = rows[:, COLUMNS.index("whole_name")]
    share_of_ask = rows[:, COLUMNS.index("ask_in_name")]
    shares = (whole_name * share_of_ask).tolist()
    pairs = zip(matches, shares, strict=True)
    return [match for match, share in pairs if reaches(share, _BY_NAME)]


def asks_about_another(question: str, language: Language, speaker: Speaker) -> bool:
    """Check whether the question is only about somebody else: "does your husband smoke?"."""
    return names_family(question, language) or about_another(question, language, speaker)
