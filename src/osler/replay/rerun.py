"""A consultation that is held again from its record."""

from __future__ import annotations

from osler.records.schema import PatientRecord
from osler.replay.event_order import Order
from osler.replay.recorded_agents import RecordedDoctor, RecordedPatient, RecordedRam
from osler.replay.recorded_answers import RecordedAnswers
from osler.runs.events import Journal, Role
from osler.runs.plan import HUMAN, Limits, Settings
from osler.runs.transcript import Transcript
from osler.simulator.build import case_of, seat
from osler.simulator.consultation import Seats
from osler.simulator.worker import hold


async def rerun(recorded: Transcript, record: PatientRecord, settings: Settings, shared_turns: int = 0) -> Transcript:
    """The consultation once more: everything is worked out anew but what models answered and people did.

    Args:
        recorded: As it was.
        record: The patient's record, as the run kept it.
        settings: Of the run.
        shared_turns: The first turns that a fork took over from its parent, and that it takes over again.
    """
    cell, journal = recorded.header.cell, Journal()
    order = Order(recorded, journal)
    answers = RecordedAnswers(recorded, order)

    def seated(role: Role) -> Seats:
        # Everybody is seated once for every role, so that each client knows whose answers it gives.
        return seat(record, cell.column, cell.trial, settings, journal, answers.of(role))

    def seating() -> Seats:
        human_patient = settings.patient_backbone == HUMAN
        seats = Seats(
            doctor=RecordedDoctor(recorded, order) if cell.column.backbone == HUMAN else seated(Role.DOCTOR).doctor,
            ram=seated(Role.RAM).ram,
            patient=RecordedPatient(recorded, order, journal) if human_patient else seated(Role.PATIENT).patient,
            memory=seated(Role.MEMORY).memory,
        )
        return going_on(seats, record, recorded, journal, shared_turns) if shared_turns else seats

    return await hold(seating, record, cell, settings, journal, Limits())


def going_on(seats: Seats, record: PatientRecord, recorded: Transcript, journal: Journal, turn: int) -> Seats:
    """Seats whose first turns are those of the record; the memory is its own, and takes them in anew."""
    order = Order(recorded, journal)
    return Seats(
        doctor=RecordedDoctor(recorded, order, turn, seats.doctor),
        ram=RecordedRam(record, case_of(record), recorded, journal, turn, seats.ram),
        patient=RecordedPatient(recorded, order, journal, turn, seats.patient),
        memory=seats.memory,
    )
