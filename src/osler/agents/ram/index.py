"""One record made searchable: how well each entry answers an ask, as a probability."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from osler.agents.lexicon import concepts, related
from osler.agents.ram.decision import decision
from osler.agents.ram.intent import Ask, read_intent
from osler.records.language import Language
from osler.records.schema import Category, Entry, PatientRecord, Status
from osler.words import content

Floats = NDArray[np.float64]

FEATURES = (
    "name_covered",
    "ask_covered",
    "ask_in_text",
    "shared_concept",
    "concept_rank",
    "other_concept",
    "ngrams",
    "category",
    "name_in_ask",
    "ask_is_whole",
    "best_lexical",
    "best_concept",
    "name_says",
    "ask_unmet",
    "concept_alone",
    "concept_leads",
    "meant",
    "meant_rank",
    "meant_other",
    "meant_alone",
)
_AGAINST = [FEATURES.index(name) for name in ("other_concept", "ask_unmet", "meant_other", "ask_is_whole")]
_MEANT, _NAME, _TEXT = (FEATURES.index(name) for name in ("meant", "name_covered", "ask_in_text"))
_COVERED, _WHOLE = FEATURES.index("ask_covered"), FEATURES.index("ask_is_whole")


_CLEAR = 0.999
_MOSTLY = 0.75
_SURE = 0.9
_SAYS_SOMETHING, _SAYS_ENOUGH = 3.0, 8.0
"""Weights of words: `pain` alone says little, `temperature` something, `night sweats` enough."""
_FEW = 3
_NEAR = 0.7
_OF_THE_CHIEF = (
    *(
        "chief-complaint",
        "onset-time",
        "onset-mode",
        "course",
        "constant-or-intermittent",
        "episode-duration-frequency",
    ),
    *(
        "pain-location",
        "pain-character",
        "pain-severity",
        "aggravating-factors",
        "relieving-factors",
        "time-of-day-pattern",
    ),
)

# "Did your father have a gastric tumour?" asks for what runs in the family, whatever an entry there is called.
_OF_THE_CATEGORY = {
    Category.FAMILY_HISTORY: "family-illnesses",
    Category.SURGICAL_HISTORY: "operations",
    Category.MEDICATION_HISTORY: "medicines",
    Category.ALLERGY: "drug-allergy",
}

_BROAD = 0.5
_TELLING = (Status.PRESENT, Status.NORMAL, Status.ABSENT, Status.NOT_DONE)
_VITAL = re.compile(
    r"temperature|blood pressure|heart rate|pulse|respirat\w+ rate|saturation|体温|血压|心率|脉搏|呼吸|饱和",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?:hours?|days?|weeks?|months?|years?|sudden\w*|gradual\w*|worse\w*|better|improv\w*)\b"
    r"|小时|天|周|月|年|突然|逐渐|加重|缓解|减轻"
)


@dataclass(frozen=True)
class Match:
    """An entry that a question asks for."""

    entry: Entry
    score: float


class RecordIndex:
    """The entries of one record, laid out once as matrices so that a question is a few products."""

    def __init__(self, record: PatientRecord) -> None:
        """Lay out names, texts, concepts, categories and character grams of every entry."""
        self.language = record.language
        self.entries = record.entries
        self._lexicon = concepts(record.language)
        names = [name for entry in record.entries for name in (entry.name, *entry.aliases)]
        self._first = np.cumsum([0, *(1 + len(entry.aliases) for entry in record.entries)])[:-1]
        word_sets = [frozenset(content(name, self.language)) for name in names]
        text_sets = [frozenset(content(f"{entry.report} {entry.said}", self.language)) for entry in record.entries]
        self._words = _columns(word for found in (*word_sets, *text_sets) for word in found)
        self._weights = np.array([self._lexicon.weight(word) for word in self._words])
        names_by_word = _rows(word_sets, self._words)
        self._name_weights = names_by_word @ self._weights
        self._least_weights = np.maximum(self._name_weights, 1e-9)
        own = np.maximum.reduceat(names_by_word, self._first)
        # One row per word: what it does for every name, for every entry's names together, and for all an entry says.
        everything = np.maximum(own, _rows(text_sets, self._words))
        self._by_word = _by_column(np.concatenate([names_by_word, own, everything]))
        gram_sets = [_grams(name, self.language) for name in names]
        self._grams = _columns(gram for found in gram_sets for gram in found)
        self._name_grams = _by_column(_rows(gram_sets, self._grams))
        self._name_lengths = np.sqrt(np.maximum(self._name_grams.sum(axis=0), 1))
        known = entry_concepts(record)
        self._concepts = _columns(name for found in known for name in found)
        self._entry_concepts = np.zeros((len(self._concepts), len(known)))
        for place, found in enumerate(known):
            for name, share in found.items():
                self._entry_concepts[self._concepts[name], place] = share
        self._chief = _chief(record)
        self._own = [frozenset(content(entry.name, self.language)) for entry in record.entries]
        self._own_weights = np.array([sum(map(self._lexicon.weight, name)) for name in self._own])
        self._categories = [entry.category.value for entry in record.entries]

    def search(self, question: str) -> list[Match]:
        """The entries the question asks for, best first; empty when the record says nothing about it."""
        scores = self.scores(question)
        floor = decision(self.language).floor(scores)
        chosen = [
            Match(entry, float(score)) for entry, score in zip(self.entries, scores, strict=True) if score >= floor
        ]
        intent = read_intent(question, self.language)
        parts = frozenset(part for ask in intent.asks for part in ask.parts)
        if "others" in parts:
            # "Anything besides the cough?" does not ask for the cough again.
            chosen = [match for match in chosen if match.entry.name != self._chief] + self._whole_parts(parts)
            chosen = list({match.entry.name: match for match in reversed(chosen)}.values())
        elif intent.is_broad:
            # Who asks for the blood tests wants all of them, and not the blood pressure.
            chosen = [match for match in chosen if _belongs(match.entry, parts)]
            told = {match.entry.name for match in chosen}
            chosen += [match for match in self._whole_parts(parts) if match.entry.name not in told]
        elif parts and not any(_belongs(match.entry, parts) for match in chosen):
            chosen = self._whole_parts(parts) or chosen
        return sorted(chosen, key=lambda match: -match.score)

    def _whole_parts(self, parts: frozenset[str]) -> list[Match]:
        """What a broad question brings where it names nothing in particular: what was found before what was not."""
        present = [entry for entry in self.entries if entry.status is Status.PRESENT]
        symptoms = [entry for entry in present if entry.category is Category.SYMPTOM]
        fitting = [
            entry for entry in self.entries if entry.category.value in parts and entry.status is not Status.NOT_DONE
        ]
        if "chief" in parts:
            fitting += [entry for entry in symptoms if entry is symptoms[0] or _TIMES.search(entry.report)]
        if "others" in parts:
            fitting += symptoms[1:]
        unique = list({entry.name: entry for entry in fitting}.values())

        def telling(entry: Entry) -> tuple[int, bool]:
            return _TELLING.index(entry.status), _VITAL.search(entry.name) is not None

        return [Match(entry, _BROAD) for entry in sorted(unique, key=telling)]

    def scores(self, question: str) -> Floats:
        """For every entry the probability that the question asks for it."""
        features = self.features(question)
        probabilities = decision(self.language).probabilities(self._evidence(features, question))
        return np.where(self._surely(features, question), np.maximum(probabilities, _SURE), probabilities)

    def evidence(self, question: str) -> Floats:
        """(entries, columns): all that is known about each entry and the question."""
        return self._evidence(self.features(question), question)

    def _evidence(self, features: Floats, question: str) -> Floats:
        """The best of the asks for each entry, and beside it how the question stands to the whole record."""
        asks = read_intent(question, self.language).asks
        best = features.max(axis=0)
        best[:, _AGAINST] = features[:, :, _AGAINST].min(axis=0)
        meant = best[:, _MEANT]
        second, first = sorted([*meant.tolist(), 0.0])[-2:]
        whole = (
            first,
            second,
            max(max(ask.meant.values(), default=0.0) for ask in asks),
            max(ask.meant.get("none", 0.0) for ask in asks),
            max(ask.meant.get("other", 0.0) for ask in asks),
            max(len(ask.words) for ask in asks),
            len(asks),
            best[:, _NAME].max(initial=0.0),
            best[:, _TEXT].max(initial=0.0),
        )
        count = len(FEATURES)
        evidence = np.empty((len(best), count + 1 + len(whole)))
        evidence[:, :count], evidence[:, count], evidence[:, count + 1 :] = best, (meant >= first - 1e-9) * first, whole
        return evidence

    def _surely(self, features: Floats, question: str) -> NDArray[np.bool_]:
        """Entries whose own name is in the question, or that hold every word an ask has: no doubt about these."""
        asked = frozenset(content(question, self.language))
        named = [bool(name) and name <= asked for name in self._own]
        whole = np.zeros(len(self.entries), dtype=bool)
        for row, ask in zip(features, read_intent(question, self.language).asks, strict=True):
            if self._said(ask) >= _SAYS_ENOUGH and len(ask.words) > 1:
                covered = row[:, _COVERED] > _CLEAR
                whole |= covered & (covered.sum() <= _FEW)
        return np.array(named) & (self._own_weights >= _SAYS_SOMETHING) | whole

    def features(self, question: str) -> Floats:
        """(asks, entries, features): what the probability is made of, for all asks of the question at once."""
        asks = read_intent(question, self.language).asks
        names, last = len(self._name_weights), len(self._name_weights) + len(self.entries)
        total = np.array([[self._said(ask) or 1.0] for ask in asks])
        words, rows = _marked([ask.words for ask in asks], self._words)
        there = (words * self._weights[rows]) @ self._by_word[rows]
        covered = there[:, :names] / self._least_weights
        complete = (covered > 0.999) * self._name_weights
        name_covered = np.maximum.reduceat(covered, self._first, axis=1)
        met = there[:, last:]
        grams = [_grams(ask.text, self.language) for ask in asks]
        marks, rows = _marked(grams, self._grams)
        alike = marks @ self._name_grams[rows] / np.sqrt([[max(1, len(found))] for found in grams])
        shared, clearest = self._shared_concepts([ask.concepts for ask in asks])
        meant, surest = self._shared_concepts([ask.meant for ask in asks])
        best_name, best_shared, best_meant = _best(name_covered), _best(shared), _best(meant)
        # Where no name of any entry is in the ask, the concept has to speak alone.
        alone = 1.0 - best_name
        columns = {
            "name_covered": name_covered,
            "ask_covered": there[:, names:last] / total,
            "ask_in_text": met / total,
            "shared_concept": shared,
            "concept_rank": shared / np.where(clearest > 0.0, clearest, 1.0),
            "other_concept": np.maximum(0.0, clearest - shared),
            "ngrams": np.maximum.reduceat(alike / self._name_lengths, self._first, axis=1),
            "category": [[ask.categories.get(name, 0.0) for name in self._categories] for ask in asks],
            "name_in_ask": name_covered > 0.999,
            "ask_is_whole": self._is_whole(len(asks)),
            "best_lexical": (name_covered >= best_name - 1e-9) * name_covered,
            "best_concept": (shared >= best_shared - 1e-9) * shared,
            "name_says": np.minimum(np.maximum.reduceat(complete, self._first, axis=1), 12.0) / 12.0,
            "ask_unmet": np.minimum(total - met, 20.0) / 20.0,
            "concept_alone": shared * alone,
            "concept_leads": (shared >= clearest - 1e-9) * shared * alone,
            "meant": meant,
            "meant_rank": meant / np.maximum(best_meant, 1e-9),
            "meant_other": np.maximum(0.0, surest - meant),
            "meant_alone": np.sqrt(meant) * alone,
        }
        return np.array([columns[name] for name in FEATURES]).transpose(1, 2, 0)

    def _is_whole(self, asks: int) -> Floats:
        """1 for the first of several asks, which is the question itself."""
        whole = np.zeros((asks, len(self.entries)))
        whole[0] = asks > 1
        return whole

    def _said(self, ask: Ask) -> float:
        """How much the words of an ask say."""
        return sum(map(self._lexicon.weight, ask.words))

    def _shared_concepts(self, asks: list[dict[str, float]]) -> tuple[Floats, Floats]:
        """How strongly each entry shares a concept with what was asked, and how clear the clearest of these is."""
        known = [name for name in dict.fromkeys(name for asked in asks for name in asked) if name in self._concepts]
        scores = np.array([[asked.get(name, 0.0) for name in known] for asked in asks])
        rows = self._entry_concepts[[self._concepts[name] for name in known]]
        shared: Floats = (scores[:, :, None] * rows).max(axis=1, initial=0.0)
        return shared, np.array([[max(asked.values(), default=0.0)] for asked in asks])


def _best(values: Floats) -> Floats:
    """The largest value of each ask, as a column; 0 where there is none."""
    best: Floats = values.max(axis=1, initial=0.0, keepdims=True)
    return best


def _belongs(entry: Entry, parts: frozenset[str]) -> bool:
    symptom = entry.category is Category.SYMPTOM and bool(parts & {"chief", "others"})
    return symptom or entry.category.value in parts


def _columns(things: Iterable[str]) -> dict[str, int]:
    return {thing: place for place, thing in enumerate(dict.fromkeys(things))}


def _rows(sets: list[frozenset[str]], columns: dict[str, int]) -> Floats:
    rows = np.zeros((len(sets), len(columns)))
    for place, found in enumerate(sets):
        rows[place, [columns[thing] for thing in found]] = 1.0
    return rows


def _marked(sets: list[frozenset[str]], columns: dict[str, int]) -> tuple[Floats, list[int]]:
    """Which of the known things that are in any of the sets each set holds, and where these things are."""
    known = [thing for thing in frozenset[str]().union(*sets) if thing in columns]
    marks = np.array([[thing in found for thing in known] for found in sets], dtype=float)
    return marks, [columns[thing] for thing in known]


def _by_column(rows: Floats) -> Floats:
    """The same matrix with what were its columns as rows, each in one piece."""
    return np.ascontiguousarray(rows.T)


def _chief(record: PatientRecord) -> str:
    """The name of the symptom that brings the patient: the first that is there."""
    symptoms = (e.name for e in record.entries if e.category is Category.SYMPTOM and e.status is Status.PRESENT)
    return next(symptoms, "")


def entry_concepts(record: PatientRecord) -> list[dict[str, float]]:
    """For each entry the concepts its names mean and those near them; for the chief symptom what is asked about any."""
    chief = _chief(record)
    known = []
    for entry in record.entries:
        own = _named_concepts(entry, record.language)
        found = dict.fromkeys((other for concept in own for other in related().get(concept, ())), _NEAR)
        if entry.name == chief:
            # "When did it start?" asks for the chief symptom, whose report tells.
            found |= dict.fromkeys(_OF_THE_CHIEF, _NEAR)
        known.append(found | dict.fromkeys(own, 1.0))
    return known


def _named_concepts(entry: Entry, language: Language) -> set[str]:
    """What an entry's name speaks of, what its other names are about, and what its category stands for.

    An alias is only about what is most of it: "pain on a deep breath" is not about breathlessness.
    """
    index = concepts(language)
    own = {concept for concept, share in index.find(entry.name).items() if share >= _CLEAR}
    for alias in entry.aliases:
        whole = {concept for concept, share in index.find(alias).items() if share >= _CLEAR}
        own |= {concept for concept, share in index.best(alias).items() if concept in whole and share >= _MOSTLY}
    return own | ({_OF_THE_CATEGORY[entry.category]} if entry.category in _OF_THE_CATEGORY else set())


def _grams(text: str, language: Language) -> frozenset[str]:
    """Character grams of the content words: what spelling variants and Chinese compounds share."""
    joined = content(text, language)
    if language is Language.ZH:
        level = "".join(joined)
        return frozenset(level[i : i + 2] for i in range(len(level) - 1)) | frozenset(level)
    return frozenset(f"^{word}$"[i : i + 4] for word in joined for i in range(max(1, len(word) - 1)))
