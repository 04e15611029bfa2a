"""Runs made by hand for tests of tables: who was judged how is up to the test, and nothing is
simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from osler.eval.measures import VERSION, measure
from osler.eval.runs import Run as LoadedRun
from osler.eval.scoring import EXACT
from osler.records import PatientRecord
from osler.runs.events import Answered, Asked, Called, Concluded, Ending, Event, Failed, Maker, Role
from osler.runs.plan import Cell, Plan
from osler.runs.store import AnswerRow, RunWriter, StoredScore, StoredVerdict
from osler.runs.transcript import Transcript
from osler.settings.run_settings import RunSettings
from tests.headers import header_of

UNJUDGED, FAILED = "", "failed"
Judge = Callable[[Cell], str]
"""The verdict on a consultation, or on its diagnosis/treatment; `UNJUDGED`: it has none, `FAILED`:
it has no answer."""


def made_run(
    path: Path,
    records: Iterable[PatientRecord],
    judge: Judge = lambda _: "correct",
    *,
    calls: Callable[[Cell], Sequence[Called]] = lambda _: (),
    measures: Callable[[Cell], dict[str, Any]] = lambda _: {},
    settings: RunSettings | None = None,
    **plan: Any,
) -> Path:
    """A run whose consultations were all held and judged as told."""
    by_id = {record.id: record for record in records}
    settings = settings or RunSettings()
    about = {"settings": settings.as_json(), "version": "9.8.7"}
    with RunWriter.create_or_resume(path, about) as store:
        for number in store.extend(Plan(tuple(by_id.values()), settings=settings, **plan)).todo:
            cell = store.cell(number)
            record, verdict = by_id[cell.case], judge(cell)
            transcript = held(
                cell, record, settings.patient_backbone, calls(cell), failed=verdict == FAILED
            )
            if transcript.of(Called):
                store.store_answers([AnswerRow(number, "key", "{}", 1, 14, 0.0)])
            judged = verdict not in {UNJUDGED, FAILED}
            said = zip(
                ("diagnosis", "treatment"), verdict.split("/") if judged else (), strict=False
            )
            verdicts = tuple(StoredVerdict(kind, one, "name", "because", 1) for kind, one in said)
            measured = {**asdict(measure(transcript, record)), **measures(cell)}
            store.finish(number, transcript, StoredScore(EXACT, verdicts, VERSION, measured))
    return path


def held(
    cell: Cell, record: PatientRecord, patient: str, calls: Sequence[Called], *, failed: bool
) -> Transcript:
    """One question, one reply, and an end."""
    last: Event = (
        Failed(turn=1, role=Role.DOCTOR, kind="unreachable", message="down")
        if failed
        else Concluded(turn=1, role=Role.DOCTOR, diagnosis="x", treatment="y")
    )
    return Transcript(
        header=header_of(cell, record, patient_backbone=patient),
        ending=Ending.BACKBONE_FAILURE if failed else Ending.CONCLUDED,
        events=(
            Asked(turn=1, role=Role.DOCTOR, question="What is it?"),
            Answered(turn=1, role=Role.PATIENT, reply="I do not know.", maker=Maker.RULES),
            *calls,
            last,
        ),
    )


def score_rows(
    run: LoadedRun, judge: str | None = None, ruler: str | None = None
) -> list[dict[str, Any]]:
    """The rows of `Run.scores`, with None for what is missing."""
    frame = run.scores(judge, ruler).astype(object)
    records = frame.where(frame.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in records]
