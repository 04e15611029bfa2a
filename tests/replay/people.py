"""Consultations with a person in one of the chairs, one of whom leaves in the middle."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Conclusion, Question
from osler.records import RecordPool
from osler.runs.events import ConsultationError, Ending, Failed, Journal, Maker, Role
from osler.runs.plan import Cell, Column, Plan
from osler.runs.store import RunWriter
from osler.runs.transcript import Transcript
from osler.settings.names import HUMAN, PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import about
from osler.simulator.build import case_of, seat
from osler.simulator.clients import Clients
from osler.simulator.consultation import Seats, consult
from osler.simulator.worker import transcript_of

QUESTIONS = {
    "pneumonia-en": ("Do you cough at night?", "Do you smoke?", "Are you allergic to anything?"),
    "pneumonia-zh": ("夜里咳嗽吗？", "抽烟吗？"),
}


class _Doctor(Participant):
    """Asks what is on the list; the Chinese one then leaves without a word."""

    concludes_once = True

    def __init__(self, case: str) -> None:
        super().__init__("doctor", "A person.")
        self._rest, self._leaves = list(QUESTIONS[case]), case.endswith("zh")

    async def respond(self, content: Any) -> Question | Conclusion:
        await asyncio.sleep(0.01)
        if self._rest:
            return Question(text=self._rest.pop(0), maker=Maker.HUMAN)
        if self._leaves:
            raise ConsultationError(Ending.DOCTOR_ERROR, "left", "the person left")
        return Conclusion(diagnosis="Asthma", treatment="Inhaled steroid")


async def _held(case: str, settings: RunSettings) -> Transcript:
    record, journal, cell = (
        RecordPool.open().get(case),
        Journal(),
        Cell(case, Column.of(HUMAN, PLAIN, "tim"), 1),
    )
    seats = seat(record, Column.of("rules", PLAIN, "tim"), 1, settings, journal, Clients())
    chairs = Seats(_Doctor(case), seats.ram, seats.patient, seats.memory)
    try:
        ending = await consult(chairs, case_of(record), journal, settings.turn_limit(record))
    except ConsultationError as error:
        ending = error.ending
        journal.add(Failed, Role.SIMULATOR, kind=error.kind, message=str(error))
    return transcript_of(record, cell, settings, journal, ending)


def played(path: Path) -> None:
    """Two consultations of a person, as a run."""
    settings = RunSettings()
    plan = Plan(
        [RecordPool.open().get(case) for case in QUESTIONS], (HUMAN,), ("tim",), settings=settings
    )
    with RunWriter.create_or_resume(path, about(settings)) as store:
        planned = store.extend(plan)
        store.begin({})
        for number in planned.todo:
            store.finish(number, asyncio.run(_held(store.cell(number).case, settings)))
