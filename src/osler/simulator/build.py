"""From names to things: the seats of a consultation out of a record and a column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pydantic import BaseModel

from osler.agents.autogen import Participant
from osler.agents.human import HumanParticipant, Mover
from osler.agents.messages import Case
from osler.agents.ram.agent import Ram
from osler.agents.rules.doctor import RulesDoctor
from osler.agents.rules.patient import RulesPatient
from osler.memory import MemorySettings, Thinker, memory_factory
from osler.prompts import Prompt
from osler.records.schema import PatientRecord
from osler.runs.events import ConsultationError, Journal, Role
from osler.runs.plan import HUMAN, ONE_STEP, RULES, WITHOUT_MODEL, Column, ResultsFrom, Settings
from osler.seeds import derive
from osler.simulator.consultation import Seats
from osler.simulator.one_step import WholeRecord

if TYPE_CHECKING:
    from osler.models import Backbone


class Opener(Protocol):
    """Whatever opens a backbone for this consultation."""

    def open(self, spec: str) -> Backbone:
        """The backbone of that spec."""
        ...


@runtime_checkable
class Seating(Opener, Protocol):
    """One that also knows who sits in a person's chair; without it, that is whoever is at the prompt."""

    @property
    def mover(self) -> Mover:
        """Waits for the person's moves."""
        ...


@runtime_checkable
class Sharing(Opener, Protocol):
    """One that can also ask the same once for all consultations of a run."""

    def open_shared(self, spec: str) -> Backbone:
        """The backbone of that spec; a request that was made in this run before is not made again."""
        ...


def case_of(record: PatientRecord) -> Case:
    """What may be known of a record before the first question."""
    return Case(
        language=record.language,
        age=record.age.label(record.language),
        years=record.age.years,
        sex=record.sex,
        complaint=record.complaint,
        speaker=record.speaker,
        persona=record.persona,
    )


def seat(
    record: PatientRecord,
    column: Column,
    trial: int,
    settings: Settings,
    journal: Journal,
    clients: Opener,
) -> Seats:
    """Everybody who takes part in one consultation."""
    case = case_of(record)
    made = MemorySettings(
        language=record.language,
        budget=settings.budget,
        seed=derive(settings.seed, record.id, trial, "memory"),
        thinker=_thinker(settings.memory_backbone or column.backbone, journal, clients),
        speaker=record.speaker,
    )
    return Seats(
        doctor=_doctor(column, case, settings, journal, clients),
        ram=_ram(record, settings, journal, clients),
        patient=_patient(record, settings, journal, clients),
        memory=WholeRecord(record, case) if column.memory == ONE_STEP else memory_factory(column.memory)(made),
    )


def _ram(record: PatientRecord, settings: Settings, journal: Journal, clients: Opener) -> Ram:
    case, spec = case_of(record), settings.ram_backbone
    reports = settings.results is ResultsFrom.REPORT
    if spec in WITHOUT_MODEL:
        return Ram(record, case, reports=reports)
    from osler.agents.ram.by_model import ModelRam

    backbone = clients.open_shared(spec) if isinstance(clients, Sharing) else clients.open(spec)
    return ModelRam(record, case, backbone, journal, answer_tokens=settings.answer_tokens, reports=reports)


def _thinker(backbone: str, journal: Journal, clients: Opener) -> Thinker | None:
    """How a memory asks its model. What fails is written down, and the memory does without: no consultation ends."""
    if backbone in WITHOUT_MODEL:
        return None
    from osler.agents.calls import Caller
    from osler.models import ChatMessage

    call = Caller(clients.open(backbone), Role.MEMORY, journal)

    async def think(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str | None:
        message = ChatMessage("user", text)
        try:
            return await call.text([message], template, schema=schema, max_tokens=most)
        except ConsultationError:
            return None

    return think


def _doctor(column: Column, case: Case, settings: Settings, journal: Journal, clients: Opener) -> Participant:
    if column.backbone == RULES:
        return RulesDoctor(case)
    if column.backbone == HUMAN:
        return HumanParticipant("doctor", clients.mover if isinstance(clients, Seating) else None)
    from osler.agents.doctors import DoctorSettings, doctor_factory

    made = DoctorSettings(case, clients.open(column.backbone), journal, settings.answer_tokens)
    return doctor_factory(column.strategy)(made)


def _patient(record: PatientRecord, settings: Settings, journal: Journal, clients: Opener) -> Participant:
    if settings.patient_backbone == RULES:
        return RulesPatient()
    if settings.patient_backbone == HUMAN:
        return HumanParticipant("patient", clients.mover if isinstance(clients, Seating) else None)
    from osler.agents.patient import ModelPatient

    backbone = clients.open(settings.patient_backbone)
    return ModelPatient(case_of(record), record.diagnosis, backbone, journal, answer_tokens=settings.answer_tokens)


def check_strategies(names: Iterable[str]) -> None:
    """Find the doctor of each strategy, so that a wrong name is heard of before anything depends on it.

    Raises:
        UserError: One of them cannot be found.
    """
    from osler.agents.doctors import doctor_factory

    for name in sorted(set(filter(None, names))):
        doctor_factory(name)
