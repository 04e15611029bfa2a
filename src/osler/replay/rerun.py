"""Re-running a consultation: everything is computed anew except what models answered and people did."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from osler.agents.autogen import Participant
from osler.agents.messages import Conclusion, Question, Reply, Selection
from osler.agents.ram.agent import Ram
from osler.agents.ram.redact import without_diagnosis
from osler.agents.ram.reports import with_reports
from osler.models import Backbone, BackboneError, ChatClient, ChatRequest, Completion, FailureKind
from osler.models.completion import Source
from osler.records.schema import PatientRecord
from osler.runs.events import Answered, Asked, Called, ConsultationError, Ending, Failed, Journal, Retrieved, Role
from osler.runs.plan import HUMAN, Limits, Settings
from osler.runs.transcript import Transcript
from osler.simulator.build import case_of, seat
from osler.simulator.consultation import Seats
from osler.simulator.worker import hold

CANCELLED = "the call was cancelled"
_LIMIT = "ConsultationError: "
_OTHER = re.compile(r"(?P<name>[A-Z]\w*): (?P<line>.*)", re.DOTALL)
_HTTP = re.compile(r"\(HTTP (?P<status>\d{3})(?:: (?P<detail>.*))?\)", re.DOTALL)


async def rerun(recorded: Transcript, record: PatientRecord, settings: Settings, shared_turns: int = 0) -> Transcript:
    """Re-run a consultation with the recorded answers.

    Args:
        recorded: As it was.
        record: The patient's record, as the run kept it.
        settings: Of the run.
        shared_turns: The first turns that a fork took over from its parent, and that it takes over again.
    """
    cell, journal = recorded.header.cell, Journal()

    def seated(role: Role) -> Seats:
        # Everybody is seated once for every role, so that each model knows whose answers it gives.
        return seat(record, cell.column, cell.trial, settings, journal, RecordedModel(recorded, role))

    def seating() -> Seats:
        seats = Seats(
            seated(Role.DOCTOR).doctor, seated(Role.RAM).ram, seated(Role.PATIENT).patient, seated(Role.MEMORY).memory
        )
        if cell.column.backbone == HUMAN:
            seats = replace(seats, doctor=RecordedParticipant(recorded, doctor_moves(recorded), journal))
        if settings.patient_backbone == HUMAN:
            seats = replace(seats, patient=RecordedParticipant(recorded, patient_moves(recorded), journal))
        return continue_from(recorded, shared_turns, seats, record, journal) if shared_turns else seats

    return await hold(seating, record, cell, settings, journal, Limits())


def continue_from(recorded: Transcript, turn: int, seats: Seats, record: PatientRecord, journal: Journal) -> Seats:
    """Seats that repeat the recorded turns up to one and then go on by themselves; the memory takes them in anew."""
    first = recorded.model_copy(update={"events": tuple(event for event in recorded.events if event.turn <= turn)})
    return Seats(
        doctor=RecordedParticipant(first, doctor_moves(first), journal, seats.doctor),
        ram=RecordedRam(first, seats.ram, record, journal),
        patient=RecordedParticipant(first, patient_moves(first), journal, seats.patient),
        memory=seats.memory,
    )


class RecordedModel(ChatClient):
    """Gives one role the recorded answers in their order, whatever it asks; prompts are compared later."""

    def __init__(self, recorded: Transcript, role: Role) -> None:
        """Take the calls of that role."""
        self._recorded, self._role = recorded, role
        self._calls = deque(call for call in recorded.of(Called) if call.role is role)
        self.model = self.where = self._calls[0].model if self._calls else "unknown"

    def open(self, spec: str) -> Backbone:
        """Stand in for any backbone."""
        return Backbone(spec, self.model, self, spec)

    async def complete(self, request: ChatRequest) -> Completion:
        """The next answer, or the failure that was recorded in its place."""
        if not self._calls:
            raise _end_of(self._recorded, f"answer to the {self._role}")
        call = self._calls.popleft()
        if call.failure is not None:
            raise _error_of(call.failure, self._recorded)
        answer = Completion.from_text(call.answer, model=call.model, finish="stop", usage=None, thought=call.thought)
        return answer.model_copy(update={"source": Source(call.source)})


class RecordedParticipant(Participant):
    """Says what was said, turn by turn; another one goes on where the record ends."""

    def __init__(
        self,
        recorded: Transcript,
        moves: Mapping[int, Question | Conclusion | Reply],
        journal: Journal,
        then: Participant | None = None,
    ) -> None:
        """Take what was said by turn; the journal knows which turn it is."""
        super().__init__("recorded", "Says what was said.")
        self._recorded, self._moves, self._journal, self._then = recorded, moves, journal, then

    async def respond(self, content: Any) -> BaseModel:
        """The recorded move of this turn."""
        if move := self._moves.get(self._journal.turn):
            return move
        if self._then is None:
            raise _end_of(self._recorded, "move of a person")
        return await self._then.respond(content)


def doctor_moves(recorded: Transcript) -> dict[int, Question | Conclusion | Reply]:
    """The doctor's questions and its conclusion, by turn."""
    moves: dict[int, Question | Conclusion | Reply] = {
        asked.turn: Question(text=asked.question, maker=asked.maker, differential=asked.differential)
        for asked in recorded.of(Asked)
    }
    if said := recorded.conclusion:
        moves[said.turn] = Conclusion(**said.model_dump(include=set(Conclusion.model_fields)))
    return moves


def patient_moves(recorded: Transcript) -> dict[int, Question | Conclusion | Reply]:
    """The patient's replies, by turn."""
    return {said.turn: Reply(text=said.reply, maker=said.maker) for said in recorded.of(Answered)}


class RecordedRam(Ram):
    """Finds what was found, so that no model is asked for it again; another one goes on where the record ends."""

    def __init__(self, recorded: Transcript, then: Ram, record: PatientRecord, journal: Journal) -> None:
        """Take what was found by turn."""
        self._case_told = case_of(record)
        super().__init__(record, self._case_told)
        self._journal, self._then = journal, then
        self._retrieved = {event.turn: event for event in recorded.of(Retrieved)}
        self._entries = {entry.name: entry for entry in without_diagnosis(record).entries}

    async def respond(self, content: Any) -> Selection:
        """The entries of this turn."""
        found = self._retrieved.get(self._journal.turn)
        if found is None:
            return await self._then.respond(content)
        known = [one for one in found.entries if one.name in self._entries]
        selection = Selection(
            case=self._case_told,
            question=content.text,
            entries=tuple(self._entries[one.name] for one in known),
            scores=tuple(one.score for one in known),
            asked_for=found.asked_for,
            things=found.things,
            maker=found.maker,
            before=content.before,
        )
        return with_reports(selection) if found.results else selection


def _end_of(recorded: Transcript, missing: str) -> ConsultationError:
    """The failure that the consultation ended with, or, where it did not fail, that something is missing."""
    failed = next(iter(recorded.of(Failed)), None)
    if failed is not None:
        return ConsultationError(recorded.ending, failed.kind, failed.message)
    return ConsultationError(Ending.SIMULATOR_ERROR, "calls", f"the record holds no further {missing}")


def _error_of(failure: str, recorded: Transcript) -> Exception:
    """The error behind a `Called.failure`, which reads `kind: line`."""
    kind, _, line = failure.partition(": ")
    if line == CANCELLED:
        return _end_of(recorded, "answer")
    if line.startswith(_LIMIT):
        return ConsultationError(recorded.ending, recorded.ending.value, line.removeprefix(_LIMIT))
    if kind == FailureKind.OTHER and (found := _OTHER.fullmatch(line)):
        error: Exception = type(found["name"], (Exception,), {})(found["line"])
        return error
    message, _, remedy = line.rpartition("; ")
    http = _HTTP.search(message)
    # Status and detail decide whether the request is made again without its schema.
    status, detail = (int(http["status"]), http["detail"] or "") if http else (None, "")
    return BackboneError(FailureKind(kind), message, remedy, status=status, detail=detail)
