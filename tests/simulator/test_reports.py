"""`results=report`: the doctor reads results in the record's words, and the patient tells only what
a person knows."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from osler.memory.base import Turn
from osler.memory.raw import RawMemory
from osler.records import PatientRecord, RecordPool
from osler.replay.pages import scenes, transcript_page
from osler.runs.events import Answered, Maker, Retrieved
from osler.runs.plan import Cell, Column
from osler.settings.names import ResultsFrom
from osler.settings.run_settings import RunSettings
from osler.simulator.worker import simulate_one
from osler.view.consultation_data import consultation_data
from tests.agents.scripted import scripted
from tests.conftest import small_record
from tests.simulator.asking import hear, number, things
from tests.simulator.test_consultation import Held

POOL = RecordPool.open()
PNEUMONIA, PNEUMONIA_ZH = POOL.get("pneumonia-en"), POOL.get("pneumonia-zh")


@pytest.mark.parametrize(
    ("record", "question", "felt", "film"),
    [
        (PNEUMONIA, "Does he cough, and what did the chest X-ray show?", "Cough", "Chest X-ray"),
        (PNEUMONIA_ZH, "咳嗽吗？胸片怎么样？", "咳嗽", "胸部X线片"),
    ],
)
async def test_the_doctor_has_the_report_and_the_patient_tells_the_rest(
    record: PatientRecord, question: str, felt: str, film: str
) -> None:
    ram = [things((felt, [number(record, felt)], ""), (film, [number(record, film)], ""))]
    said = "Yes, he does." if record is PNEUMONIA else "咳。"
    heard = await hear(record, question, ram=ram, patient=[said], reports=True)
    [retrieved] = heard.retrieved
    entry = record.entry(film)
    assert (
        retrieved.results.startswith(film)
        and entry.report in retrieved.results
        and felt not in retrieved.results
    )
    assert entry.when is not None and entry.when in retrieved.results
    assert (
        heard.doctor.briefings[0].results == ""
        and heard.doctor.briefings[1].results == retrieved.results
    )
    assert heard.patient is not None
    [told] = heard.patient.prompts
    assert entry.report not in told and record.entry(felt).report in told
    assert ("handed the report" if record is PNEUMONIA else "已经交给医生") in told
    assert film in heard.answered[0].disclosed
    usual = await hear(record, question, ram=ram, patient=[said])
    assert usual.retrieved[0].results == "" and usual.doctor.briefings[1].results == ""


@pytest.mark.parametrize(
    ("record", "question", "said"),
    [
        (PNEUMONIA, "What did the chest X-ray show?", "You have the report there."),
        (PNEUMONIA_ZH, "胸片怎么样？", "报告您那儿有。"),
    ],
)
async def test_without_models_it_works_as_well(
    record: PatientRecord, question: str, said: str
) -> None:
    heard = await hear(record, question, reports=True)
    [answered] = heard.answered
    assert (answered.reply, answered.maker) == (said, Maker.RULES)
    assert heard.retrieved[0].results and answered.disclosed == tuple(
        one.name for one in heard.retrieved[0].entries
    )


async def test_every_state_of_a_result_has_its_words() -> None:
    states = [
        ("present", "High."),
        ("present", ""),
        ("normal", ""),
        ("absent", ""),
        ("not_done", ""),
    ]
    entries = [
        {"category": "test", "name": f"Test {place}", "status": status, "report": report}
        for place, (status, report) in enumerate(states)
    ]
    record = PatientRecord.model_validate(
        small_record(entries=entries, exam_order=None, treatment=None)
    )
    heard = await hear(
        record, "Your tests?", ram=[things(("tests", [1, 2, 3, 4, 5], ""))], reports=True
    )
    assert heard.retrieved[0].results.splitlines() == [
        "Test 0: High.",
        "Test 1: done, the report is missing",
        "Test 2: normal",
        "Test 3: absent",
        "Test 4: not done",
    ]


async def test_the_turn_that_a_memory_is_given_holds_the_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns: list[Turn] = []
    remember = RawMemory.remember

    async def watched(self: RawMemory, turn: Turn) -> Any:
        turns.append(turn)
        return await remember(self, turn)

    monkeypatch.setattr(RawMemory, "remember", watched)
    settings = RunSettings(turns=3, results=ResultsFrom.REPORT)
    held = await simulate_one(
        PNEUMONIA, Cell(PNEUMONIA.id, Column("rules", "", "raw"), 1), settings, Held()
    )
    handed = {event.turn: event.results for event in held.of(Retrieved)}
    assert [turn.results for turn in turns] == [handed[turn.number] for turn in turns]
    asked = RunSettings(turns=3, results=ResultsFrom.REPORT, ram_backbone="ram")
    model, _ = scripted(lambda _: things(("film", [number(PNEUMONIA, "Chest X-ray")], "")))
    held = await simulate_one(
        PNEUMONIA, Cell(PNEUMONIA.id, Column("rules", "", "raw"), 1), asked, Held(ram=model)
    )
    assert all(event.results.startswith("Chest X-ray") for event in held.of(Retrieved))
    assert all(event.disclosed == ("Chest X-ray",) for event in held.of(Answered))
    console = Console(file=StringIO(), width=200)
    console.print(transcript_page(held, details=False))
    assert isinstance(console.file, StringIO) and "Report: Chest X-ray: " in console.file.getvalue()
    assert any(
        line.text.startswith("Chest X-ray: ") for scene in scenes(held) for line in scene.lines
    )
    assert all(
        turn["results"].startswith("Chest X-ray: ")
        for turn in consultation_data(held, PNEUMONIA, {})["turns"]
    )
