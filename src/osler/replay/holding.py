"""A consultation with seats of another's choosing, and one that is held again from its record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from osler.errors import RunStopped, printable
from osler.events import ConsultationError, Ending, Failed, Journal, Role
from osler.records.schema import PatientRecord
from osler.replay.answers import RecordedAnswers
from osler.replay.moves import RecordedDoctor, RecordedPatient, RecordedRam
from osler.replay.order import Order
from osler.simulator.build import case_of, seat
from osler.simulator.consultation import Seats, consult
from osler.simulator.plan import HUMAN, Cell, Limits, Settings
from osler.simulator.transcript import Transcript
from osler.simulator.worker import transcript_of


async def hold(
    seating: Callable[[], Seats],
    record: PatientRecord,
    cell: Cell,
    settings: Settings,
    journal: Journal,
    limits: Limits,
) -> Transcript:
    """Hold a consultation; what fails is part of it, as it is in a run, be it while the seats are taken.

    Raises:
        RunStopped: An endpoint is down: there is nothing to keep.
    """
    clock = asyncio.timeout(limits.seconds)
    try:
        async with clock:
            ending = await consult(seating(), case_of(record), journal, settings.turn_limit(record, cell.memory))
    except ConsultationError as error:
        ending = error.ending
        journal.add(Failed, Role.SIMULATOR, kind=error.kind, message=str(error))
    except RunStopped:
        raise
    except Exception as error:  # a fault of a memory from elsewhere is a result as well
        if clock.expired():
            ending, kind = Ending.TIME_LIMIT, Ending.TIME_LIMIT.value
            line = f"the consultation's limit: {limits.seconds:g} seconds are used"
        else:
            ending, kind = Ending.SIMULATOR_ERROR, type(error).__name__
            line = f"{kind}: {printable(str(error))[:300]}"
        journal.add(Failed, Role.SIMULATOR, kind=kind, message=line)
    return transcript_of(record, cell, settings, journal, ending)


async def held_again(
    recorded: Transcript, record: PatientRecord, settings: Settings, shared_turns: int = 0
) -> Transcript:
    """The consultation once more: everything is worked out anew but what models answered and people did.

    Args:
        recorded: As it was.
        record: The patient's record, as the run kept it.
        settings: Of the run.
        shared_turns: The first turns that a fork took over from its parent, and that it takes over again.
    """
    header, journal = recorded.header, Journal()
    cell = Cell(header.case, header.backbone, header.memory, header.trial)
    order = Order(recorded, journal)
    answers = RecordedAnswers(recorded, order)

    def seated(role: Role) -> Seats:
        # Everybody is seated once for every role, so that each client knows whose answers it gives.
        return seat(record, cell.backbone, cell.memory, cell.trial, settings, journal, answers.of(role))

    def seating() -> Seats:
        human_patient = settings.patient_backbone == HUMAN
        seats = Seats(
            doctor=RecordedDoctor(recorded, order) if cell.backbone == HUMAN else seated(Role.DOCTOR).doctor,
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
