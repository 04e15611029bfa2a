"""One consultation: the loop of question, retrieval, reply and memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from pydantic import BaseModel

from osler.agents.autogen import Listener, Participant
from osler.agents.disclosure import disclosed_entries
from osler.agents.messages import (
    Briefing,
    Case,
    Conclusion,
    Enquiry,
    Exchange,
    Question,
    Reply,
)
from osler.agents.ram.agent import Ram
from osler.memory.base import Memory, Purpose, Query, Turn
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

    The memory takes in a turn while the next question is asked and answered; the next recall waits
    for it. A turn in which the doctor says nothing counts, and leaves nothing to remember. Before a
    conclusion, early or at the turn limit, the memory is asked for one, whoever the doctor is.
    """

    def __init__(self, seats: Seats, case: Case, journal: Journal, turn_limit: int) -> None:
        """Begin before the first question."""
        self._doctor, self._memory, self._lessons = seats.doctor, seats.memory, seats.lessons
        self._case, self._journal, self._turn_limit = case, journal, turn_limit
        self._turn = 0
        self._question: Question | None = None
        """What the doctor asked last; None before the first question, and after a silent turn."""
        self._topic = case.complaint
        """What the next question follows from: the last exchange, at first the complaint."""
        self._remembering: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Nothing to open."""
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Wait for what the memory still takes in: its requests are paid for.

        An error in the block goes first.
        """
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
        """Return the doctor's next question, or its conclusion, after a reply and its reports."""
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
            self._topic = _words(last)
        must_conclude = not briefing.turns_left
        if must_conclude:
            self._remember(last)
            briefing = await self._with_recall_to_conclude(briefing, last)
        else:
            briefing = await self._with_recall(briefing, Query(self._topic, last))
            self._remember(last)
        briefing = await self._with_lessons(briefing)
        move = await self._doctor.respond(briefing)
        if isinstance(move, Question):
            self._question = move if move.text.strip() else None
            return move
        if not must_conclude:
            move = await self._concluded_early(move, briefing, last)
        assert isinstance(move, Conclusion)
        await self._remembered()
        return move

    async def _concluded_early(
        self, move: BaseModel, briefing: Briefing, last: Turn | None
    ) -> BaseModel:
        """Ask a doctor that has asked enough for its conclusion, from a recall for one."""
        is_conclusion = isinstance(move, Conclusion)
        if is_conclusion and self._doctor.concludes_once:
            return move
        before = briefing.recall.text
        briefing = await self._with_recall_to_conclude(briefing, last)
        if is_conclusion and briefing.recall.text == before:
            return move  # it would conclude from the very same words again
        briefing = briefing.model_copy(update={"turns_left": 0})
        try:
            return await self._doctor.respond(briefing)
        except ConsultationError as error:
            # What it said of its own accord stands if its second answer cannot be read.
            if error.ending is Ending.UNPARSED and is_conclusion:
                return move
            raise

    async def _with_recall_to_conclude(self, briefing: Briefing, last: Turn | None) -> Briefing:
        """Return the briefing with a recall by a memory that knows every turn by then."""
        await self._remembered()
        # A patient who answers that it is in the notes leaves what was asked to the memory.
        text = "\n".join(dict.fromkeys([self._case.complaint, self._topic]))
        return await self._with_recall(briefing, Query(text, last, Purpose.CONCLUSION))

    async def _with_recall(self, briefing: Briefing, query: Query) -> Briefing:
        """Return the briefing with what the memory recalls."""
        recall = await self._memory.recall(query)
        self._journal.add(
            Recalled,
            Role.MEMORY,
            query=query.text,
            to_conclude=query.is_to_conclude,
            beside=query.beside,
            recall=recall,
        )
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


def _words(turn: Turn) -> str:
    """What was asked and replied in a turn."""
    return f"{turn.question}\n{turn.reply}"


def _nobody_listens(source: str, message: BaseModel) -> None:
    """Let a message pass."""


async def consult(
    seats: Seats,
    case: Case,
    journal: Journal,
    turn_limit: int,
    listener: Listener = _nobody_listens,
) -> Ending:
    """Let the doctor ask until it concludes, or must conclude at the turn limit.

    The listener gets each message of doctor, RAM and patient, with the name of its source.
    """
    reply, results = case.complaint, ""
    conversation: list[Exchange] = []
    repeats = Repeats()
    async with DoctorWithMemory(seats, case, journal, turn_limit) as doctor:
        while True:
            move = await doctor.next_move(reply, results)
            listener(seats.doctor.name, move)
            if isinstance(move, Conclusion):
                journal.add(Concluded, Role.DOCTOR, **move.model_dump())
                return Ending.CONCLUDED if doctor.questions_left else Ending.TURN_LIMIT
            answer = await _answered(seats, move, conversation, repeats, journal, listener)
            reply, results = answer or ("", "")
            if answer:
                conversation.append(Exchange(question=move.text, reply=reply))


async def _answered(
    seats: Seats,
    question: Question,
    conversation: Sequence[Exchange],
    repeats: Repeats,
    journal: Journal,
    listener: Listener,
) -> tuple[str, str] | None:
    """Return the patient's reply to a question, and the reports that come with it.

    None if nothing was asked.
    """
    if not question.text.strip():
        journal.add(
            Asked, Role.DOCTOR, question="", maker=Maker.SILENT, differential=question.differential
        )
        return None
    asked = {"question": question.text, **question.model_dump(exclude={"text"})}
    try:
        selection = await seats.ram.respond(
            Enquiry(text=question.text, conversation=tuple(conversation))
        )
    except BaseException:  # it was asked, whatever cut its answer off
        journal.add(Asked, Role.DOCTOR, **asked)
        raise
    names = tuple(entry.name for entry in selection.entries)
    journal.add(
        Asked, Role.DOCTOR, **asked, repeated=repeats.saw(selection) and question.maker.is_own
    )
    found = tuple(
        Found(name=name, score=score) for name, score in zip(names, selection.scores, strict=True)
    )
    journal.add(
        Retrieved,
        Role.RAM,
        asked_for=selection.asked_for,
        entries=found,
        things=selection.things,
        maker=selection.maker,
        results=selection.results,
        past=tuple(exchange.number for exchange in selection.past),
        told_again=selection.told_again,
        tellings=selection.tellings,
        past_again=tuple(exchange.number for exchange in selection.past_again),
    )
    listener(seats.ram.name, selection)
    answer = await seats.patient.respond(selection)
    listener(seats.patient.name, answer)
    assert isinstance(answer, Reply)
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
    journal.add(
        Remembered,
        Role.MEMORY,
        of=turn.number,
        change=change,
        seconds=round(time.perf_counter() - began, 4),
    )
