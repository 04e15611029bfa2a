"""One record made searchable: how well each entry answers a question, as a probability, and which of them to bring."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from osler.agents.ram.apart import Apart
from osler.agents.ram.decision import decision
from osler.agents.ram.evidence import evidence
from osler.agents.ram.held import columns as held
from osler.agents.ram.intent import Intent, read_intent
from osler.agents.ram.layout import Columns, Floats, Layout, Narrow, laid
from osler.agents.ram.nearness import Nearness
from osler.agents.ram.plausible import implausible, less
from osler.agents.ram.speaks import OF_THE_CATEGORY, chief, is_text
from osler.agents.ram.whose import of_another, tells_of_others
from osler.language import Language
from osler.language.lexicon import concepts, named
from osler.language.lexicon.qualities import ALL_RESULTS, QUALITIES
from osler.language.words import content
from osler.ranking import ranked, reaches
from osler.records.schema import Category, Entry, PatientRecord, Status

_CLEAR = 0.999
_ONES: Columns = ([1.0], {})
_SURE = 0.9
_DOUBTED = 0.1
"""Probability below which all other evidence speaks against an entry whose name is in the question."""
_CLEARLY = 0.8
"""Probability from which one entry is asked for with little doubt, and a word for a whole part is just a word."""
_SAYS_SOMETHING = 3.0
"""Weight of words: `pain` alone says little, `temperature` something."""
_BEGINNING = 6
"""Statements of a story that a broad question brings."""
_BROAD = 0.5
_MAYBE_HEARD, _HEARD, _CLEARLY_HEARD = 0.15, 0.45, 0.6
"""Probabilities from which a question may mean a thing, is taken to mean it, and means one on a list although no entry
is chosen."""
_OF_THE_STORY = frozenset(
    {"chief-complaint", "onset-time", "onset-mode", "course", "constant-or-intermittent", "episode-duration-frequency"}
)
"""Asked without a name, these are about what the patient came with."""
_ASKS_HOW = QUALITIES | {"associated-symptoms", "chief-complaint"}
_LISTS = {kind: OF_THE_CATEGORY[kind] for kind in (Category.ALLERGY, Category.MEDICATION_HISTORY)}
"""What the entries are called that tell all of their kind."""
_ON_LISTS = _LISTS | {
    Category.MEDICATION_HISTORY: {
        *_LISTS[Category.MEDICATION_HISTORY],
        *("painkillers", "aspirin", "blood-thinners", "antibiotics", "steroids", "contraceptive-pill", "insulin"),
        *("herbal-remedies", "sildenafil", "diuretics", "inhalers"),
        *("antidepressants", "sleeping-tablets", "antihistamines", "acid-reducers", "cholesterol-tablets"),
        *("thyroid-tablets", "diabetes-tablets", "heart-tablets", "immunosuppressants", "hormone-replacement"),
        *("laxatives", "vitamins-supplements", "eye-drops", "skin-creams", "cough-cold-medicine"),
    },
}
"""What may be on them. Allergies first: who asks about an allergy to penicillin names a medicine too."""
_NO_MEDICINE = frozenset(
    {"recreational-drugs", "iron-ferritin", "vitamin-levels", "electrolytes", "magnesium-phosphate-calcium"}
)
"""Street drugs, and vitamins that were measured: a word for a medicine is in the question, but no medicine is meant."""
_RESULTS = frozenset({"test", "examination"})
_TELLING = (Status.PRESENT, Status.NORMAL, Status.ABSENT, Status.NOT_DONE)
_VITAL = re.compile(
    r"temperature|blood pressure|heart rate|pulse|respirat\w+ rate|saturation|体温|血压|心率|脉搏|呼吸|饱和",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(?:tak(?:es?|ing|en)|treated with|(?:is|currently|been) on|started on|prescribed|medications?|uses?|use of"
    r"|injects?)\b"
    r"|口服|服用|给予|予以|使用|应用|滴注|注射|吃药|用药",
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
    """The entries of one record, ready for questions."""

    def __init__(self, record: PatientRecord) -> None:
        """Lay the record out."""
        self.language = record.language
        self.entries = record.entries
        self._layout = Layout(record)
        self._nearness = Nearness(record, self._layout.lexicon.weight)
        self._apart = Apart(record)
        self._speaker = record.speaker
        self._chief = chief(record)
        self._is_text = is_text(record)
        self._never_meant = implausible(record) - self._layout.about.keys()
        self._listing = [entry for entry in record.entries if _is_list(entry, record.language)]
        self._telling = defaultdict[str, list[tuple[int, frozenset[str]]]](list)
        """The own names of entries that say something, as words, each to be found by one of these."""
        for place, name in enumerate(self._layout.own):
            if name and reaches(self._layout.said(name), _SAYS_SOMETHING):
                self._telling[min(name)].append((place, name))

    def search(self, question: str) -> list[Match]:
        """The entries the question asks for, best first; empty when the record says nothing about it.

        Equally good ones stand as they were chosen: in the record's order or, of a whole part, what was found before
        what was not.
        """
        intent = self._read(question)
        if intent.is_talk:
            return []
        scores = self._scores(question, intent)
        floor = decision(self.language, of_text=self._is_text).floor(scores)
        chosen = [Match(*both) for both in zip(self.entries, scores, strict=True) if reaches(both[1], floor)]
        chosen = self._in_breadth(chosen, intent)
        chosen += self._lists(intent, chosen)
        whole, *parts = (ask.text for ask in intent.asks)
        if of_another(whole, parts, self._speaker, self.language):
            chosen = [m for m in chosen if tells_of_others(m.entry, self.language)] or self._of_the_family(intent)
        return [chosen[place] for place in ranked([match.score for match in chosen], range(len(chosen)))]

    def _in_breadth(self, chosen: list[Match], intent: Intent) -> list[Match]:
        """What a question brings that asks for a whole part of the record; as chosen where it means one thing."""
        parts = frozenset[str]().union(*[ask.parts for ask in intent.asks])
        if "others" in parts or reaches(intent.asks[0].meant.get("associated-symptoms", 0.0), _CLEARLY_HEARD):
            # "Anything besides the cough?" does not ask for the cough again.
            others = [match for match in chosen if match.entry.name != self._chief]
            more = self._whole_parts(parts - {"chief"} | {"others"})
            return chosen if _is_clear(others) else _once([*others, *more])
        if intent.is_broad:
            # Who asks for the blood tests wants all of them, and not the blood pressure.
            return _once([*(match for match in chosen if _belongs(match.entry, parts)), *self._whole_parts(parts)])
        is_met = _is_clear(chosen) or any(_belongs(match.entry, parts) for match in chosen)
        if parts and not is_met and not _particular(intent, parts):
            return self._whole_parts(parts) or chosen
        if self._is_story(intent):
            # "For over a month now?" is not about the periods.
            told_by = [match for match in chosen if match.entry.category is Category.SYMPTOM]
            return told_by or [Match(entry, _BROAD) for entry in self.entries if entry.name == self._chief]
        return chosen

    def scores(self, question: str) -> Floats:
        """For every entry the probability that the question asks for it."""
        return np.array(self._scores(question, self._read(question)))

    def _scores(self, question: str, intent: Intent) -> list[float]:
        network = decision(self.language, of_text=self._is_text)
        probabilities: list[float] = network.probabilities(self._weighed(intent)).tolist()
        for place in self._surely(intent, question):
            if reaches(probabilities[place], _DOUBTED) and not reaches(probabilities[place], _SURE):
                probabilities[place] = _SURE
        return probabilities

    def _read(self, question: str) -> Intent:
        return less(read_intent(question, self.language), self._never_meant)

    def evidence(self, question: str) -> Floats:
        """(entries, columns): all that is known about each entry and the question."""
        intent = self._read(question)
        return self._weighed(intent)[:-1].T.astype(float)

    def _weighed(self, intent: Intent) -> Narrow:
        """(columns, entries), and a last column of ones, as the network takes them."""
        near = self._nearness.columns(intent.asks)
        parts: list[Columns] = [
            evidence(intent, self._layout),
            ([0.0] * len(near), {}),
            held(intent, self._layout),
            self._apart.columns(intent, self._layout),
            _ONES,
        ]
        rows = laid(parts, len(self.entries))
        start = len(parts[0][0])
        rows[start : start + len(near)] = near
        return rows

    def _surely(self, intent: Intent, question: str) -> list[int]:
        """Entries whose own name is in the question: little doubt about these.

        A name stands for something else where a drug is no medicine, and where all else speaks against it: who asks on
        how many pillows one sleeps does not ask for the sleep.
        """
        if _heard(intent) & _NO_MEDICINE:
            return []
        asked = frozenset(content(question, self.language))
        return [place for word in asked for place, name in self._telling.get(word, ()) if name <= asked]

    def _lists(self, intent: Intent, chosen: list[Match]) -> list[Match]:
        """Lists that answer whether one thing is on them, where nothing of their kind was chosen.

        Who asks for a blood thinner is answered by the list of medicines, whatever is on it: a patient's safety hangs
        on it. Who asks for the medicines is told each of them where no entry lists them.
        """
        heard = _heard(intent, _CLEARLY_HEARD)
        category = next((kind for kind, things in _ON_LISTS.items() if things & heard), None)
        if category is None or any(reaches(intent.asks[0].meant.get(name, 0.0), _HEARD) for name in ("none", "other")):
            return []
        of_kind = [match.entry for match in chosen if match.entry.category is category]
        listing = [entry for entry in self._listing if entry.category is category]
        if not listing and _heard(intent, _SURE) & _LISTS[category]:
            listing = [entry for entry in self.entries if entry.category is category]
        elif of_kind:
            return []
        return [Match(entry, _BROAD) for entry in listing if entry not in of_kind]

    def _of_the_family(self, intent: Intent) -> list[Match]:
        """What the record tells of the family, where their illnesses may be meant: it answers for each of them."""
        if not reaches(intent.asks[0].meant.get("family-illnesses", 0.0), _MAYBE_HEARD):
            return []
        return [Match(entry, _BROAD) for entry in self.entries if entry.category is Category.FAMILY_HISTORY]

    def _is_story(self, intent: Intent) -> bool:
        """Whether it is asked since when or how, of nothing by name."""
        if not intent.is_asking:
            # "Please sit down and take your time" does not ask.
            return False
        likely = sum([share for name, share in intent.asks[0].meant.items() if name in _OF_THE_STORY])
        return reaches(likely, _HEARD) and not self._named(intent) - _ASKS_HOW

    def _named(self, intent: Intent) -> set[str]:
        """What the question calls by name."""
        return _clear(named(self.language).find(intent.asks[0].text))

    def _whole_parts(self, parts: frozenset[str]) -> list[Match]:
        """What a broad question brings where it names nothing in particular: what was found before what was not."""
        present = [entry for entry in self.entries if entry.status is Status.PRESENT]
        symptoms = [entry for entry in present if entry.category is Category.SYMPTOM]
        fitting = [
            entry for entry in self.entries if entry.category.value in parts and entry.status is not Status.NOT_DONE
        ]
        if Category.MEDICATION_HISTORY.value in parts and not fitting:
            # A text tells of medicines where it tells of the illness.
            fitting = [entry for entry in present if _TAKES.search(entry.report)]
        if "chief" in parts:
            fitting += [entry for entry in symptoms if entry is symptoms[0] or _TIMES.search(entry.report)]
        if "others" in parts:
            fitting += symptoms[1:]
        unique = list({entry.name: entry for entry in fitting}.values())
        if self._is_text:
            # A story has a statement for every day of the illness: who asks how it goes is told the beginning of it.
            later = [entry for entry in unique if entry.category is Category.SYMPTOM][_BEGINNING:]
            unique = [entry for entry in unique if entry not in later]

        def telling(entry: Entry) -> tuple[int, bool]:
            return _TELLING.index(entry.status), _VITAL.search(entry.name) is not None

        return [Match(entry, _BROAD) for entry in sorted(unique, key=telling)]


def _belongs(entry: Entry, parts: frozenset[str]) -> bool:
    symptom = entry.category is Category.SYMPTOM and bool(parts & {"chief", "others"})
    return symptom or entry.category.value in parts


def _is_clear(chosen: list[Match]) -> bool:
    """Whether one entry is asked for with little doubt."""
    return any(reaches(match.score, _CLEARLY) for match in chosen)


def _once(chosen: list[Match]) -> list[Match]:
    """Every entry once, as it came first."""
    return list({match.entry.name: match for match in reversed(chosen)}.values())


def _heard(intent: Intent, least: float = _HEARD) -> set[str]:
    """What a question most likely means."""
    return {name for ask in intent.asks for name, share in ask.meant.items() if reaches(share, least)}


def _particular(intent: Intent, parts: frozenset[str]) -> bool:
    """Whether what sounds like a question for a whole part means one thing: "was your blood sugar tested?"."""
    heard = _heard(intent)
    return bool(heard & _NO_MEDICINE) or (parts <= _RESULTS and bool(heard) and not heard & ALL_RESULTS)


def _clear(shares: dict[str, float]) -> set[str]:
    return {name for name, share in shares.items() if reaches(share, _CLEAR)}


def _is_list(entry: Entry, language: Language) -> bool:
    """Whether an entry tells all of its kind: the regular medicines, and not the inhaler."""
    called = concepts(language)
    own, *others = (_clear(called.find(text)) for text in (entry.name, *entry.aliases))
    kind = _LISTS.get(entry.category, set())
    return bool(own.union(*others) & kind) and not own & (_ON_LISTS.get(entry.category, set()) - kind)
