"""What speaks against an entry that lies near a question: talk, an aside, somebody else, another thing of its kind."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from osler.agents.ram.evidence import highest, shared_by
from osler.agents.ram.intent import Ask, Intent
from osler.agents.ram.layout import Columns, Layout, Places
from osler.language import Language, Speaker
from osler.language.lexicon.kinds import of_a_kind
from osler.language.relatives import names_patient, third_party
from osler.records.schema import PatientRecord

_TALK = frozenset({"none", "reassurance", "plan-consent", "paperwork", "comfort"})
"""Heard where the doctor greets, calms, plans, sees to one's comfort or writes something down."""
_PLACE = "place"
_YOU = {Language.EN: re.compile(r"\byou(?:rself)?\b", re.IGNORECASE), Language.ZH: re.compile("[您你]")}


class Apart:
    """What the entries of one record are of their kinds, and who else may be spoken of."""

    def __init__(self, record: PatientRecord) -> None:
        """Read every name."""
        self._language, self._speaker = record.language, record.speaker
        self._others = third_party(record.speaker, record.language)
        self._patient = names_patient(record.speaker, record.language)
        self._kinds = defaultdict[str, list[tuple[int, set[int]]]](list)
        """For each kind the entries that are things of it, and which."""
        for place, entry in enumerate(record.entries):
            for kind, things in of_a_kind("\n".join((entry.name, *entry.aliases)), record.language).items():
                self._kinds[kind].append((place, things))

    def columns(self, intent: Intent, layout: Layout) -> Columns:
        """Another test, another place; only mentioned; what is asked; how much is talk; whose."""
        whole, *parts = intent.asks
        mentioned: Places = {}
        asking: Places = {}
        if intent.asides:
            asking = _meant(parts[intent.asides :], layout)
            everything = _meant(intent.asks, layout)
            mentioned = {place: max(0.0, share - asking.get(place, 0.0)) for place, share in everything.items()}
        of_others = self._others.search(whole.text) is not None
        talks = (
            _talk(whole),
            max(map(_talk, parts), default=0.0),
            float(of_others),
            self._share_of_others(parts) if of_others and parts else 0.0,
            float(self._to_the_speaker(whole.text)),
        )
        thing, place = self._other_things(whole.text)
        return [0.0, 0.0, 0.0, 0.0, *talks], {0: thing, 1: place, 2: mentioned, 3: asking}

    def _other_things(self, question: str) -> tuple[Places, Places]:
        """Entries that are another thing of a kind than what is asked, in how many ways; and those of another place."""
        thing: Places = {}
        place: Places = {}
        for kind, asked in of_a_kind(question, self._language).items():
            found = place if kind == _PLACE else thing
            for entry, own in self._kinds.get(kind, ()):
                if asked.isdisjoint(own):
                    found[entry] = found.get(entry, 0.0) + 1.0
        return thing, place

    def _share_of_others(self, parts: list[Ask]) -> float:
        return sum(self._others.search(part.text) is not None for part in parts) / len(parts)

    def _to_the_speaker(self, question: str) -> bool:
        """Whether who answers for the patient may be asked about themselves: nobody else is in the question."""
        if self._speaker is Speaker.PATIENT:
            return False
        return _YOU[self._language].search(question) is not None and not self._patient.search(question)


def _talk(ask: Ask) -> float:
    return sum([share for name, share in ask.meant.items() if name in _TALK])


def _meant(asks: Sequence[Ask], layout: Layout) -> Places:
    """How clearly each entry is meant, by any of the asks."""
    return highest([shared_by(ask.meant, layout) for ask in asks])
