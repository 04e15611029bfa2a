"""What speaks against an entry that lies near a question: talk, an aside, somebody else, another thing of its kind."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from osler.agents.lexicon.kinds import of_a_kind
from osler.agents.ram.evidence import shared_by
from osler.agents.ram.intent import Ask, Intent
from osler.agents.ram.layout import Floats, Layout
from osler.records.kin import names_patient, third_party
from osler.records.language import Language
from osler.records.schema import PatientRecord, Speaker

_TALK = ("none", "reassurance", "plan-consent", "paperwork", "comfort")
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
        self._kinds = [of_a_kind("\n".join((entry.name, *entry.aliases)), record.language) for entry in record.entries]
        """Of each entry."""

    def columns(self, intent: Intent, layout: Layout) -> Floats:
        """(columns, entries): another test, another place; only mentioned; what is asked; how much is talk; whose."""
        whole, *parts = intent.asks
        found = np.zeros((9, len(self._kinds)))
        if asked := of_a_kind(whole.text, self._language):
            for place, own in enumerate(self._kinds):
                for kind, things in asked.items():
                    if kind in own and not things & own[kind]:
                        found[int(kind == _PLACE), place] += 1.0
        if intent.asides:
            asking = _meant(parts[intent.asides :], layout)
            found[2], found[3] = np.maximum(0.0, _meant(intent.asks, layout) - asking), asking
        of_others = self._others.search(whole.text) is not None
        talks = (
            _talk(whole),
            max(map(_talk, parts), default=0.0),
            of_others,
            self._share_of_others(parts) if of_others and parts else 0.0,
            self._to_the_speaker(whole.text),
        )
        found[4:] = np.array(talks)[:, None]
        return found

    def _share_of_others(self, parts: list[Ask]) -> float:
        return sum(self._others.search(part.text) is not None for part in parts) / len(parts)

    def _to_the_speaker(self, question: str) -> bool:
        """Whether who answers for the patient may be asked about themselves: nobody else is in the question."""
        if self._speaker is Speaker.PATIENT:
            return False
        return _YOU[self._language].search(question) is not None and not self._patient.search(question)


def _talk(ask: Ask) -> float:
    return sum(ask.meant.get(name, 0.0) for name in _TALK)


def _meant(asks: Sequence[Ask], layout: Layout) -> Floats:
    """How clearly each entry is meant, by any of the asks."""
    shared, _ = shared_by([ask.meant for ask in asks], layout)
    best: Floats = shared.max(axis=0)
    return best
