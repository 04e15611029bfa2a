"""Re-run a recorded consultation, in full or up to a turn where a fork continues differently."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from osler.agents.autogen import Participant
from osler.agents.messages import Conclusion, Question, Reply, Selection
from osler.agents.patients import check_patients
from osler.agents.ram.agent import Ram, for_patient, with_reports, without_earlier
from osler.agents.ram.redact import without_diagnosis
from osler.errors import RunStopped, UserError
from osler.eval.scoring import score
from osler.memory import check_memories
from osler.models import Backbone, BackboneError, ChatClient, ChatRequest, Completion, FailureKind
from osler.models.completion import AnswerSource
from osler.prompts import using_prompts
from osler.records.schema import PatientRecord
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    CallFailure,
    Concluded,
    ConsultationError,
    Ending,
    Failed,
    JoinedStream,
    Journal,
    Retrieved,
    Role,
)
from osler.runs.lessons import EXPERIENCE
from osler.runs.plan import Cell, Column, models_of
from osler.runs.store import Fork, RunWriter, answer_row, forks_path
from osler.runs.transcript import Transcript
from osler.settings.names import HUMAN, ONE_STEP, Feedback, Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import about
from osler.simulator.build import case_of, check_strategies, seat
from osler.simulator.clients import Clients, ClientSettings, ConsultationClients
from osler.simulator.consultation import Seats
from osler.simulator.experience.recall import Experience, RecordedLessons
from osler.simulator.experience.teach import learn
from osler.simulator.limits import RunLimiter
from osler.simulator.worker import hold

_PLACE = {"position", "stage", "lessons", "nearest", "kept_away"}
"""What a consultation's place in its stream is stored as."""


async def rerun(
    recorded: Transcript, record: PatientRecord, settings: RunSettings, shared_turns: int = 0
) -> Transcript:
    """Re-run a consultation.

    Everything is computed anew except what models answered and people did.

    Args:
        recorded: As it was.
        record: The patient's record, as the run kept it.
        settings: Of the run; those of its column are taken from it.
        shared_turns: The first turns that a fork took over from its parent, and that it takes over
            again.
    """
    cell, journal = recorded.header.cell, Journal()
    settings = settings.for_column(cell.column)
    experience = joined_again(recorded, journal)

    def seated(role: Role) -> Seats:
        # Everybody is seated once for every role, so that each model knows whose answers it gives.
        return seat(
            record, cell.column, cell.trial, settings, journal, RecordedModel(recorded, role)
        )

    def seating() -> Seats:
        seats = Seats(
            seated(Role.DOCTOR).doctor,
            seated(Role.RAM).ram,
            seated(Role.PATIENT).patient,
            seated(Role.MEMORY).memory,
            RecordedLessons.of(recorded),
        )
        if cell.column.backbone == HUMAN:
            seats = replace(seats, doctor=RecordedParticipant(Role.DOCTOR, recorded, journal))
        if settings.patient_backbone == HUMAN:
            seats = replace(seats, patient=RecordedParticipant(Role.PATIENT, recorded, journal))
        return (
            continue_from(recorded, shared_turns, seats, record, journal) if shared_turns else seats
        )

    again = await hold(seating, record, cell, settings, journal, Limits())
    is_fork = bool(shared_turns)  # nothing is learned from a fork
    model = RecordedModel(recorded, Role.EXPERIENCE)
    if is_fork:
        return again
    with using_prompts(settings.prompts):
        return await learn(again, record, settings, experience, journal, model)


def joined_again(recorded: Transcript, journal: Journal) -> Experience | None:
    """Write down the place that a consultation had in its stream.

    Returns it, or None if it stands alone.
    """
    joined = next(iter(recorded.of(JoinedStream)), None)
    if joined is None:
        return None
    told = {name: getattr(joined, name) for name in JoinedStream.model_fields if name in _PLACE}
    journal.add(JoinedStream, Role.EXPERIENCE, **told)
    return Experience(Feedback(recorded.header.variants[EXPERIENCE]), joined.stage, joined.position)


def continue_from(
    recorded: Transcript, turn: int, seats: Seats, record: PatientRecord, journal: Journal
) -> Seats:
    """Make seats that repeat the recorded turns up to one, then continue.

    The memory takes them in anew.
    """
    first = recorded.model_copy(
        update={"events": tuple(event for event in recorded.events if event.turn <= turn)}
    )
    return replace(
        seats,
        doctor=RecordedParticipant(Role.DOCTOR, first, journal, seats.doctor),
        ram=RecordedRam(first, seats.ram, record, journal),
        patient=RecordedParticipant(Role.PATIENT, first, journal, seats.patient),
        lessons=RecordedLessons.of(recorded),
    )


@dataclass(frozen=True)
class Parent:
    """The consultation that is forked, and what it was run with."""

    run: Path
    transcript: Transcript
    record: PatientRecord
    settings: RunSettings


def fork(parent: Parent, turn: int, column: Column, timeout: float) -> tuple[Path, int]:
    """Run a fork and store it as an ordinary consultation, scored like any other.

    Args:
        parent: The consultation that is forked.
        turn: The last turn that the fork shares with it.
        column: The doctor, strategy and memory that go on.
        timeout: Seconds to wait for a model's answer.

    Returns:
        The run of the fork, and its number there.

    Raises:
        UserError: It cannot be run or stored. Nothing is stored of a fork that was not run to its
            end.
    """
    _check(parent, turn, column)
    clients = Clients(ClientSettings(timeout=timeout, seed=parent.settings.seed))
    for spec in models_of([column], parent.settings):
        clients.open(spec)  # a wrong name stops here, before a file is made
    path, header = forks_path(parent.run), parent.transcript.header
    with RunWriter.create_or_resume(path, about(parent.settings)) as store:
        cell = Cell(header.case, column, store.next_trial(header.case, column))
        transcript, answers = asyncio.run(_held(parent, cell, turn, clients))
        store.begin({"fork_of": parent.run.stem, "turn": turn})
        number = store.add_fork(parent.record, cell, Fork(parent.run.stem, header.cell, turn))
        store.store_answers(answer_row(number, key, answer) for key, answer in answers)
        store.finish(number, transcript, score(transcript, parent.record))
    return path, number


async def _held(
    parent: Parent, cell: Cell, turn: int, clients: Clients
) -> tuple[Transcript, list[tuple[str, Completion]]]:
    """Run the consultation.

    Return it, and the model answers that were paid for, by the keys of the requests.
    """
    settings, record, journal = parent.settings.for_column(cell.column), parent.record, Journal()
    joined_again(parent.transcript, journal)
    answers: list[tuple[str, Completion]] = []

    async def keep(key: str, answer: Completion) -> None:
        answers.append((key, answer))

    run = RunLimiter(Limits())
    own = ConsultationClients(
        clients,
        cell.trial,
        (),
        keep,
        settings.limits,
        run,
        turn=lambda: journal.turn,
        temperature=settings.temperature,
    )

    def seating() -> Seats:
        seats = seat(record, cell.column, cell.trial, settings, journal, own)
        return continue_from(parent.transcript, turn, seats, record, journal)

    try:
        return await hold(seating, record, cell, settings, journal, settings.limits), answers
    except RunStopped as stop:
        raise UserError(
            f"the fork could not be held: {stop.message}", "nothing was kept; fork again"
        ) from None
    finally:
        await clients.close()


def _check(parent: Parent, turn: int, column: Column) -> None:
    turns = max(
        (event.turn for event in parent.transcript.replies), default=0
    )  # silent turns have no reply
    if not 1 <= turn <= turns:
        raise UserError(
            f"{parent.transcript.header.case!r} has {turns} turn(s), it cannot be forked after"
            f" {turn}",
            (
                f"give --at a number from 1 to {turns}"
                if turns
                else "choose one in which something was asked"
            ),
        )
    if column.backbone == HUMAN:
        raise UserError("a person held this consultation", "say with --backbone who goes on")
    if parent.settings.patient_backbone == HUMAN:
        raise UserError(
            "the patient of this run is a person",
            "fork a consultation of a run whose patient is not",
        )
    if column.memory == ONE_STEP:
        raise UserError(
            f"{ONE_STEP} asks nothing, so nothing can go on with it", "give another --memory"
        )
    check_memories([column.memory])
    check_strategies([column.strategy])
    check_patients([parent.settings.for_column(column)])


class RecordedModel(ChatClient):
    """Gives one role the recorded answers in order, whatever it asks.

    Prompts are compared later.
    """

    def __init__(self, recorded: Transcript, role: Role) -> None:
        """Take the calls of that role."""
        self._recorded = recorded
        self._calls = deque(call for call in recorded.of(Called) if call.role is role)
        self.model = self.where = self._calls[0].model if self._calls else "unknown"

    def open(self, spec: str) -> Backbone:
        """Stand in for any backbone."""
        return Backbone(spec, self.model, self, spec)

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the next answer, or raise the failure that was recorded in its place."""
        if not self._calls:
            raise _end_of(self._recorded)
        call = self._calls.popleft()
        if call.failure is not None:
            raise _error_of(call.failure, self._recorded)
        answer = Completion.from_text(
            call.answer, model=call.model, finish="stop", usage=None, thought=call.thought
        )
        return answer.model_copy(update={"source": AnswerSource(call.source)})


class RecordedParticipant(Participant):
    """Says what was said, turn by turn; another participant continues after the recorded turns."""

    def __init__(
        self, role: Role, recorded: Transcript, journal: Journal, then: Participant | None = None
    ) -> None:
        """Take what the doctor or the patient said; the journal knows which turn it is."""
        super().__init__(role.value, "Says what was said.")
        self.concludes_once = then is None or then.concludes_once
        self._recorded, self._journal, self._then = recorded, journal, then
        self._moves: dict[int, BaseModel] = {}
        for event in recorded.events:
            if role is Role.DOCTOR and isinstance(event, Asked):
                question = Question(
                    text=event.question, maker=event.maker, differential=event.differential
                )
                self._moves[event.turn] = question
            elif role is Role.DOCTOR and isinstance(event, Concluded):
                self._moves[event.turn] = Conclusion(
                    **event.model_dump(include=set(Conclusion.model_fields))
                )
            elif role is Role.PATIENT and isinstance(event, Answered):
                self._moves[event.turn] = Reply(text=event.reply, maker=event.maker)

    async def respond(self, content: Any) -> BaseModel:
        """Return what was said in this turn."""
        if move := self._moves.get(self._journal.turn):
            return move
        if self._then is None:
            raise _end_of(self._recorded)
        return await self._then.respond(content)


class RecordedRam(Ram):
    """Finds what was found, so that no model is asked for it again.

    Another one continues after the recorded turns.
    """

    def __init__(
        self, recorded: Transcript, then: Ram, record: PatientRecord, journal: Journal
    ) -> None:
        """Take what was found by turn."""
        super().__init__(record, case_of(record, visits=recorded.header.date is not None))
        self._journal, self._then = journal, then
        self._retrieved = {event.turn: event for event in recorded.of(Retrieved)}
        self._entries = {entry.name: entry for entry in without_diagnosis(record).entries}

    async def respond(self, content: Any) -> Selection:
        """The entries of this turn."""
        found = self._retrieved.get(self._journal.turn)
        if found is None:
            return await self._then.respond(content)
        known = [one for one in found.entries if one.name in self._entries]
        past_numbers = {*found.past, *found.past_again}
        selection = Selection(
            case=self._case,
            question=content.text,
            entries=tuple(self._entries[one.name] for one in known),
            scores=tuple(one.score for one in known),
            asked_for=found.asked_for,
            things=found.things,
            maker=found.maker,
            past=tuple(one for one in self._past if one.number in past_numbers),
        )
        selection = for_patient(selection, self._record, content.conversation)
        selection = without_earlier(selection, self._record, found.told_again, found.past_again)
        self._then.note_referred(selection)
        self._then.note_asked(entry.name for entry in selection.known)
        selection = selection.model_copy(update={"tellings": found.tellings})
        return with_reports(selection) if found.results else selection


def _end_of(recorded: Transcript) -> ConsultationError:
    """Return the failure that the consultation ended with.

    If it did not fail, say that its record has no more.
    """
    failed = next(iter(recorded.of(Failed)), None)
    if failed is not None:
        return ConsultationError(recorded.ending, failed.kind, failed.message, role=failed.role)
    return ConsultationError(Ending.SIMULATOR_ERROR, "calls", "the record holds no further answers")


def _error_of(failure: CallFailure, recorded: Transcript) -> Exception:
    """Return the error that a call ended with."""
    if failure.kind == CallFailure.CANCELLED:
        return _end_of(recorded)
    if failure.kind == CallFailure.LIMIT:
        return ConsultationError(recorded.ending, recorded.ending.value, failure.message)
    if failure.error:
        error: Exception = type(failure.error, (Exception,), {})(failure.message)
        return error
    # Status and detail decide whether the request is made again without its schema.
    return BackboneError(
        FailureKind(failure.kind),
        failure.message,
        failure.remedy,
        status=failure.status,
        detail=failure.detail,
    )
