"""Probes of a memory, made from what the patient really disclosed in a consultation.

The true answer of a probe is the record's entry as far as it was disclosed: the reply says which of its numbers were.
What was never touched on makes probes, too: their true answer is that it is not known. Each is asked in three wordings,
which depend on the kind of thing asked for and never on the true answer. What was told is asked for at earlier turns,
too, for the agreement of the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

from osler.eval.probes.claims import Signed, signed, times, unsigned, with_sign
from osler.eval.vocabulary import cue, read
from osler.language import Language
from osler.language.words import content, numbers, sentences
from osler.prompts import phrases
from osler.ranking import best, reaches
from osler.records.schema import Category, Entry, PatientRecord, Status
from osler.runs.events import Answered, Asked, Retrieved
from osler.runs.transcript import Transcript
from osler.seeds import derive

_UNTOLD_SHARE = 1 / 3
"""Probes for things never told, as a share of those for things told."""
_TOUCHED = 0.5
"""Share of a name's words in something said from which the thing was touched on."""


class ProbeQuestion(StrEnum):
    """What kind of answer a probe wants."""

    WHETHER = "whether"  # it was there
    FINDING = "finding"  # at the bedside
    RESULT = "result"  # of a test
    HISTORY = "history"  # what is known about it
    WHEN = "when"  # since when, or how long ago


_WORDINGS = 3
_ASKS = {
    Category.SYMPTOM: ProbeQuestion.WHETHER,
    Category.SIGN: ProbeQuestion.FINDING,
    Category.TEST: ProbeQuestion.RESULT,
    Category.EXAMINATION: ProbeQuestion.RESULT,
    Category.PREOPERATIVE_TEST: ProbeQuestion.RESULT,
}


@dataclass(frozen=True)
class Gold:
    """The true answer to a probe."""

    status: Status | None
    """None if it is not known."""
    versions: tuple[Signed, ...] = ()
    """What there is to say about it, as the record and the patient word it; any of them will do."""
    numbers: frozenset[str] = frozenset()
    """Numbers of the report that the patient said."""
    time: frozenset[tuple[str, str]] = frozenset()
    """For a probe that asks since when."""
    vocabulary: frozenset[str] = frozenset()
    """Every word for it that anybody used, its other names included."""


@dataclass(frozen=True)
class MemoryProbe:
    """A question to a memory, in several wordings, and its true answer."""

    thing: str
    """The name of the entry."""
    asks: ProbeQuestion
    wordings: tuple[str, ...]
    gold: Gold
    turn: int | None
    """The last turn that disclosed it; None if none did."""

    @classmethod
    def of(cls, thing: str, asks: ProbeQuestion, gold: Gold, turn: int | None, language: Language) -> Self:
        """The probe with its wordings."""
        lines, first = phrases("probe_questions", language), thing.split()[0]
        # `Chest X-ray` becomes `chest X-ray` within a sentence; `MRCP` and `Murphy's sign` stay.
        is_plain = language is Language.EN and first[1:].islower() and "'" not in first
        named = thing[0].lower() + thing[1:] if is_plain else thing
        wordings = tuple(lines[f"{asks}_{number}"].format(thing=named) for number in range(1, _WORDINGS + 1))
        return cls(thing, asks, wordings, gold, turn)

    def asked_at(self, last: int) -> Iterator[tuple[int, str]]:
        """When it is asked before the end, as far as it is known then: after the turn that told it, and again later.

        Again means 1, 2, 4, 8 … turns later; a turn comes with the wording to use then.
        """
        if self.turn is None:
            return
        for place in range(last):
            turn = self.turn + (2**place >> 1)
            if turn >= last:
                return
            yield turn, self.wordings[place % len(self.wordings)]

    @property
    def kind(self) -> str:
        """What it tests: `when`, or the status of what was disclosed, or `not known`."""
        if self.gold.status is None:
            return "not known"
        return self.asks.value if self.asks is ProbeQuestion.WHEN else self.gold.status.value.replace("_", " ")


def probes_of(transcript: Transcript, record: PatientRecord) -> list[MemoryProbe]:
    """Return every probe of a consultation, in the order of its turns; those for what is not known come last."""
    told = _told(transcript, record)
    known = [probe for name, heard in told.items() for probe in _of_entry(record.entry(name), heard, record.language)]
    known.sort(key=lambda probe: probe.turn or 0)
    return [*known, *_not_known(transcript, record, max(1, round(len(known) * _UNTOLD_SHARE)))]


class _Heard(NamedTuple):
    """The last time an entry was disclosed: all of the reply, and the sentences of it about this entry."""

    turn: int
    question: str
    reply: str
    own: str


def _told(transcript: Transcript, record: PatientRecord) -> dict[str, _Heard]:
    """For each disclosed entry, return the last time: what was said again is as fresh as that."""
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
    """Return the sentences of a reply that are about one entry, if it discloses several."""
    if len(entries) == 1:
        return reply

    def told_by(sentence: str) -> Entry:
        words = unsigned(sentence, language)
        shares = [len(words & _words_of(one, language)) / (len(words) or 1) for one in entries]
        return entries[best(shares, range(len(entries)))]

    return " ".join(sentence for sentence in sentences(reply, language) if told_by(sentence) is entry)


def _words_of(entry: Entry, language: Language) -> frozenset[str]:
    return unsigned(" ".join((entry.name, *entry.aliases, entry.report, entry.said, entry.when or "")), language)


def _asks_for(entry: Entry, language: Language) -> ProbeQuestion:
    """Return what one asks of such a thing; nobody asks whether there was an onset."""
    asks, name = _ASKS.get(entry.category, ProbeQuestion.HISTORY), entry.name
    details = read("probe_cues")["details"][language]
    if language is Language.EN:
        is_detail = bool(set(content(details, language)) & set(content(name, language)))
    else:
        is_detail = any(word in name for word in details.split())
    return ProbeQuestion.HISTORY if asks is ProbeQuestion.WHETHER and is_detail else asks


def _of_entry(entry: Entry, heard: _Heard, language: Language) -> Iterator[MemoryProbe]:
    asks = _asks_for(entry, language)
    versions = [signed(text, language) for text in (heard.own, entry.said, entry.report)]
    if asks is ProbeQuestion.WHETHER:
        versions.append(with_sign(unsigned(entry.name, language), entry.status is Status.PRESENT))
    vocabulary = _words_of(entry, language) | unsigned(f"{heard.own} {heard.question}", language)
    gold = Gold(
        status=entry.status,
        versions=tuple(version for version in versions if version),
        numbers=frozenset(numbers(entry.report)) & frozenset(numbers(heard.reply)),
        vocabulary=vocabulary,
    )
    if gold.versions or gold.numbers or gold.status is Status.NOT_DONE:
        yield MemoryProbe.of(entry.name, asks, gold, heard.turn, language)
    time = _since(entry, language) & times(heard.reply)
    if time:
        when = Gold(entry.status, gold.versions, time=time, vocabulary=vocabulary)
        yield MemoryProbe.of(entry.name, ProbeQuestion.WHEN, when, heard.turn, language)


def _since(entry: Entry, language: Language) -> frozenset[tuple[str, str]]:
    """Return since when an entry has been present, if the record names exactly one time."""
    report = times(entry.report)
    if entry.status is not Status.PRESENT or len(report | times(entry.when or "")) != 1:
        return frozenset()
    if entry.when:
        return times(entry.when)
    return report if cue("probe_cues", "since", language).search(entry.report) else frozenset()


def _not_known(transcript: Transcript, record: PatientRecord, most: int) -> list[MemoryProbe]:
    """Probes for entries that nothing in the consultation touched on, drawn by the consultation's seed."""
    language = record.language
    retrieved = {found.name for event in transcript.of(Retrieved) for found in event.entries}
    asked = [event.question for event in transcript.of(Asked)]
    turns = transcript.exchanges.values()
    said = [record.complaint, *asked, *(text for turn in turns for text in (turn.reply, turn.results) if text)]
    parts = [sentence for text in said for sentence in sentences(text, language)]
    untold = [
        entry
        for entry in record.entries
        if entry.name not in retrieved and not any(_touches(part, entry, language) for part in parts)
    ]
    untold.sort(key=lambda entry: derive(transcript.header.seed, record.id, 1, entry.name))
    found = []
    for entry in untold[:most]:
        gold = Gold(None, vocabulary=_words_of(entry, language))
        found.append(MemoryProbe.of(entry.name, _asks_for(entry, language), gold, None, language))
    return found


def _touches(sentence: str, entry: Entry, language: Language) -> bool:
    """Check whether something that was said may have been about an entry."""
    words = unsigned(sentence, language)
    own = (unsigned(name, language) for name in (entry.name, *entry.aliases))
    return any(reaches(len(name & words), _TOUCHED * len(name)) for name in own if name)
