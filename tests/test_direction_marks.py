"""Marks that turn the direction of writing, and with it what a line seems to say: they are shown,
and turn nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from osler.memory.base import Change, Fact, Recall
from osler.records.schema import PatientRecord
from osler.runs.events import (
    Answered,
    Asked,
    Concluded,
    Ending,
    Intervened,
    Intervention,
    Maker,
    Recalled,
    Remembered,
    Role,
)
from osler.runs.plan import Plan
from osler.runs.store import RunWriter
from osler.runs.transcript import Header, Transcript
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import about
from tests.conftest import Run, small_record

MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
TURNED = f"no \u202ereffus{MARKS}\u202c pain 疼\u2067痛\u2069"
SHOWN = r"no \u202ereffus\u061c\u200e"


def hostile() -> PatientRecord:
    entries = [{"category": "symptom", "name": f"Ankle {TURNED}", "report": TURNED, "when": TURNED}]
    return PatientRecord.model_validate(
        small_record(
            entries=entries,
            complaint=TURNED,
            intent=TURNED,
            source=TURNED,
            exam_order=None,
            diagnosis={"name": f"Sprain {TURNED}", "aliases": [f"Strain {TURNED}"]},
            treatment={"name": f"Rest {TURNED}", "aliases": [f"Ice {TURNED}"]},
        )
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pool and a run in which every text holds such marks."""
    record = hostile()
    (tmp_path / "pool.jsonl").write_text(
        json.dumps(record.model_dump(mode="json", exclude_none=True)), "utf-8"
    )
    memory, model = f"raw{TURNED}", f"rules{TURNED}"
    header = Header(
        case=record.id,
        patient=record.patient,
        language=record.language,
        backbone=model,
        settings={"patient_backbone": model},
        memory=memory,
        seed=0,
        turn_limit=5,
        version="0",
        prompts={},
    )
    change = Change(
        inserted=(TURNED,),
        superseded=(TURNED,),
        merged=(TURNED,),
        forgotten=(TURNED,),
        refused=(TURNED,),
    )
    recall = Recall(
        text=TURNED, facts=(Fact(subject=TURNED, relation=TURNED, object=TURNED, turn=1),)
    )
    events = (
        Recalled(turn=1, role=Role.MEMORY, query=TURNED, recall=recall),
        Intervened(
            turn=1, role=Role.DOCTOR, kind=Intervention.REFUSED, draft=TURNED, reasons=(TURNED,)
        ),
        Asked(turn=1, role=Role.DOCTOR, question=TURNED),
        Answered(turn=1, role=Role.PATIENT, reply=TURNED, maker=Maker.MODEL),
        Remembered(turn=1, of=1, role=Role.MEMORY, change=change),
        Concluded(
            turn=2, role=Role.DOCTOR, diagnosis=TURNED, treatment=TURNED, differential=(TURNED,)
        ),
    )
    with RunWriter.create_or_resume(tmp_path / "run.osler", about(RunSettings())) as run:
        (number,) = run.extend(Plan((record,), (model,), (memory,), settings=RunSettings())).todo
        run.begin({})
        run.finish(number, Transcript(header=header, ending=Ending.CONCLUDED, events=events))
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "show run.osler sprain --details",
        "memory show run.osler sprain",
        "records show sprain --pool pool.jsonl",
        "records list --pool pool.jsonl",
        "runs status run.osler",
        "replay run.osler sprain",
    ],
)
def test_no_command_lets_them_turn_a_line(osler: Run, folder: Path, command: str) -> None:
    done = osler(*command.split(), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not re.search(f"[{MARKS}]", done.stdout)
    assert SHOWN in re.sub(r"\s*\n\s*", "", done.stdout), "they are shown, not dropped"


def test_the_report_shows_them(osler: Run, folder: Path) -> None:
    done = osler("report", "run.osler", "-o", "report.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "report.html").read_text("utf-8")
    assert not re.search(f"[{MARKS}]", page) and page.count(SHOWN) > 10
