"""Build the participants and the memory of a consultation from a record and names.

They are seats, or an AutoGen team.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pydantic import BaseModel

from osler.agents.autogen import ConsultationTeam, Listener, Participant
from osler.agents.calls import Caller
from osler.agents.doctors import DoctorSettings, doctor_factory
from osler.agents.human import HumanParticipant
from osler.agents.messages import Case
from osler.agents.patients import PatientSettings, check_patients, patient_factory
from osler.agents.patients.model_patient import ModelPatient
from osler.agents.persona import Guard
from osler.agents.ram.agent import Ram
from osler.agents.ram.by_model import ModelRam
from osler.agents.ram.redact import without_diagnosis
from osler.agents.rules.doctor import RulesDoctor
from osler.agents.rules.patient import RulesPatient, voice
from osler.errors import UserError
from osler.language import Language
from osler.locale import label
from osler.memory import Memory, MemorySettings, Thinker, memory_factory
from osler.memory.base import Query, Recall
from osler.memory.none import NoMemory
from osler.models import Backbone, ChatMessage
from osler.plugins import as_name
from osler.prompts import Prompt, phrases
from osler.records.schema import Entry, PatientRecord, Persona
from osler.runs.events import ConsultationError, Journal, Role
from osler.runs.plan import Column
from osler.seeds import derive
from osler.settings.names import HUMAN, ONE_STEP, OSLER, PLAIN, RULES, WITHOUT_MODEL, ResultsFrom
from osler.settings.personas import Honesty, PersonaFactors, Personality, bias_of
from osler.settings.run_settings import RunSettings
from osler.simulator.clients import Clients, ConsultationClients
from osler.simulator.consultation import Seats, consult

if TYPE_CHECKING:
    from autogen_core.models import ChatCompletionClient

    from osler.models import ChatClient

    Thing: TypeAlias = str | Callable[..., object] | ChatCompletionClient | ChatClient
    """A name, or a class, a function or a client in place of one."""

_LINE = {Language.EN: "{name}: {told}", Language.ZH: "{name}：{told}"}
_WHEN = {Language.EN: " ({when})", Language.ZH: "（{when}）"}


class Opener(Protocol):
    """Opens the backbones of a consultation.

    If it also has a `mover`, that is who moves for a person.
    """

    def open(self, spec: str) -> Backbone:
        """The backbone of that spec."""


MANNERS: Mapping[Personality, Persona] = {
    Personality.PLAIN: Persona.PLAIN,
    Personality.ANXIOUS: Persona.ANXIOUS,
    Personality.IMPATIENT: Persona.TERSE,
    Personality.VERBOSE: Persona.TALKATIVE,
}
"""The personalities that a patient without a model can have."""


def case_of(record: PatientRecord, *, visits: bool = False) -> Case:
    """Return what may be known of a record before the first question.

    With `visits`, also when the patient came.
    """
    return Case(
        language=record.language,
        age=record.age.label(record.language),
        years=record.age.years,
        sex=record.sex,
        complaint=record.complaint,
        speaker=record.speaker,
        persona=record.persona,
        today=record.date if visits else None,
        visited=tuple(visit.date for visit in record.visits) if visits else (),
    )


def known_before(case: Case) -> str:
    """Return in a line what is known before the first question, for the memory's model."""
    line = phrases("tim_lines", case.language)["about"]
    return line.format(age=case.age, sex=label(case.sex, case.language), complaint=case.complaint)


def seat(
    record: PatientRecord,
    column: Column,
    trial: int,
    settings: RunSettings,
    journal: Journal,
    clients: Opener,
) -> Seats:
    """Everybody who takes part in one consultation."""
    case = _case_in_run(record, settings)
    memory_settings = MemorySettings(
        language=record.language,
        budget=settings.budget,
        seed=derive(settings.seed, record.id, trial, "memory"),
        thinker=_thinker(settings.memory_backbone or column.backbone, journal, clients),
        speaker=record.speaker,
        about=known_before(case),
    )
    memory: Memory
    if column.memory == ONE_STEP:
        memory = WholeRecord(record, case)
    else:
        memory = memory_factory(column.memory)(memory_settings)
    return Seats(
        doctor=doctor_of(column, case, settings, journal, clients),
        ram=_ram(record, case, settings, journal, clients, _guard(record, case, trial, settings)),
        patient=_patient(record, case, settings, journal, clients),
        memory=memory,
    )


def _case_in_run(record: PatientRecord, settings: RunSettings) -> Case:
    """Return the case with the persona and the bias that the run sets."""
    case = case_of(record, visits=settings.visits)
    update: dict[str, object] = {"patient_bias": bias_of("patient", settings.bias)}
    if settings.persona:
        factors = PersonaFactors.of(settings.persona)
        update |= {"factors": factors, "persona": MANNERS.get(factors.personality, case.persona)}
    return case.model_copy(update=update)


def _guard(record: PatientRecord, case: Case, trial: int, settings: RunSettings) -> Guard | None:
    """What the patient's persona does to facts, if anything; the same in every column."""
    if case.factors is None or case.factors.only_speech:
        return None
    return Guard(record, case.factors, derive(settings.seed, record.id, trial, "persona"))


def _ram(
    record: PatientRecord,
    case: Case,
    settings: RunSettings,
    journal: Journal,
    clients: Opener,
    guard: Guard | None,
) -> Ram:
    spec = settings.ram_backbone
    reports = settings.results is ResultsFrom.REPORT
    if spec in WITHOUT_MODEL:
        return Ram(record, case, reports=reports, guard=guard)
    # The same question to the same record is asked once in a run.
    if isinstance(clients, ConsultationClients):
        backbone = clients.open(spec, shared=True)
    else:
        backbone = clients.open(spec)
    return ModelRam(
        record,
        case,
        backbone,
        journal,
        answer_tokens=settings.answer_tokens,
        reports=reports,
        guard=guard,
    )


def _thinker(backbone: str, journal: Journal, clients: Opener) -> Thinker | None:
    """Make the function by which a memory asks its model.

    A failed call is recorded, and the memory does without.
    """
    if backbone in WITHOUT_MODEL:
        return None
    if isinstance(clients, ConsultationClients):
        opened = clients.open(backbone, for_memory=True)
    else:
        opened = clients.open(backbone)
    call = Caller(opened, Role.MEMORY, journal)

    async def think(
        template: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        try:
            return await call.text(
                [ChatMessage("user", text)], template, schema=schema, max_tokens=most
            )
        except ConsultationError:
            return None

    return think


def doctor_of(
    column: Column, case: Case, settings: RunSettings, journal: Journal, clients: Opener
) -> Participant:
    """The doctor of a column, for one consultation."""
    if column.backbone == RULES:
        return RulesDoctor(case)
    if column.backbone == HUMAN:
        return HumanParticipant("doctor", getattr(clients, "mover", None))
    doctor_settings = DoctorSettings(
        case, clients.open(column.backbone), journal, settings.answer_tokens, settings
    )
    return doctor_factory(column.strategy)(doctor_settings)


def _patient(
    record: PatientRecord, case: Case, settings: RunSettings, journal: Journal, clients: Opener
) -> Participant:
    if settings.patient_backbone == RULES:
        return RulesPatient()
    if settings.patient_backbone == HUMAN:
        return HumanParticipant("patient", getattr(clients, "mover", None))
    backbone = clients.open(settings.patient_backbone)
    if settings.patient_agent == OSLER:
        return ModelPatient(
            case, record.diagnosis, backbone, journal, answer_tokens=settings.answer_tokens
        )
    patient_settings = PatientSettings(case, backbone, journal, settings.answer_tokens, settings)
    return patient_factory(settings.patient_agent)(patient_settings.with_record(record))


def _check_agent_of_persona(settings: RunSettings) -> None:
    """Refuse a persona for a patient agent that would not follow it."""
    agent = settings.patient_agent
    if not settings.persona or agent not in _WITHOUT_PERSONAS:
        return
    factors = PersonaFactors.of(settings.persona)
    if agent != "patientsim" or factors.honesty is not Honesty.OPEN:
        raise UserError(
            f"the patient agent {agent!r} cannot be {factors}",
            "leave out --patient-agent; patientsim has the factors personality, language, recall"
            " and confusion",
        )


_WITHOUT_PERSONAS = frozenset({"agentclinic", "craftmd", "patientsim"})
"""Patient agents that have the whole case in their prompt: nothing can be hidden from them."""


def check_persona(settings: RunSettings) -> None:
    """Raise `UserError` for a persona or bias of a patient that cannot have it."""
    _check_agent_of_persona(settings)
    if settings.patient_backbone not in WITHOUT_MODEL:
        return
    patient = f"the patient `{settings.patient_backbone}`"
    if bias_of("patient", settings.bias):
        raise UserError(f"{patient} has no biases", "name a model with --patient")
    if not settings.persona:
        return
    factors = PersonaFactors.of(settings.persona)
    followed = {"personality": factors.personality} if factors.personality in MANNERS else {}
    if settings.patient_backbone == HUMAN or factors != PersonaFactors.model_validate(followed):
        manners = ", ".join(MANNERS)
        raise UserError(
            f"{patient} cannot be {factors}",
            f"name a model with --patient; rules know only the personalities {manners}",
        )


def check_strategies(names: Iterable[str]) -> None:
    """Raise `UserError` for a strategy that cannot be found, before anything depends on it."""
    for name in sorted(set(filter(None, names))):
        doctor_factory(name)


def consultation_team(
    record: PatientRecord,
    *,
    backbone: Thing = RULES,
    strategy: Thing = PLAIN,
    memory: Thing = "raw",
    patient: Thing = RULES,
    patient_agent: Thing = OSLER,
    ram: Thing = RULES,
    results: str = ResultsFrom.PATIENT,
    turns: int = 10,
    journal: Journal | None = None,
) -> ConsultationTeam:
    """Doctor, RAM and patient of one record as a team of AutoGen.

    The keywords are the options of `osler.simulate`; calls of models are recorded in the journal.
    """
    settings = RunSettings(
        patient_backbone=as_name(patient),
        patient_agent=as_name(patient_agent),
        ram_backbone=as_name(ram),
        results=ResultsFrom(results),
        turns=turns,
    )
    column = Column.of(as_name(backbone), as_name(strategy), as_name(memory))
    check_strategies([as_name(strategy)])
    check_patients([settings])
    own_journal = journal or Journal()
    clients = Clients()

    async def hold(listener: Listener) -> None:
        seats = seat(record, column, 1, settings, own_journal, clients)
        await consult(seats, case_of(record), own_journal, turns, listener)

    return ConsultationTeam(record.complaint, hold)


class WholeRecord(NoMemory):
    """The memory of a one-step doctor, the ceiling.

    It recalls all entries of a record except the diagnosis.
    """

    name = "one-step"

    def __init__(self, record: PatientRecord, case: Case) -> None:
        self._text = "\n".join(entry_lines(entry_texts(record, case), case.language))

    async def recall(self, query: Query) -> Recall:
        """All of it."""
        return Recall(text=self._text)


def entry_texts(
    record: PatientRecord, case: Case, names: Collection[str] | None = None
) -> dict[str, str]:
    """Return what a record says of its entries, all or those of these names.

    What names the diagnosis is left out.
    """
    entries = without_diagnosis(record).entries
    return {
        entry.name: _text(entry, case) for entry in entries if names is None or entry.name in names
    }


def entry_lines(texts: Mapping[str, str], language: Language) -> list[str]:
    """The same as lines, each with its name."""
    return [_LINE[language].format(name=name, told=told) for name, told in texts.items()]


def _text(entry: Entry, case: Case) -> str:
    """Return the report as it was written; an entry without one is worded as the patient would."""
    when = _WHEN[case.language].format(when=entry.when) if entry.when else ""
    return (entry.report or voice((entry,), entry.name, case)) + when
