"""Probes of a memory, made from what the patient really disclosed in a consultation.

The truth of a probe is the record's entry as far as it was told: the reply that disclosed it says which of its numbers
were. What was never touched on makes probes, too: their truth is that it is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from osler.eval.probes.questions import Asks, asks_for, wordings
from osler.eval.probes.signed_words import Signed, signed, times, unsigned, with_sign
from osler.language import Language
from osler.language.words import numbers, sentences
from osler.ranking import best, reaches
from osler.records.schema import Entry, PatientRecord, Status
from osler.runs.events import Answered, Asked, Retrieved
from osler.runs.transcript import Transcript
from osler.seeds import derive

_UNTOLD_SHARE = 1 / 3
"""Probes for things never told, as a share of those for things told."""
_TOUCHED = 0.5
"""Share of a name's words in something said from which the thing was touched on."""
_SINCE = {
    Language.EN: re.compile(r"\bfor (?:about |the past |the last )?\d|\d+ \w+ ago\b|\bsince \d"),
    Language.ZH: re.compile(r"\d+\s*(?:个?小时|天|日|周|个?星期|个?月|年)(?!内|后|龄|一)"),
}
"""What in a report says since when, and not how often or how soon after."""


@dataclass(frozen=True)
class Gold:
    """What is true of the thing a probe asks for."""

    status: Status | None
    """None: nobody knows."""
    versions: tuple[Signed, ...] = ()
    """What there is to say of it, as the record and the patient word it; any of them will do."""
    numbers: frozenset[str] = frozenset()
    """Of the report, as far as the patient said them."""
    time: frozenset[tuple[str, str]] = frozenset()
    """For a probe that asks since when."""
    vocabulary: frozenset[str] = frozenset()
    """Every word for it that anybody used, its other names included."""


@dataclass(frozen=True)
class Probe:
    """A question to a memory, in several wordings, and the truth."""

    thing: str
    """The name of the entry."""
    asks: Asks
    wordings: tuple[str, ...]
    gold: Gold
    turn: int | None
    """The last turn that told it; None: none did."""

    @property
    def kind(self) -> str:
        """What it tries: `when`, or the status of what was told, or `not known`."""
        if self.gold.status is None:
            return "not known"
        return self.asks.value if self.asks is Asks.WHEN else self.gold.status.value.replace("_", " ")


def probes_of(transcript: Transcript, record: PatientRecord) -> list[Probe]:
    """Every probe that a consultation gives, in the order of its turns; those for what is not known come last."""
    told = _told(transcript, record)
    known = [probe for name, heard in told.items() for probe in _of_entry(record.entry(name), heard, record.language)]
    known.sort(key=lambda probe: probe.turn or 0)
    return [*known, *_not_known(transcript, record, max(1, round(len(known) * _UNTOLD_SHARE)))]


@dataclass(frozen=True)
class _Heard:
    """The last telling of an entry."""

    turn: int
    question: str
    reply: str
    """All of the reply, and of it the sentences that tell this entry."""
    own: str


def _told(transcript: Transcript, record: PatientRecord) -> dict[str, _Heard]:
    """For each entry that was disclosed its last telling: what was said again is as fresh as that."""
    questions = {event.turn: event.question for event in transcript.of(Asked)}
    names = {entry.name for entry in record.entries}
    told: dict[str, _Heard] = {}
    for event in transcript.of(Answered):
        entries = [record.entry(name) for name in event.disclosed if name in names]
        for entry in entries:
            own = _own_sentences(event.reply, entry, entries, record.language)
            told[entry.name] = _Heard(event.turn, questions.get(event.turn, ""), event.reply, own)
    return told


def _own_sentences(reply: str, entry: Entry, entries: list[Entry], language: Language) -> str:
    """The sentences of a reply that tell one entry, where it tells several."""
    if len(entries) == 1:
        return reply

    def nearness(sentence: str, one: Entry) -> float:
        words = unsigned(sentence, language)
        return len(words & _words_of(one, language)) / (len(words) or 1)

    order = range(len(entries))
    own = [
        sentence
        for sentence in sentences(reply, language)
        if entries[best([nearness(sentence, one) for one in entries], order)] is entry
    ]
    return " ".join(own)


def _words_of(entry: Entry, language: Language) -> frozenset[str]:
    return unsigned(" ".join((entry.name, *entry.aliases, entry.report, entry.said, entry.when or "")), language)


def _of_entry(entry: Entry, heard: _Heard, language: Language) -> Iterator[Probe]:
    asks = asks_for(entry.category, entry.name, language)
    versions = [signed(text, language) for text in (heard.own, entry.said, entry.report)]
    if asks is Asks.WHETHER:
        versions.append(with_sign(unsigned(entry.name, language), entry.status is Status.PRESENT))
    vocabulary = _words_of(entry, language) | unsigned(f"{heard.own} {heard.question}", language)
    gold = Gold(
        status=entry.status,
        versions=tuple(version for version in versions if version),
        numbers=frozenset(numbers(entry.report)) & frozenset(numbers(heard.reply)),
        vocabulary=vocabulary,
    )
    if gold.versions or gold.numbers or gold.status is Status.NOT_DONE:
        yield Probe(entry.name, asks, wordings(asks, entry.name, language), gold, heard.turn)
    time = _since(entry, language) & times(heard.reply)
    if time:
        when = Gold(entry.status, gold.versions, time=time, vocabulary=vocabulary)
        yield Probe(entry.name, Asks.WHEN, wordings(Asks.WHEN, entry.name, language), when, heard.turn)


def _since(entry: Entry, language: Language) -> frozenset[tuple[str, str]]:
    """Since when an entry has been, where the record names one time and no other."""
    report = times(entry.report)
    if entry.status is not Status.PRESENT or len(report | times(entry.when or "")) != 1:
        return frozenset()
    if entry.when:
        return times(entry.when)
    return report if _SINCE[language].search(entry.report) else frozenset()


def _not_known(transcript: Transcript, record: PatientRecord, most: int) -> list[Probe]:
    """Probes for entries that nothing in the consultation touched on, drawn by the consultation's seed."""
    language = record.language
    retrieved = {found.name for event in transcript.of(Retrieved) for found in event.entries}
    asked = [event.question for event in transcript.of(Asked)]
    said = [record.complaint, *asked, *(event.reply for event in transcript.of(Answered))]
    parts = [sentence for text in said for sentence in sentences(text, language)]
    untold = [
        entry
        for entry in record.entries
        if entry.name not in retrieved and not any(_touches(part, entry, language) for part in parts)
    ]
    untold.sort(key=lambda entry: derive(transcript.header.seed, record.id, 1, entry.name))
    for_each = ((entry, asks_for(entry.category, entry.name, language)) for entry in untold[:most])
    return [
        Probe(
            entry.name,
            asks,
            wordings(asks, entry.name, language),
            Gold(None, vocabulary=_words_of(entry, language)),
            None,
        )
        for entry, asks in for_each
    ]


def _touches(sentence: str, entry: Entry, language: Language) -> bool:
    """Whether something that was said may have been about an entry."""
    words = unsigned(sentence, language)
    own = (unsigned(name, language) for name in (entry.name, *entry.aliases))
    return any(reaches(len(name & words), _TOUCHED * len(name)) for name in own if name)
