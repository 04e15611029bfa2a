"""Run one consultation, from its record to its transcript; a failure is part of the transcript."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from osler import __version__
from osler.code_failures import CodeFailure, as_event, error_line, failure_in
from osler.errors import RunStopped, StorageError
from osler.prompts import noting_prompts, using_prompts
from osler.records.schema import PatientRecord
from osler.runs.events import ConsultationError, Ending, Failed, JoinedStream, Journal, Role
from osler.runs.plan import Cell
from osler.runs.transcript import Header, Transcript
from osler.seeds import derive
from osler.settings.names import Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.build import Opener, case_of, known_before, seat
from osler.simulator.consultation import Seats, consult
from osler.simulator.experience.recall import Experience, LessonMemory
from osler.simulator.experience.teach import learn
from osler.simulator.visits import play_visits


@dataclass(frozen=True)
class Job:
    """A consultation to run: what a worker needs, wherever it is."""

    number: int
    """Number of the run's cell."""
    cell: Cell
    record: PatientRecord
    kept: tuple[tuple[str, str], ...] = ()
    """Answers of models from before it was interrupted, by the key of their request."""
    experience: Experience | None = None
    """What the doctor brings along from earlier cases, if it is one of a stream."""


async def simulate_one(
    record: PatientRecord,
    cell: Cell,
    settings: RunSettings,
    clients: Opener,
    journal: Journal | None = None,
    experience: Experience | None = None,
) -> Transcript:
    """Run one consultation with the participants that its column names; raises what `hold` does."""
    journal = journal or Journal()
    settings = settings.for_column(cell.column)
    if experience is not None:
        journal.add(JoinedStream, Role.EXPERIENCE, **experience.as_event())

    def seating() -> Seats:
        seats = seat(record, cell.column, cell.trial, settings, journal, clients)
        if experience is None or not experience.lessons:
            return seats
        return replace(seats, lessons=LessonMemory(experience, record.language))

    transcript = await hold(seating, record, cell, settings, journal, settings.limits)
    with using_prompts(settings.prompts), noting_prompts(journal.prompts):
        transcript = await learn(transcript, record, settings, experience, journal, clients)
    header = transcript.header.model_copy(update={"prompts": dict(journal.prompts)})
    return transcript.model_copy(update={"header": header})


async def hold(
    seating: Callable[[], Seats],
    record: PatientRecord,
    cell: Cell,
    settings: RunSettings,
    journal: Journal,
    limits: Limits,
) -> Transcript:
    """Run a consultation with any participants.

    What fails, also while they are built, is part of the transcript.

    Raises:
        RunStopped: The run must end now: there is nothing to keep.
        StorageError: Answers of models cannot be written.
    """
    clock = asyncio.timeout(limits.seconds)
    try:
        with using_prompts(settings.prompts), noting_prompts(journal.prompts):
            async with clock:
                seats = seating()
                case = case_of(record, visits=settings.visits)
                await play_visits(record, cell.trial, settings, seats.memory, journal)
                ending = await consult(
                    seats, case, journal, settings.turn_limit(record, cell.column.memory)
                )
    except ConsultationError as error:
        ending = _failed(journal, error.ending, error.kind, str(error), error.code, error.role)
    except (RunStopped, StorageError):
        raise
    # A fault in one consultation, or in somebody's memory, must not cost the others.
    except Exception as error:
        if clock.expired():
            line = f"the consultation's limit: {limits.seconds:g} seconds are used"
            ending = _failed(journal, Ending.TIME_LIMIT, "time_limit", line)
        else:
            ending = _failed(
                journal,
                Ending.SIMULATOR_ERROR,
                type(error).__name__,
                error_line(error),
                failure_in(error),
            )
    return transcript_of(record, cell, settings, journal, ending)


def transcript_of(
    record: PatientRecord, cell: Cell, settings: RunSettings, journal: Journal, ending: Ending
) -> Transcript:
    """The transcript of a consultation: a header and its events."""
    settings = settings.for_column(cell.column)
    header = Header(
        case=record.id,
        patient=record.patient,
        language=record.language,
        specialty=record.specialty,
        speaker=record.speaker,
        about=known_before(case_of(record)),
        **cell.column.as_json(),
        settings=settings.as_json(),
        trial=cell.trial,
        seed=derive(settings.seed, record.id, cell.trial, "consultation"),
        turn_limit=settings.turn_limit(record, cell.column.memory),
        date=record.date if settings.visits else None,
        version=__version__,
        prompts=dict(journal.prompts),
    )
    return Transcript(header=header, ending=ending, events=tuple(journal.events))


def abandoned_transcript(job: Job, settings: RunSettings, message: str) -> Transcript:
    """The transcript of a consultation whose workers died."""
    journal = Journal()
    ending = _failed(journal, Ending.SIMULATOR_ERROR, "worker died", message)
    return transcript_of(job.record, job.cell, settings, journal, ending)


def _failed(
    journal: Journal,
    ending: Ending,
    kind: str,
    message: str,
    code: CodeFailure | None = None,
    role: Role = Role.SIMULATOR,
) -> Ending:
    journal.add(Failed, role, kind=kind, message=message, **as_event(code))
    return ending
