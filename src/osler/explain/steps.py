"""What a doctor is given when it concludes again.

The same, the full dialogue, more of the record, all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum

from osler.agents.messages import Briefing
from osler.eval.course import Course
from osler.language.words import content
from osler.memory.base import MemorySettings, Query, Recall, Turn
from osler.memory.raw import RawMemory
from osler.prompts import phrases
from osler.records.schema import RESULTS, Entry, PatientRecord
from osler.runs.lessons import LessonRecall
from osler.runs.transcript import Transcript
from osler.runs.turns import TurnView
from osler.settings.names import ONE_STEP, ResultsFrom
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
    """That, and the entries that the patient was handed and should have told, in the record's
    words."""
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
        self._views = transcript.turn_views
        self.last_turn = _last_turn(self._views)
        self._turns = transcript.exchanges
        self.earlier = self._told_earlier()
        """The entries that were told at earlier visits, by name, each with the turn that told
        it."""

    def _told_earlier(self) -> dict[str, int]:
        """Find the turn of each by the words that it shares with the entry.

        The last turn, if several share as many.
        """
        language = self.record.language
        words = {
            turn.number: set(content(f"{turn.reply} {turn.results}", language))
            for turn in self._views
            if turn.visited and not turn.visited.filler
        }
        found = {}
        for name in sorted(self.record.told_earlier) if words else ():
            entry = self.record.entry(name)
            own = set(
                content(" ".join((entry.name, *entry.aliases, entry.report, entry.said)), language)
            )
            found[name] = max(words, key=lambda number: (len(own & words[number]), number))
        return found

    @property
    def told(self) -> dict[str, int]:
        """The entries that the doctor was told, each with its first turn.

        Those of earlier visits, too.
        """
        return {**self.course.told, **self.earlier}

    def telling(self, name: str) -> Iterator[tuple[int, str, tuple[Entry, ...]]]:
        """The turns that told an entry.

        Number, reply, and the entries that the reply could tell of.
        """
        if name in self.earlier:
            known = tuple(self.record.entry(one) for one in self.earlier)
            yield self.earlier[name], self._turns[self.earlier[name]].reply, known
        for one in self.course.exchanges:
            if one.answer is not None and name in one.answer.disclosed:
                yield one.turn, one.answer.reply, one.entries

    @property
    def brought(self) -> dict[str, int]:
        """The entries that the retrieval brought, by name, each with its first turn.

        With those told earlier.
        """
        now = {
            entry.name: one.turn for one in reversed(self.course.exchanges) for entry in one.entries
        }
        return {**now, **self.earlier}

    @property
    def handed(self) -> dict[str, int]:
        """Those of them that a patient should have told, since they were asked for (`asked_for`).

        A small model brings half of a record for any question; a patient who keeps to the question
        loses nothing. What was told at earlier visits was handed over there.
        """
        brought = self.brought
        now = {name: turn for name, turn in self.asked.items() if name in brought}
        return {**now, **self.earlier}

    @property
    def asked(self) -> dict[str, int]:
        """The entries that were asked for (`asked_for`), each with its first turn.

        A question for a category asks for all of its entries, whether they were brought or not.
        """
        first_turns: dict[str, int] = {}
        for exchange in reversed(self.course.exchanges):
            first_turns |= dict.fromkeys(exchange.asked, exchange.turn)
        return first_turns

    @property
    def last_recall(self) -> Recall:
        """What the memory recalled before the conclusion."""
        recalls = [turn.recall for turn in self._views if turn.number == self.last_turn]
        return recalls[0] if recalls and recalls[0] else Recall()

    @property
    def last_lessons(self) -> LessonRecall:
        """What the doctor recalled of earlier patients before the conclusion."""
        recalls = [event.recall for turn in self._views for event in turn.lessons]
        return recalls[-1] if recalls else LessonRecall()

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
            asked: Names of the entries that its questions asked for; only the step of that name
                needs them.
        """
        same = self.same()
        if step is ExplainStep.SAME:
            return same
        if self.transcript.header.memory == ONE_STEP:
            return None  # it had the whole record
        if step is ExplainStep.RECORD:
            texts = entry_texts(self.record, same.case)
            recall = Recall(
                text="\n".join(entry_lines(texts, same.case.language)),
                exchanges=_exchanges(texts, 1),
            )
            known = {
                "question": "",
                "reply": self.record.complaint,
                "results": "",
                "recall": recall,
            }
            return same.model_copy(update={"turn": 1, **known})
        dialogue = await self._dialogue()
        if step is ExplainStep.DIALOGUE:
            return (
                None
                if dialogue.text == same.recall.text
                else same.model_copy(update={"recall": dialogue})
            )
        new = set(self.handed) - self._reported()
        if step is ExplainStep.ASKED:
            new |= (later := set(asked) - set(self.handed))
            if not later:
                return None
        return same.model_copy(update={"recall": self._extended(dialogue, new)}) if new else None

    async def _dialogue(self) -> Recall:
        """What a memory without limits recalls.

        Every turn word for word, but for the last, which a briefing has.

        The turns of earlier visits are part of it.
        """
        header = self.transcript.header
        memory = RawMemory(
            MemorySettings(language=header.language, budget=_ALL, speaker=header.speaker)
        )
        for number in sorted(self._turns):
            if number < max(1, self.last_turn - 1):
                await memory.remember(self._turns[number])
        return await memory.recall(Query(""))

    def _reported(self) -> set[str]:
        """Entries that the dialogue has in the record's words already."""
        if self.transcript.header.results is not ResultsFrom.REPORT:
            return set()
        return {
            entry.name
            for one in self.course.exchanges
            for entry in one.entries
            if entry.category in RESULTS
        }

    def _extended(self, dialogue: Recall, names: Collection[str]) -> Recall:
        """Add entries in the record's words.

        As text for a model, as exchanges for a doctor by rules.
        """
        language = self.record.language
        texts = entry_texts(self.record, case_of(self.record), names)
        report = phrases("exchange", language)["report"]
        lines = (report.format(report=line) for line in entry_lines(texts, language))
        text = "\n".join([*filter(None, [dialogue.text]), *lines])
        return Recall(
            text=text, exchanges=(*dialogue.exchanges, *_exchanges(texts, self.last_turn))
        )


def _exchanges(texts: Mapping[str, str], first: int) -> tuple[Turn, ...]:
    """Entries as if each had been asked for: a doctor by rules reads no text."""
    told = enumerate(texts.items(), start=first)
    return tuple(
        Turn(number=number, question=name, reply="", results=text) for number, (name, text) in told
    )


def _last_turn(turns: Sequence[TurnView]) -> int:
    """The turn of the conclusion.

    Of one that could not be read, the turn after the last question.
    """
    concluded = [turn.number for turn in turns if turn.concluded]
    if concluded:
        return concluded[0]
    return max((turn.number for turn in turns if turn.asked or turn.recalls), default=1)
