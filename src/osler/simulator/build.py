"""From names to things: the seats of a consultation out of a record, backbones and a memory."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pydantic import BaseModel

from osler.agents.human import HumanDoctor, HumanPatient
from osler.agents.participant import Case, Participant
from osler.agents.ram.agent import Ram, Sharpen
from osler.agents.rules.doctor import RulesDoctor
from osler.agents.rules.patient import RulesPatient
from osler.events import ConsultationError, Ending, Journal, Role
from osler.memory import MemorySettings, Thinker, memory_factory
from osler.prompts import Prompt
from osler.records.schema import PatientRecord
from osler.seeds import derive
from osler.simulator.clients import Clients
from osler.simulator.consultation import Seats

RULES, HUMAN = "rules", "human"
WITHOUT_MODEL = frozenset({RULES, HUMAN})


@dataclass(frozen=True)
class Settings:
    """What all consultations of a run share."""

    patient_backbone: str = RULES
    seed: int = 0
    guards: bool = True
    turns: int | None = None
    """Questions a doctor may ask; None: the record's expected rounds times the factor."""
    turn_factor: float = 1.5
    budget: int = 2000
    """Tokens of recall in the doctor's prompt."""
    ram_backbone: str | None = None
    """The model that RAM asks where a question's own words find nothing; None: it does not ask."""
    memory_backbone: str | None = None
    """The model behind the memories; None: the doctor's own."""

    def turn_limit(self, record: PatientRecord) -> int:
        """How many questions the doctor of this patient may ask."""
        return self.turns if self.turns is not None else math.ceil(record.expected_rounds * self.turn_factor)


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
    backbone: str,
    memory: str,
    trial: int,
    settings: Settings,
    journal: Journal,
    clients: Clients,
) -> Seats:
    """Everybody who takes part in one consultation."""
    case = case_of(record)
    made = MemorySettings(
        language=record.language,
        budget=settings.budget,
        seed=derive(settings.seed, record.id, trial, "memory"),
        thinker=_thinker(settings.memory_backbone or backbone, journal, clients),
    )
    return Seats(
        doctor=_doctor(backbone, case, settings, journal, clients),
        ram=Ram(record, case, _sharpen(record, settings, journal, clients)),
        patient=_patient(record, settings, journal, clients),
        memory=memory_factory(memory)(made),
    )


def _sharpen(record: PatientRecord, settings: Settings, journal: Journal, clients: Clients) -> Sharpen | None:
    if settings.ram_backbone is None:
        return None
    from osler.agents.ram.sharpen import sharpened_by

    return sharpened_by(clients.open(settings.ram_backbone), record.language, journal)


def _thinker(backbone: str, journal: Journal, clients: Clients) -> Thinker | None:
    """How a memory asks its model. What fails is written down, and the memory does without: no consultation ends."""
    if backbone in WITHOUT_MODEL:
        return None
    from autogen_core.models import UserMessage

    from osler.agents.calls import Caller

    call = Caller(clients.open(backbone), Role.MEMORY, Ending.BACKBONE_FAILURE, journal)

    async def think(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str | None:
        message = UserMessage(content=text, source="memory")
        try:
            return await call.text([message], template, schema=schema, max_tokens=most)
        except ConsultationError:
            return None

    return think


def _doctor(backbone: str, case: Case, settings: Settings, journal: Journal, clients: Clients) -> Participant:
    if backbone == RULES:
        return RulesDoctor(case)
    if backbone == HUMAN:
        return HumanDoctor()
    from osler.agents.doctor import ModelDoctor

    return ModelDoctor(case, clients.open(backbone), journal, guards=settings.guards)


def _patient(record: PatientRecord, settings: Settings, journal: Journal, clients: Clients) -> Participant:
    if settings.patient_backbone == RULES:
        return RulesPatient()
    if settings.patient_backbone == HUMAN:
        return HumanPatient()
    from osler.agents.patient import ModelPatient

    return ModelPatient(
        case_of(record), record.diagnosis, clients.open(settings.patient_backbone), journal, guards=settings.guards
    )
