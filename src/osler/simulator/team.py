"""A consultation as an AutoGen team, built from names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from osler.agents.autogen import TeamDoctor, round_robin
from osler.records.schema import PatientRecord
from osler.runs.events import Journal
from osler.runs.plan import PLAIN, RULES, Column, Settings
from osler.simulator.build import case_of, seat
from osler.simulator.clients import Clients

if TYPE_CHECKING:
    from autogen_agentchat.teams import RoundRobinGroupChat


def consultation_team(
    record: PatientRecord,
    *,
    backbone: str = RULES,
    strategy: str = PLAIN,
    memory: str = "raw",
    patient: str = RULES,
    ram: str = RULES,
    turns: int = 10,
    journal: Journal | None = None,
) -> RoundRobinGroupChat:
    """Doctor, RAM and patient of one record as a round robin; run it with `record.complaint` as its task.

    Args:
        record: The patient.
        backbone: The doctor's model, as `--backbone` names it.
        strategy: How the doctor's model works.
        memory: What the doctor remembers.
        patient: The patient's model.
        ram: The model that finds what is asked for.
        turns: Questions the doctor may ask.
        journal: Where calls of models are written down.
    """
    settings = Settings(patient_backbone=patient, ram_backbone=ram, turns=turns)
    column = Column.of(backbone, strategy, memory)
    seats = seat(record, column, 1, settings, journal or Journal(), Clients())
    doctor = TeamDoctor(seats.doctor, seats.memory, case_of(record), turns)
    return round_robin(doctor, seats.ram, seats.patient)
