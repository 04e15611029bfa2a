"""What thoughts change in a consultation: the papers' dialogue about a urine analysis, and the page
that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from osler.records import PatientRecord, RecordPool
from osler.runs.events import Asked, Recalled
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Transcript
from osler.settings.names import PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one
from tests.conftest import Run
from tests.simulator.model_server import model_server

VALUE = "White blood cells 3623.20/µl, that is high."


def with_value(record: PatientRecord) -> PatientRecord:
    entries = tuple(
        entry.model_copy(update={"report": VALUE, "said": VALUE})
        if entry.name == "Urinalysis"
        else entry
        for entry in record.entries
    )
    return record.model_copy(update={"entries": entries})


async def consultation(memory: str) -> Transcript:
    record = with_value(RecordPool.open().get("pyelonephritis-en"))
    return await simulate_one(
        record,
        Cell(record.id, Column.of("rules", PLAIN, memory), 1),
        RunSettings(turns=12),
        Clients(),
    )


def questions(transcript: Transcript) -> list[str]:
    return [event.question for event in transcript.of(Asked)]


async def test_without_memory_the_urine_test_is_asked_for_again_and_with_thoughts_it_is_not() -> (
    None
):
    none, tim = await consultation("none"), await consultation("tim")
    asked = "Have you had a urine test, and what did it show?"
    assert questions(none).count(asked) > 1
    assert questions(tim).count(asked) == 1 and len(set(questions(tim))) == len(questions(tim))
    recalled = tim.of(Recalled)[-1].recall.text
    said = next(line for line in recalled.splitlines() if "3623.20/µl" in line)
    assert said.startswith(("Fact #", "Patient: ")) and "high" in said


def test_the_page_of_a_memory_shows_what_came_in_and_what_was_recalled(
    osler: Run, tmp_path: Path
) -> None:
    case = "pyelonephritis-zh"
    assert (
        osler("simulate", "--case", case, "--memory", "tim", "--out", "run", "--quiet").returncode
        == 0
    )
    page = osler("memory", "show", "run", case)
    assert page.returncode == 0 and "   + #1 " in page.stdout and "想起" in page.stdout
    missing = osler("memory", "show", "run", "nobody")
    assert (
        missing.returncode == 2 and "nobody" in missing.stderr and "Traceback" not in missing.stderr
    )


@pytest.mark.parametrize(("memory", "most"), [("raw", 1), ("tim", 2)])
def test_a_consultation_by_itself_goes_on_while_its_memory_thinks(
    osler: Run, memory: str, most: int
) -> None:
    with model_server(latency=0.05) as server:
        talk = (
            "--backbone",
            server.spec,
            "--memory",
            memory,
            "--case",
            "pneumonia-en",
            "--turns",
            "4",
        )
        done = osler("simulate", *talk, "--judge", "none", "--concurrency", "1", "--quiet")
    assert done.returncode == 0, done.stderr
    assert server.most_under_way == most
