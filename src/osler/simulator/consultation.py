"""One consultation: the loop of question, retrieval, reply and memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from osler.agents.autogen import Participant
from osler.agents.disclosure import disclosed_entries
from osler.agents.messages import Briefing, Case, Conclusion, Enquiry, Exchange, Question, Reply, query_to_conclude
from osler.agents.ram.agent import Ram
from osler.memory.base import ConcludingMemory, Memory, Turn, exchange_query
from osler.runs.events import (
    Answered,
    Asked,
    Concluded,
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


async def consult(seats: Seats, case: Case, journal: Journal, turn_limit: int) -> Ending:
    """Let the doctor ask until it concludes, or must conclude at the turn limit.

    The memory takes in a turn while the next question is asked and answered; the next recall waits for it. A turn in
    which the doctor says nothing counts: nobody answers, and there is nothing to remember.
    """
    question, reply, results, last = "", case.complaint, "", None
    heard, repeats = reply, Repeats(case.language, case.complaint)
    for turn in range(1, turn_limit + 2):
        journal.turn = turn
        if turn > turn_limit and isinstance(seats.memory, ConcludingMemory):
            beside = last.number if last else None
            await remember(seats.memory, last, journal)
            query = query_to_conclude(case.complaint, question, reply)
            last, recall = None, await seats.memory.recall_to_conclude(query, beside)
            journal.add(Recalled, Role.MEMORY, query=query, recall=recall, to_conclude=True, beside=beside)
        else:
            recall = await seats.memory.recall(heard)
            journal.add(Recalled, Role.MEMORY, query=heard, recall=recall)
        briefing = Briefing(
            case=case,
            turn=turn,
            turns_left=turn_limit + 1 - turn,
            question=question,
            reply=reply,
            results=results,
            recall=recall,
        )
        if seats.lessons is not None:
            lessons = seats.lessons.recall(briefing)
            journal.add(LessonsRecalled, Role.EXPERIENCE, recall=lessons)
            briefing = briefing.model_copy(update={"lessons": lessons})
        async with _meanwhile(remember(seats.memory, last, journal)):
            move = await seats.doctor.respond(briefing)
            before = Exchange(question=question, reply=reply) if question else None
            answer = await _answered(seats, move, before, repeats, journal) if isinstance(move, Question) else None
        if isinstance(move, Conclusion):
            journal.add(Concluded, Role.DOCTOR, **move.model_dump())
            return Ending.CONCLUDED if briefing.turns_left else Ending.TURN_LIMIT
        assert isinstance(move, Question)
        if answer is None:
            question, reply, results, last = "", "", "", None
            continue
        question, (reply, results) = move.text, answer
        heard = exchange_query(question, reply)
        last = Turn(
            number=turn,
            question=question,
            reply=reply,
            results=results,
            differential=move.differential,
            at=case.at(turn),
        )
    raise AssertionError("a doctor that has no turns left must conclude")


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


@asynccontextmanager
async def _meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run some work in the background, and wait for its end: what it has asked a model for is paid for.

    If both fail, the error of the foreground is raised.
    """
    task = asyncio.create_task(work)
    try:
        yield
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError):
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    await task


async def remember(memory: Memory, turn: Turn | None, journal: Journal) -> None:
    """Let the memory take in a turn, if there is one, and write down what that changed."""
    if turn is None:
        return
    began = time.perf_counter()
    change = await memory.remember(turn)
    journal.add(Remembered, Role.MEMORY, of=turn.number, change=change, seconds=round(time.perf_counter() - began, 4))
