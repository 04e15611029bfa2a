"""What a doctor is given when it concludes again: the same, the dialogue, more of the record."""

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
        self.transcript = transcript
        self.record = record
        self.course = Course.of(transcript, record)
        self._views = transcript.turn_views
        self.last_turn = _last_turn(self._views)
        self._turns = transcript.exchanges
        self.entries_of_visits = self._entries_of_visits()
        """The entries that were disclosed at earlier visits, by name, each with its turn."""

    def _entries_of_visits(self) -> dict[str, int]:
        """Find the turn of each by the words that it shares with the entry.

        If several turns share as many, it is the last of them.
        """
        language = self.record.language
        words_of_turn: dict[int, set[str]] = {}
        for turn in self._views:
            if turn.visited and not turn.visited.filler:
                text = f"{turn.reply} {turn.results}"
                words_of_turn[turn.number] = set(content(text, language))
        if not words_of_turn:
            return {}
        turn_of: dict[str, int] = {}
        for name in sorted(self.record.told_earlier):
            entry = self.record.entry(name)
            text = " ".join((entry.name, *entry.aliases, entry.report, entry.said))
            entry_words = set(content(text, language))
            turn_of[name] = max(
                words_of_turn,
                key=lambda number: (len(entry_words & words_of_turn[number]), number),
            )
        return turn_of

    @property
    def disclosed_entries(self) -> dict[str, int]:
        """The entries that the doctor was told, now or at earlier visits, each with its turn."""
        return {**self.course.told, **self.entries_of_visits}

    def replies_about(self, name: str) -> Iterator[tuple[int, str, tuple[Entry, ...]]]:
        """The turns whose reply disclosed an entry.

        Each with its number, the reply, and the entries that the reply could disclose.
        """
        if name in self.entries_of_visits:
            number = self.entries_of_visits[name]
            entries = tuple(self.record.entry(other) for other in self.entries_of_visits)
            yield number, self._turns[number].reply, entries
        for exchange in self.course.exchanges:
            if exchange.answer is not None and name in exchange.answer.disclosed:
                yield exchange.turn, exchange.answer.reply, exchange.entries

    @property
    def retrieved_entries(self) -> dict[str, int]:
        """The entries that the patient was handed, by name, each with its first turn.

        What was disclosed at earlier visits is among them.
        """
        turn_of: dict[str, int] = {}
        for exchange in self.course.exchanges:
            for entry in exchange.entries:
                turn_of.setdefault(entry.name, exchange.turn)
        return {**turn_of, **self.entries_of_visits}

    @property
    def entries_to_tell(self) -> dict[str, int]:
        """Those of them that the patient should have told, since they were asked for (`asked_for`).

        A small model brings half of a record for any question; a patient who keeps to the question
        loses nothing.
        """
        retrieved = self.retrieved_entries
        now = {name: turn for name, turn in self.asked.items() if name in retrieved}
        return {**now, **self.entries_of_visits}

    @property
    def asked(self) -> dict[str, int]:
        """The entries that were asked for (`asked_for`), each with its first turn.

        A question for a category asks for all of its entries, whether they were retrieved or not.
        """
        turn_of: dict[str, int] = {}
        for exchange in self.course.exchanges:
            for name in exchange.asked:
                turn_of.setdefault(name, exchange.turn)
        return turn_of

    @property
    def last_recall(self) -> Recall:
        """What the memory recalled before the conclusion."""
        recalls = [turn.recall for turn in self._views if turn.number == self.last_turn]
        if recalls and recalls[0]:
            return recalls[0]
        return Recall()

    @property
    def last_lessons(self) -> LessonRecall:
        """What the doctor recalled of earlier patients before the conclusion."""
        recalls = [event.recall for turn in self._views for event in turn.lessons]
        if recalls:
            return recalls[-1]
        return LessonRecall()

    def results(self, turn: int) -> str:
        """The reports that came with the reply of a turn."""
        if turn in self._turns:
            return self._turns[turn].results
        return ""

    def same(self) -> Briefing:
        """All that the doctor had at the end, and no question left."""
        question = ""
        reply = ""
        results = ""
        is_first_turn = self.last_turn == 1
        last = self._turns.get(self.last_turn - 1)
        if is_first_turn:
            reply = self.record.complaint
        elif last is not None:
            question = last.question
            reply = last.reply
            results = last.results
        return Briefing(
            case=case_of(self.record, visits=self.transcript.header.date is not None),
            turn=self.last_turn,
            turns_left=0,
            question=question,
            reply=reply,
            results=results,
            recall=self.last_recall,
            lessons=self.last_lessons,
        )

    async def briefing(self, step: ExplainStep, asked_for: Collection[str] = ()) -> Briefing | None:
        """Return what the doctor is given in a step; None if that is nothing new.

        Args:
            step: The step.
            asked_for: Names of the entries that its questions asked for; only the step ASKED needs
                them.
        """
        same = self.same()
        if step is ExplainStep.SAME:
            return same
        if self.transcript.header.memory == ONE_STEP:
            # It had the whole record.
            return None
        if step is ExplainStep.RECORD:
            return self._with_record(same)
        dialogue = await self._dialogue()
        if step is ExplainStep.DIALOGUE:
            if dialogue.text == same.recall.text:
                return None
            return same.model_copy(update={"recall": dialogue})
        new = set(self.entries_to_tell) - self._reported_entries()
        if step is ExplainStep.ASKED:
            never_handed = set(asked_for) - set(self.entries_to_tell)
            if not never_handed:
                return None
            new |= never_handed
        if not new:
            return None
        return same.model_copy(update={"recall": self._extended(dialogue, new)})

    def _with_record(self, same: Briefing) -> Briefing:
        """The whole record except the answer, as the doctor of one step has it."""
        texts = entry_texts(self.record, same.case)
        recall = Recall(
            text="\n".join(entry_lines(texts, same.case.language)), exchanges=_exchanges(texts, 1)
        )
        update = {
            "turn": 1,
            "question": "",
            "reply": self.record.complaint,
            "results": "",
            "recall": recall,
        }
        return same.model_copy(update=update)

    async def _dialogue(self) -> Recall:
        """What a memory without limits recalls: every turn word for word, but the last.

        The last is in a briefing anyway. The turns of earlier visits are part of it.
        """
        header = self.transcript.header
        memory = RawMemory(
            MemorySettings(language=header.language, budget=_ALL, speaker=header.speaker)
        )
        for number in sorted(self._turns):
            if number < max(1, self.last_turn - 1):
                await memory.remember(self._turns[number])
        return await memory.recall(Query(""))

    def _reported_entries(self) -> set[str]:
        """Entries that the dialogue has in the record's words already."""
        names: set[str] = set()
        if self.transcript.header.results is ResultsFrom.REPORT:
            for exchange in self.course.exchanges:
                names |= {entry.name for entry in exchange.entries if entry.category in RESULTS}
        return names

    def _extended(self, dialogue: Recall, names: Collection[str]) -> Recall:
        """Add entries in the record's words: text for a model, exchanges for a doctor by rules."""
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
    turns = []
    for number, (name, text) in enumerate(texts.items(), start=first):
        turns.append(Turn(number=number, question=name, reply="", results=text))
    return tuple(turns)


def _last_turn(turns: Sequence[TurnView]) -> int:
    """The turn of the conclusion; if it could not be read, the turn after the last question."""
    for turn in turns:
        if turn.concluded:
            return turn.number
    return max((turn.number for turn in turns if turn.asked or turn.recalls), default=1)
