"""A doctor that asks what a test wants, opposite the patient and the retrieval module under
test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Conclusion, Question
from osler.agents.patients.model_patient import ModelPatient
from osler.agents.ram.agent import Ram
from osler.agents.ram.by_model import ModelRam
from osler.agents.rules.patient import RulesPatient
from osler.memory import MemorySettings, memory_factory
from osler.records import PatientRecord
from osler.runs.events import Answered, E, Intervened, Journal, Retrieved
from osler.simulator.build import case_of
from osler.simulator.consultation import Seats, consult
from tests.agents.scripted import Script, ScriptedClient, scripted


class Asking(Participant):
    """Asks these questions, and concludes."""

    def __init__(self, questions: Sequence[str]) -> None:
        super().__init__("doctor", "Asks what it is told to.")
        self._questions = list(questions)
        self.briefings: list[Briefing] = []

    async def respond(self, content: Any) -> Question | Conclusion:
        self.briefings.append(content)
        return (
            Question(text=self._questions.pop(0))
            if self._questions
            else Conclusion(diagnosis="x", treatment="y")
        )


@dataclass
class Heard:
    """What came of it."""

    journal: Journal
    doctor: Asking
    patient: ScriptedClient | None
    ram: ScriptedClient | None

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.journal.events if isinstance(event, kind)]

    @property
    def answered(self) -> list[Answered]:
        return self.of(Answered)

    @property
    def retrieved(self) -> list[Retrieved]:
        return self.of(Retrieved)

    @property
    def kinds(self) -> list[str]:
        return [event.kind.value for event in self.of(Intervened)]


def things(*found: tuple[str, list[Any], str]) -> str:
    """A model's answer to the retrieval module."""
    listed = [
        {"asked": asked, "entries": entries, "nothing": nothing}
        for asked, entries, nothing in found
    ]
    return json.dumps({"things": listed}, ensure_ascii=False)


def number(record: PatientRecord, name: str) -> int:
    """The number of an entry in the retrieval module's prompt."""
    return 1 + [entry.name for entry in record.entries].index(name)


async def hear(
    record: PatientRecord,
    *questions: str,
    patient: Script | None = None,
    ram: Script | None = None,
    reports: bool = False,
    visits: bool = False,
) -> Heard:
    """Ask; without a script the rules answer and find."""
    journal, case, doctor = Journal(), case_of(record, visits=visits), Asking(questions)
    spoken = scripted(patient) if patient is not None else None
    found = scripted(ram) if ram is not None else None
    seats = Seats(
        doctor,
        ModelRam(record, case, found[0], journal, reports=reports)
        if found
        else Ram(record, case, reports=reports),
        ModelPatient(case, record.diagnosis, spoken[0], journal) if spoken else RulesPatient(),
        memory_factory("raw")(MemorySettings(language=record.language)),
    )
    await consult(seats, case, journal, len(questions))
    return Heard(journal, doctor, spoken[1] if spoken else None, found[1] if found else None)
