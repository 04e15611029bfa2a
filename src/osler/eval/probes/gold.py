"""Probes of a memory, made from what the patient really disclosed in a consultation.

The truth of a probe is the record's status of an entry, and what the patient said of it. Some of
what was never disclosed makes probes, too: the right answer is that it is not known. Each is asked
in three wordings, which depend on the kind of thing asked for and never on the truth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from osler.eval.reader.memory_answers import Agreement, AnswerForm, AskedTruth, Says, exact_forms
from osler.language import Language
from osler.language.words import plain
from osler.prompts import phrases
from osler.records.schema import Category, Entry, PatientRecord, Status
from osler.runs.transcript import Transcript
from osler.runs.turns import TurnView
from osler.seeds import derive

_UNTOLD_SHARE = 1 / 3
"""Probes for things never told, as a share of those for things told."""
_WORDINGS = 3


class ProbeQuestion(StrEnum):
    """What kind of answer a probe wants."""

    WHETHER = "whether"  # it was there
    FINDING = "finding"  # at the bedside
    RESULT = "result"  # of a test
    HISTORY = "history"  # what is known about it
    WHEN = "when"  # how long ago


_ASKS = {
    Category.SYMPTOM: ProbeQuestion.WHETHER,
    Category.SIGN: ProbeQuestion.FINDING,
    Category.TEST: ProbeQuestion.RESULT,
    Category.EXAMINATION: ProbeQuestion.RESULT,
    Category.PREOPERATIVE_TEST: ProbeQuestion.RESULT,
}
_DONE = frozenset({Status.PRESENT, Status.NORMAL})


@dataclass(frozen=True)
class MemoryProbe:
    """A question to a memory, in several wordings, and what is true."""

    thing: str
    """The name of the entry."""
    asks: ProbeQuestion
    wordings: tuple[str, ...]
    status: Status | None
    """None if it was never told: the right answer is that it is not known."""
    truth: str
    """For a reader: what is so, as the patient said it."""
    exact: dict[str, AnswerForm]
    """What answers say that are exactly equal to these."""
    turns: frozenset[int] = frozenset()
    """The turns that disclosed it; empty if none did."""

    @property
    def last_told(self) -> int | None:
        """The last turn that disclosed it."""
        return max(self.turns, default=None)

    @property
    def kind(self) -> str:
        """What it tests: `when`, or the status of what was disclosed, or `not known`."""
        if self.status is None:
            return "not known"
        return (
            self.asks.value
            if self.asks is ProbeQuestion.WHEN
            else self.status.value.replace("_", " ")
        )

    def asked(self, wording: str) -> AskedTruth:
        """The question and the truth, for whoever reads an answer to it."""
        return AskedTruth(wording, self.truth, exact=self.exact)

    def asked_at(self, last: int) -> Iterator[tuple[int, str]]:
        """When it is asked before the end, as far as it is known then.

        After the turn that told it, and again later.

        Again means 1, 2, 4, 8 … turns later; a turn comes with the wording to use then.
        """
        if self.last_told is None:
            return
        for place in range(last):
            turn = self.last_told + (2**place >> 1)
            if turn >= last:
                return
            yield turn, self.wordings[place % len(self.wordings)]


def probes_of(transcript: Transcript, record: PatientRecord) -> list[MemoryProbe]:
    """Return every probe of a consultation, in the order of its turns.

    Those for what is not known come last.
    """
    names = {entry.name for entry in record.entries}
    told: dict[str, list[TurnView]] = defaultdict(list)
    for turn in transcript.turn_views:
        for name in turn.disclosed:
            if name in names:
                told[name].append(turn)
    known = [
        probe
        for name, turns in told.items()
        for probe in _of_entry(record.entry(name), turns, transcript.header.language)
    ]
    known.sort(key=lambda probe: probe.last_told or 0)
    return [*known, *_not_known(transcript, record, max(1, round(len(known) * _UNTOLD_SHARE)))]


def _of_entry(entry: Entry, turns: list[TurnView], language: Language) -> Iterator[MemoryProbe]:
    """A probe for an entry, as it was told last, and one for its time.

    The second only if a reply told the time in the record's words.
    """
    said = " ".join(filter(None, (turns[-1].reply, turns[-1].results)))
    numbers = frozenset(turn.number for turn in turns)
    truth = phrases("read_memory_lines", language)[entry.status.value].format(told=said)
    yield _probe(entry, _asks_for(entry), language, entry.status, truth, numbers)
    told_at = frozenset(
        turn.number for turn in turns if entry.when and plain(entry.when) in plain(turn.reply or "")
    )
    if entry.status in _DONE and told_at:
        truth = phrases("read_memory_lines", language)["when"].format(
            thing=entry.name, told=entry.when
        )
        yield _probe(entry, ProbeQuestion.WHEN, language, entry.status, truth, told_at)


def _probe(
    entry: Entry,
    asks: ProbeQuestion,
    language: Language,
    status: Status | None,
    truth: str,
    turns: frozenset[int] = frozenset(),
) -> MemoryProbe:
    lines, first = phrases("probe_questions", language), entry.name.split()[0]
    # `Chest X-ray` becomes `chest X-ray` within a sentence; `MRCP` and `Murphy's sign` stay.
    is_plain = language is Language.EN and first[1:].islower() and "'" not in first
    named = entry.name[0].lower() + entry.name[1:] if is_plain else entry.name
    wordings = tuple(
        lines[f"{asks}_{number}"].format(thing=named) for number in range(1, _WORDINGS + 1)
    )
    return MemoryProbe(
        entry.name, asks, wordings, status, truth, _exact(entry, asks, language), turns
    )


def _exact(entry: Entry, asks: ProbeQuestion, language: Language) -> dict[str, AnswerForm]:
    """What answers say that are a bare yes or no, or the record's own words and nothing else."""
    if asks is ProbeQuestion.WHEN:
        return exact_forms(Says.TELLS, Agreement.ALL, [entry.when or ""])
    if asks is not ProbeQuestion.WHETHER:
        says = Says.NOT_DONE if entry.status is Status.NOT_DONE else Says.TELLS
        return exact_forms(
            says, Agreement.ALL, [text for text in (entry.report, entry.said) if text]
        )
    lines = phrases("read_memory_lines", language)
    yes = exact_forms(Says.TELLS, Agreement.PART, lines["yes"].split("|"))
    return yes | exact_forms(Says.DENIES, Agreement.PART, lines["no"].split("|"))


def _asks_for(entry: Entry) -> ProbeQuestion:
    return _ASKS.get(entry.category, ProbeQuestion.HISTORY)


def _not_known(transcript: Transcript, record: PatientRecord, most: int) -> list[MemoryProbe]:
    """Probes for entries that the consultation did not touch on, drawn by the consultation's seed.

    Neither was the patient handed them, nor does their name stand in anything that was said. The
    opening complaint tells symptoms in words of its own, so symptoms are not among them.
    """
    handed = set(record.told_earlier)
    said = [record.complaint]
    for turn in transcript.turn_views:
        handed.update(turn.retrieved_names, turn.disclosed)
        said.append(turn.question)
        if turn.reply is not None:
            said += [turn.reply, turn.results]
    whole = plain("\n".join(said))
    untold = [
        entry
        for entry in record.entries
        if entry.category is not Category.SYMPTOM
        and entry.name not in handed
        and not any(plain(name) in whole for name in (entry.name, *entry.aliases))
    ]
    untold.sort(key=lambda entry: derive(transcript.header.seed, record.id, 1, entry.name))
    truth = phrases("read_memory_lines", record.language)["unknown"]
    return [
        _probe(entry, _asks_for(entry), record.language, None, truth) for entry in untold[:most]
    ]
