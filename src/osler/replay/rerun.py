"""Re-running a consultation: everything is computed anew except what models answered and people did."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Conclusion, Question, Reply, Selection
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
        human_doctor, human_patient = cell.column.backbone == HUMAN, settings.patient_backbone == HUMAN
        seats = Seats(
            doctor=RecordedDoctor(recorded) if human_doctor else seated(Role.DOCTOR).doctor,
            ram=seated(Role.RAM).ram,
            patient=RecordedPatient(recorded, journal) if human_patient else seated(Role.PATIENT).patient,
            memory=seated(Role.MEMORY).memory,
        )
        return continue_from(recorded, shared_turns, seats, record, journal) if shared_turns else seats

    return await hold(seating, record, cell, settings, journal, Limits())


def continue_from(recorded: Transcript, turn: int, seats: Seats, record: PatientRecord, journal: Journal) -> Seats:
    """Seats that repeat the recorded turns up to one and then go on by themselves; the memory takes them in anew."""
    return Seats(
        doctor=RecordedDoctor(recorded, turn, seats.doctor),
        ram=RecordedRam(recorded, turn, seats.ram, record, journal),
        patient=RecordedPatient(recorded, journal, turn, seats.patient),
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


class RecordedDoctor(Participant):
    """Asks and concludes as recorded; another doctor goes on after the given turn."""

    def __init__(self, recorded: Transcript, until: int = 0, then: Participant | None = None) -> None:
        """Repeat all turns, or, with another doctor, those up to one."""
        super().__init__("doctor", "Asks what was asked.")
        self._recorded, self._until, self._then = recorded, until, then
        self._asked = {event.turn: event for event in recorded.of(Asked)}

    async def respond(self, content: Any) -> Question | Conclusion:
        """The question of this turn, or the conclusion."""
        briefing: Briefing = content
        if self._then is not None and briefing.turn > self._until:
            move = await self._then.respond(briefing)
            assert isinstance(move, Question | Conclusion)
            return move
        if asked := self._asked.get(briefing.turn):
            return Question(text=asked.question, maker=asked.maker, differential=asked.differential)
        if said := self._recorded.conclusion:
            return Conclusion(**said.model_dump(include=set(Conclusion.model_fields)))
        raise _end_of(self._recorded, "question of the doctor")


class RecordedPatient(Participant):
    """Replies as recorded; another patient goes on after the given turn."""

    def __init__(self, recorded: Transcript, journal: Journal, until: int = 0, then: Participant | None = None) -> None:
        """Repeat all turns, or, with another patient, those up to one; the journal knows which turn it is."""
        super().__init__("patient", "Says what was said.")
        self._recorded, self._journal, self._until, self._then = recorded, journal, until, then
        self._answered = {event.turn: event for event in recorded.of(Answered)}

    async def respond(self, content: Any) -> Reply:
        """The reply of this turn."""
        if self._then is not None and self._journal.turn > self._until:
            reply = await self._then.respond(content)
            assert isinstance(reply, Reply)
            return reply
        if said := self._answered.get(self._journal.turn):
            return Reply(text=said.reply, maker=said.maker)
        raise _end_of(self._recorded, "reply of the patient")


class RecordedRam(Ram):
    """Finds what was found up to the given turn, so that no model is asked for it again; another one goes on."""

    def __init__(self, recorded: Transcript, until: int, then: Ram, record: PatientRecord, journal: Journal) -> None:
        """Repeat the turns up to one."""
        self._case_told = case_of(record)
        super().__init__(record, self._case_told)
        self._journal, self._until, self._then = journal, until, then
        self._retrieved = {event.turn: event for event in recorded.of(Retrieved)}
        self._entries = {entry.name: entry for entry in without_diagnosis(record).entries}

    async def respond(self, content: Any) -> Selection:
        """The entries of this turn."""
        found = self._retrieved.get(self._journal.turn)
        if found is None or self._journal.turn > self._until:
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
