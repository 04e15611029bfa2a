"""Small runs made by hand, so that every test knows what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path

from osler.eval.scoring import score
from osler.memory.base import Change, Fact, Recall
from osler.records import RecordPool
from osler.records.schema import PatientRecord
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    Ending,
    Event,
    Failed,
    Found,
    Intervened,
    Intervention,
    Maker,
    Message,
    Recalled,
    Remembered,
    Retrieved,
    Role,
)
from osler.runs.plan import Cell, Plan
from osler.runs.reply_faults import FaultyReply, ReplyFaults
from osler.runs.store import RunWriter
from osler.runs.transcript import Header, Transcript
from osler.simulator.batch import about

RECALL = Recall(
    text="t", facts=(Fact(subject="patient", relation="has", object="fever", denied=True, turn=1),)
)

Talk = Sequence[tuple[str, str]]


@lru_cache
def record(case: str) -> PatientRecord:
    return RecordPool.open().get(case)


def transcript(
    of: PatientRecord, cell: Cell, talk: Talk, conclusion: str | None = "Nothing certain"
) -> Transcript:
    """A consultation in which this was said; without a conclusion it has failed."""
    events: list[Event] = []
    for turn, (question, reply) in enumerate(talk, start=1):
        entry = of.entries[0].name
        events += [
            Recalled(turn=turn, role=Role.MEMORY, query="q", recall=RECALL),
            Called(
                turn=turn,
                role=Role.DOCTOR,
                model="m",
                messages=(Message(role="user", content="the prompt"),),
            ),
            Intervened(
                turn=turn,
                role=Role.DOCTOR,
                kind=Intervention.REFUSED,
                draft="a draft",
                reasons=("a reason",),
            ),
            Asked(turn=turn, role=Role.DOCTOR, question=question, at=float(turn)),
            Retrieved(
                turn=turn, role=Role.RAM, asked_for=("c",), entries=(Found(name=entry, score=0.5),)
            ),
            Answered(turn=turn, role=Role.PATIENT, reply=reply, maker=Maker.RULES),
            Remembered(
                turn=turn + 1,
                role=Role.MEMORY,
                of=turn,
                change=Change(group=2, inserted=(f"#{turn}",)),
            ),
        ]
    last = len(talk) + 1
    if conclusion is None:
        events.append(Failed(turn=last, role=Role.SIMULATOR, kind="timeout", message="no answer"))
    else:
        events.append(Called(turn=last, role=Role.DOCTOR, model="m", messages=(), answer="the end"))
        events.append(
            Concluded(turn=last, role=Role.DOCTOR, diagnosis=conclusion, treatment="Rest")
        )
    return Transcript(
        header=Header(
            case=of.id,
            patient=of.patient,
            language=of.language,
            specialty=of.specialty,
            backbone=cell.column.backbone,
            strategy=cell.column.strategy,
            memory=cell.column.memory,
            trial=cell.trial,
            seed=0,
            turn_limit=10,
            version="0",
            prompts={},
        ),
        ending=Ending.CONCLUDED if conclusion is not None else Ending.BACKBONE_FAILURE,
        events=tuple(events),
    )


def make(
    path: Path, plan: Plan, talks: Iterable[tuple[Talk, str | None]], *, judged: bool = True
) -> Path:
    """A run of a plan whose first consultations went like this; the others are still to be held."""
    with RunWriter.create_or_resume(path, about(plan.settings)) as store:
        todo = store.extend(plan).todo
        store.begin({})
        for number, (talk, conclusion) in zip(todo, talks, strict=False):
            cell = store.cell(number)
            held = transcript(store.record(cell.case), cell, talk, conclusion)
            store.finish(number, held)
            if judged:
                scored = score(held, store.record(cell.case))
                named = ReplyFaults(names_diagnosis=(store.record(cell.case).diagnosis.name,))
                faulty = [asdict(FaultyReply(turn, named)) for turn, _ in enumerate(talk, start=1)]
                store.store_score(
                    number,
                    replace(scored, measures={**(scored.measures or {}), "faulty_replies": faulty}),
                )
    return path
