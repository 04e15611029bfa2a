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
"""Wordings of a probe."""


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
        if self.asks is ProbeQuestion.WHEN:
            return self.asks.value
        return self.status.value.replace("_", " ")

    def asked(self, wording: str) -> AskedTruth:
        """The question and the truth, for whoever reads an answer to it."""
        return AskedTruth(wording, self.truth, exact=self.exact)

    def asked_at(self, last: int) -> Iterator[tuple[int, str]]:
        """The turns after which it is asked before the end, each with the wording to use then.

        They are the turn that told it, and 1, 2, 4, 8 … turns later.
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
    turns_of: dict[str, list[TurnView]] = defaultdict(list)
    for turn in transcript.turn_views:
        for name in turn.disclosed:
            if name in names:
                turns_of[name].append(turn)
    probes: list[MemoryProbe] = []
    for name, turns in turns_of.items():
        probes += _of_entry(record.entry(name), turns, transcript.header.language)
    probes.sort(key=lambda probe: probe.last_told or 0)
    most_unknown = max(1, round(len(probes) * _UNTOLD_SHARE))
    return [*probes, *_not_known(transcript, record, most_unknown)]


def _of_entry(entry: Entry, turns: list[TurnView], language: Language) -> Iterator[MemoryProbe]:
    """A probe for an entry, as it was told last, and one for its time.

    The second is there only if a reply told the time in the record's words.
    """
    lines = phrases("read_memory_lines", language)
    last_words = " ".join(filter(None, (turns[-1].reply, turns[-1].results)))
    numbers = frozenset(turn.number for turn in turns)
    truth = lines[entry.status.value].format(told=last_words)
    yield _probe(entry, _asks_for(entry), language, entry.status, truth, numbers)
    if entry.status not in _DONE or not entry.when:
        return
    time = plain(entry.when)
    with_time = frozenset(turn.number for turn in turns if time in plain(turn.reply or ""))
    if with_time:
        truth = lines["when"].format(thing=entry.name, told=entry.when)
        yield _probe(entry, ProbeQuestion.WHEN, language, entry.status, truth, with_time)


def _probe(
    entry: Entry,
    asks: ProbeQuestion,
    language: Language,
    status: Status | None,
    truth: str,
    turns: frozenset[int] = frozenset(),
) -> MemoryProbe:
    lines = phrases("probe_questions", language)
    # `Chest X-ray` becomes `chest X-ray` within a sentence; `MRCP` and `Murphy's sign` stay.
    first = entry.name.split()[0]
    is_plain = language is Language.EN and first[1:].islower() and "'" not in first
    name = entry.name[0].lower() + entry.name[1:] if is_plain else entry.name
    templates = [lines[f"{asks}_{number}"] for number in range(1, _WORDINGS + 1)]
    return MemoryProbe(
        thing=entry.name,
        asks=asks,
        wordings=tuple(template.format(thing=name) for template in templates),
        status=status,
        truth=truth,
        exact=_exact(entry, asks, language),
        turns=turns,
    )


def _exact(entry: Entry, asks: ProbeQuestion, language: Language) -> dict[str, AnswerForm]:
    """What answers say that are a bare yes or no, or the record's own words and nothing else."""
    if asks is ProbeQuestion.WHEN:
        return exact_forms(Says.TELLS, Agreement.ALL, [entry.when or ""])
    if asks is not ProbeQuestion.WHETHER:
        says = Says.NOT_DONE if entry.status is Status.NOT_DONE else Says.TELLS
        texts = [text for text in (entry.report, entry.said) if text]
        return exact_forms(says, Agreement.ALL, texts)
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
    texts = [record.complaint]
    for turn in transcript.turn_views:
        handed.update(turn.retrieved_names, turn.disclosed)
        texts.append(turn.question)
        if turn.reply is not None:
            texts += [turn.reply, turn.results]
    dialogue = plain("\n".join(texts))
    untouched = []
    for entry in record.entries:
        if entry.category is Category.SYMPTOM or entry.name in handed:
            continue
        if not any(plain(name) in dialogue for name in (entry.name, *entry.aliases)):
            untouched.append(entry)
    untouched.sort(key=lambda entry: derive(transcript.header.seed, record.id, 1, entry.name))
    truth = phrases("read_memory_lines", record.language)["unknown"]
    return [
        _probe(entry, _asks_for(entry), record.language, None, truth) for entry in untouched[:most]
    ]
