"""Runs whose patients give certain replies."""

from __future__ import annotations

from pathlib import Path

from osler.eval.scoring import score
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Answered, Asked, Concluded, Ending, Found, Maker, Retrieved, Role
from osler.runs.plan import Cell, Plan
from osler.runs.store import RunWriter
from osler.runs.transcript import Transcript
from osler.settings.run_settings import RunSettings
from tests.headers import header_of

POOL = RecordPool.open()


def run_of(path: Path, *replies: str, cases: tuple[str, ...] = ("gout-en", "gout-zh")) -> Path:
    """A run of some patients who all give these replies, scored by the rules as a simulation
    does."""
    records = {case: POOL.get(case) for case in cases}
    settings = RunSettings()
    about = {"settings": settings.as_json(), "version": "1", "prompts": {"en": "a", "zh": "b"}}
    with RunWriter.create_or_resume(path, about) as store:
        for number in store.extend(Plan(tuple(records.values()), settings=settings)).todo:
            cell = store.cell(number)
            transcript = held(cell, records[cell.case], replies)
            store.finish(number, transcript, score(transcript, records[cell.case]))
    return path


def held(cell: Cell, record: PatientRecord, replies: tuple[str, ...]) -> Transcript:
    header = header_of(cell, record)
    events = [
        event
        for turn, reply in enumerate(replies, 1)
        for event in (
            Asked(turn=turn, role=Role.DOCTOR, question="?"),
            Retrieved(
                turn=turn, role=Role.RAM, entries=(Found(name=record.entries[0].name, score=1.0),)
            ),
            Answered(turn=turn, role=Role.PATIENT, reply=reply, maker=Maker.MODEL),
        )
    ]
    end = Concluded(turn=len(replies) + 1, role=Role.DOCTOR, diagnosis="x", treatment="y")
    return Transcript(header=header, ending=Ending.CONCLUDED, events=(*events, end))
