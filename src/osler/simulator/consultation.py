"""One consultation: the loop of question, retrieval, reply and memory."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol, Self

from pydantic import BaseModel

from osler.agents.autogen import Participant
from osler.agents.disclosure import disclosed_entries
from osler.agents.messages import Briefing, Case, Conclusion, Enquiry, Exchange, Question, Reply, query_to_conclude
from osler.agents.ram.agent import Ram
from osler.memory.base import ConcludingMemory, Memory, Turn, exchange_query
from osler.runs.events import (
    Answered,
    Asked,
    Concluded,
    ConsultationError,
    Ending,
    Found,
    Journal,
    LessonsRecalled,
    Maker,
    Recalled,
    Remembered,
    Retrieved,
    Role,
)
from osler.runs.lessons import LessonRecall
from osler.simulator.repeats import Repeats


class LessonSource(Protocol):
    """Recalls lessons from earlier patients."""

    def recall(self, briefing: Briefing) -> LessonRecall:
        """Return the lessons that bear on what the doctor knows."""


@dataclass(frozen=True)
class Seats:
    """Who takes part: three participants, and the doctor's memory."""

    doctor: Participant
    ram: Ram
    patient: Participant
    memory: Memory
    lessons: LessonSource | None = None
    """What the doctor recalls of earlier patients; None without experience."""


class DoctorWithMemory:
    """The doctor, and the only place where its memory is asked.

    The memory takes in a turn while the next question is asked and answered; the next recall waits for it. A turn in
    which the doctor says nothing counts, and leaves nothing to remember. Before a conclusion, early or at the turn
    limit, a memory that recalls for conclusions in its own way is asked once more, whoever the doctor is.
    """

    def __init__(self, seats: Seats, case: Case, journal: Journal, turn_limit: int) -> None:
        """Begin before the first question."""
        self._doctor, self._memory, self._lessons = seats.doctor, seats.memory, seats.lessons
        self._case, self._journal, self._turn_limit = case, journal, turn_limit
        self._turn = 0
        self._question: Question | None = None
        """What the doctor asked last; None before the first question, and after a silent turn."""
        self._query = case.complaint
        """What an ordinary recall is asked for: the last exchange, at first the complaint."""
        self._remembering: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Nothing to open."""
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Wait for what the memory still takes in: its requests are paid for. An error in the block goes first."""
        if error is None:
            await self._remembered()
        elif self._remembering is not None:
            if isinstance(error, asyncio.CancelledError):
                self._remembering.cancel()
            await asyncio.gather(self._remembering, return_exceptions=True)

    @property
    def questions_left(self) -> int:
        """How many questions the doctor may still ask, this turn's included."""
        return self._turn_limit + 1 - self._turn

    async def next_move(self, reply: str, results: str = "") -> Question | Conclusion:
        """Return the next question, or the conclusion, after a reply and the reports that came with it."""
        await self._remembered()
        self._turn += 1
        self._journal.turn = self._turn
        last = self._last_turn(reply, results)
        self._question = None
        briefing = Briefing(
            case=self._case,
            turn=self._turn,
            turns_left=self.questions_left,
            question=last.question if last else "",
            reply=reply,
            results=results,
        )
        if last is not None:
            self._query = exchange_query(last.question, reply)
        must_conclude = not briefing.turns_left
        if must_conclude and self._recalls_to_conclude:
            self._remember(last)
            briefing = await self._with_recall_to_conclude(briefing)
        else:
            briefing = await self._with_recall(briefing)
            self._remember(last)
        briefing = await self._with_lessons(briefing)
        move = await self._doctor.respond(briefing)
        if isinstance(move, Question):
            self._question = move if move.text.strip() else None
            return move
        if not must_conclude:
            move = await self._concluded_early(move, briefing)
        assert isinstance(move, Conclusion)
        await self._remembered()
        return move

    async def _concluded_early(self, move: BaseModel, briefing: Briefing) -> BaseModel:
        """Ask a doctor that has asked enough for its conclusion, from what its memory recalls for one."""
        briefing = briefing.model_copy(update={"turns_left": 0})
        if self._recalls_to_conclude and not self._doctor.concludes_once:
            briefing = await self._with_recall_to_conclude(briefing)
        elif isinstance(move, Conclusion):
            return move
        try:
            return await self._doctor.respond(briefing)
        except ConsultationError as error:
            # What it said of its own accord stands if its second answer cannot be read.
            if error.ending is Ending.UNPARSED and isinstance(move, Conclusion):
                return move
            raise

    @property
    def _recalls_to_conclude(self) -> bool:
        """Whether the memory has a way of its own to recall for a conclusion."""
        return isinstance(self._memory, ConcludingMemory)

    async def _with_recall(self, briefing: Briefing) -> Briefing:
        """Return the briefing with what the memory recalls for a question."""
        recall = await self._memory.recall(self._query)
        self._journal.add(Recalled, Role.MEMORY, query=self._query, recall=recall)
        return briefing.model_copy(update={"recall": recall})

    async def _with_recall_to_conclude(self, briefing: Briefing) -> Briefing:
        """Return the briefing with what the memory, which knows every turn by then, recalls for a conclusion."""
        await self._remembered()
        assert isinstance(self._memory, ConcludingMemory)
        query = query_to_conclude(self._case.complaint, briefing.question, briefing.reply)
        # The doctor has the last exchange word for word in its briefing.
        beside = self._turn - 1 if briefing.question else None
        recall = await self._memory.recall_to_conclude(query, beside)
        self._journal.add(Recalled, Role.MEMORY, query=query, recall=recall, to_conclude=True, beside=beside)
        return briefing.model_copy(update={"recall": recall})

    async def _with_lessons(self, briefing: Briefing) -> Briefing:
        """Return the briefing with what bears on it from earlier patients."""
        if self._lessons is None:
            return briefing
        lessons = self._lessons.recall(briefing)
        self._journal.add(LessonsRecalled, Role.EXPERIENCE, recall=lessons)
        return briefing.model_copy(update={"lessons": lessons})

    def _last_turn(self, reply: str, results: str) -> Turn | None:
        """Return the turn that the reply ends, if something was asked."""
        if self._question is None:
            return None
        number = self._turn - 1
        return Turn(
            number=number,
            question=self._question.text,
            reply=reply,
            results=results,
            differential=self._question.differential,
            at=self._case.at(number),
        )

    def _remember(self, turn: Turn | None) -> None:
        """Let the memory take in a turn in the background."""
        self._remembering = asyncio.create_task(remember(self._memory, turn, self._journal))

    async def _remembered(self) -> None:
        """Wait until the memory has taken in the last turn."""
        task, self._remembering = self._remembering, None
        if task is not None:
            await task


async def consult(seats: Seats, case: Case, journal: Journal, turn_limit: int) -> Ending:
    """Let the doctor ask until it concludes, or must conclude at the turn limit."""
    reply, results = case.complaint, ""
    before: Exchange | None = None
    repeats = Repeats(case.language, case.complaint)
    async with DoctorWithMemory(seats, case, journal, turn_limit) as doctor:
        while True:
            move = await doctor.next_move(reply, results)
            if isinstance(move, Conclusion):
                journal.add(Concluded, Role.DOCTOR, **move.model_dump())
                return Ending.CONCLUDED if doctor.questions_left else Ending.TURN_LIMIT
            answer = await _answered(seats, move, before, repeats, journal)
            reply, results = answer or ("", "")
            before = Exchange(question=move.text, reply=reply) if answer else None


async def _answered(
    seats: Seats, question: Question, before: Exchange | None, repeats: Repeats, journal: Journal
) -> tuple[str, str] | None:
    """Return the patient's reply to a question, and the reports that come with it; None if nothing was asked."""
    if not question.text.strip():
        journal.add(Asked, Role.DOCTOR, question="", maker=Maker.SILENT, differential=question.differential)
        return None
    asked = {"question": question.text, **question.model_dump(exclude={"text"})}
    try:
        selection = await seats.ram.respond(Enquiry(text=question.text, before=before))
    except BaseException:  # it was asked, whatever cut its answer off
        journal.add(Asked, Role.DOCTOR, **asked)
        raise
    names = tuple(entry.name for entry in selection.entries)
    journal.add(Asked, Role.DOCTOR, **asked, repeated=repeats.saw(question.text, names) and question.maker.is_own)
    found = tuple(Found(name=name, score=score) for name, score in zip(names, selection.scores, strict=True))
    journal.add(
        Retrieved,
        Role.RAM,
        asked_for=selection.asked_for,
        entries=found,
        things=selection.things,
        maker=selection.maker,
        results=selection.results,
        past=tuple(one.number for one in selection.past),
    )
    answer = await seats.patient.respond(selection)
    assert isinstance(answer, Reply)
    repeats.heard(answer.text)
    spoken = disclosed_entries(answer.text, selection.known, selection.case.language)
    disclosed = tuple(name for name in names if name in spoken or name in selection.reported)
    journal.add(Answered, Role.PATIENT, reply=answer.text, maker=answer.maker, disclosed=disclosed)
    return answer.text, selection.results


async def remember(memory: Memory, turn: Turn | None, journal: Journal) -> None:
    """Let the memory take in a turn, if there is one, and write down what that changed."""
    if turn is None:
        return
    began = time.perf_counter()
    change = await memory.remember(turn)
    journal.add(Remembered, Role.MEMORY, of=turn.number, change=change, seconds=round(time.perf_counter() - began, 4))
