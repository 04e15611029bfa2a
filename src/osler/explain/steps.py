"""What a doctor is given when it concludes again: the same, the full dialogue, more of the record, all of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum

from osler.agents.messages import Briefing
from osler.eval.course import Course
from osler.eval.faithfulness.refusal import refuses
from osler.language.words import content
from osler.memory.base import MemorySettings, Recall, Turn
from osler.memory.raw import RawMemory
from osler.prompts import phrases
from osler.records.schema import RESULTS, Entry, PatientRecord
from osler.runs.events import Asked, Concluded, LessonsRecalled, Recalled, Visited
from osler.runs.lessons import LessonRecall
from osler.runs.plan import ONE_STEP, ResultsFrom
from osler.runs.transcript import Transcript
from osler.simulator.build import case_of, entry_lines, entry_texts

_ALL = 10**9
"""Tokens: a budget that any dialogue fits into."""


class ExplainStep(StrEnum):
    """What the doctor concludes from, each time more."""

    SAME = "same"
    """What it had at the end: a fresh call."""
    DIALOGUE = "dialogue"
    """The full dialogue instead of what its memory recalled."""
    HANDED = "handed"
    """That, and the entries that the patient was handed and should have told, in the record's words."""
    ASKED = "asked"
    """That, and the entries that its questions asked for."""
    RECORD = "record"
    """The whole record except the answer."""


class LostConsultation:
    """A consultation that ended wrong, and what its doctor can be given at the end of it."""

    def __init__(self, transcript: Transcript, record: PatientRecord) -> None:
        """Take the consultation and its patient's record."""
        self.transcript, self.record = transcript, record
        self.course = Course.of(transcript, record)
        self.last_turn = _last_turn(transcript)
        self._turns = transcript.exchanges
        self.earlier = self._told_earlier()
        """The entries that were told at earlier visits, by name, each with the turn that told it."""

    def _told_earlier(self) -> dict[str, int]:
        """Find the turn of each by the words it shares with the entry, the last one if several share as many."""
        language, said = self.record.language, [event.told for event in self.transcript.of(Visited) if not event.filler]
        words = {turn.number: set(content(f"{turn.reply} {turn.results}", language)) for turn in said}
        found = {}
        for name in sorted(self.record.told_earlier) if words else ():
            entry = self.record.entry(name)
            own = set(content(" ".join((entry.name, *entry.aliases, entry.report, entry.said)), language))
            found[name] = max(words, key=lambda number: (len(own & words[number]), number))
        return found

    @property
    def told(self) -> dict[str, int]:
        """The entries that the doctor was told, now or at an earlier visit, by name, each with its first turn."""
        return {**self.course.told, **self.earlier}

    def telling(self, name: str) -> Iterator[tuple[int, str, tuple[Entry, ...]]]:
        """The turns that told an entry: number, reply, and the entries that the reply could tell of."""
        if name in self.earlier:
            known = tuple(self.record.entry(one) for one in self.earlier)
            yield self.earlier[name], self._turns[self.earlier[name]].reply, known
        for one in self.course.exchanges:
            if one.answer is not None and name in one.answer.disclosed:
                yield one.turn, one.answer.reply, one.entries

    @property
    def brought(self) -> dict[str, int]:
        """The entries that the retrieval brought, by name, each with its first turn; with those told earlier."""
        now = {entry.name: one.turn for one in reversed(self.course.exchanges) for entry in one.entries}
        return {**now, **self.earlier}

    @property
    def handed(self) -> dict[str, int]:
        """Those of them that a patient should have told: all if it refused to answer, else what was asked for.

        A small model brings half of a record for any question; a patient who keeps to the question loses nothing.
        What was told at earlier visits was handed over there.
        """
        language, found = self.record.language, dict[str, int]()
        for one in reversed(self.course.exchanges):
            refused = one.answer is not None and refuses(one.answer.reply, one.entries, language)
            found |= dict.fromkeys((entry.name for entry in one.entries) if refused else one.asked, one.turn)
        return {**found, **self.earlier}

    @property
    def last_recall(self) -> Recall:
        """What the memory recalled before the conclusion."""
        found = [event.recall for event in self.transcript.of(Recalled) if event.turn == self.last_turn]
        return found[-1] if found else Recall()

    @property
    def last_lessons(self) -> LessonRecall:
        """What the doctor recalled of earlier patients before the conclusion."""
        found = self.transcript.of(LessonsRecalled)
        return found[-1].recall if found else LessonRecall()

    def results(self, turn: int) -> str:
        """The reports that came with the reply of a turn."""
        return self._turns[turn].results if turn in self._turns else ""

    def same(self) -> Briefing:
        """All that the doctor had at the end, and no question left."""
        first = self.last_turn == 1
        last = self._turns.get(self.last_turn - 1) if not first else None
        return Briefing(
            case=case_of(self.record, visits=self.transcript.header.date is not None),
            turn=self.last_turn,
            turns_left=0,
            question=last.question if last else "",
            reply=last.reply if last else self.record.complaint if first else "",
            results=last.results if last else "",
            recall=self.last_recall,
            lessons=self.last_lessons,
        )

    async def briefing(self, step: ExplainStep, asked: Collection[str] = ()) -> Briefing | None:
        """Return what the doctor is given in a step; None if that is nothing new.

        Args:
            step: The step.
            asked: Names of the entries that its questions asked for; only the step of that name needs them.
        """
        same = self.same()
        if step is ExplainStep.SAME:
            return same
        if self.transcript.header.memory == ONE_STEP:
            return None  # it had the whole record
        if step is ExplainStep.RECORD:
            texts = entry_texts(self.record, same.case)
            recall = Recall(text="\n".join(entry_lines(texts, same.case.language)), exchanges=_exchanges(texts, 1))
            known = {"question": "", "reply": self.record.complaint, "results": "", "recall": recall}
            return same.model_copy(update={"turn": 1, **known})
        dialogue = await self._dialogue()
        if step is ExplainStep.DIALOGUE:
            return None if dialogue.text == same.recall.text else same.model_copy(update={"recall": dialogue})
        new = set(self.handed) - self._reported()
        if step is ExplainStep.ASKED:
            new |= (later := set(asked) - set(self.handed))
            if not later:
                return None
        return same.model_copy(update={"recall": self._extended(dialogue, new)}) if new else None

    async def _dialogue(self) -> Recall:
        """What a memory without limits recalls: every turn word for word, but for the last, which a briefing has.

        The turns of earlier visits are part of it.
        """
        header = self.transcript.header
        memory = RawMemory(MemorySettings(language=header.language, budget=_ALL, speaker=header.speaker))
        for number in sorted(self._turns):
            if number < max(1, self.last_turn - 1):
                await memory.remember(self._turns[number])
        return await memory.recall("")

    def _reported(self) -> set[str]:
        """Entries that the dialogue has in the record's words already."""
        if self.transcript.header.results is not ResultsFrom.REPORT:
            return set()
        return {entry.name for one in self.course.exchanges for entry in one.entries if entry.category in RESULTS}

    def _extended(self, dialogue: Recall, names: Collection[str]) -> Recall:
        """Add entries in the record's words: as text for a model, as exchanges for a doctor by rules."""
        language = self.record.language
        texts = entry_texts(self.record, case_of(self.record), names)
        report = phrases("exchange", language)["report"]
        lines = (report.format(report=line) for line in entry_lines(texts, language))
        text = "\n".join([*filter(None, [dialogue.text]), *lines])
        return Recall(text=text, exchanges=(*dialogue.exchanges, *_exchanges(texts, self.last_turn)))


def _exchanges(texts: Mapping[str, str], first: int) -> tuple[Turn, ...]:
    """Entries as if each had been asked for: a doctor by rules reads no text."""
    told = enumerate(texts.items(), start=first)
    return tuple(Turn(number=number, question=name, reply="", results=text) for number, (name, text) in told)


def _last_turn(transcript: Transcript) -> int:
    """The turn of the conclusion; of one that could not be read, the turn after the last question."""
    if concluded := transcript.of(Concluded):
        return concluded[0].turn
    return max((event.turn for event in (*transcript.of(Asked), *transcript.of(Recalled))), default=1)
