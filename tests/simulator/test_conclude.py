"""The benchmark that concludes finished interviews again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from osler.records import RecordPool
from osler.runs.plan import Plan
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from tests.models.server import Step
from tests.simulator.model_server import model_server

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "conclude.py"


def test_the_same_interviews_are_concluded_from_other_recalls(tmp_path: Path) -> None:
    records = RecordPool.open().only(ids=["pneumonia-en", "pneumonia-zh"])
    plan = Plan(records, ("rules",), ("raw", "tim"), settings=RunSettings(turns=4))
    simulate_plan(plan, tmp_path / "run.osler", RunOptions(quiet=True), "bundled")
    with model_server() as server:
        given = [
            BENCHMARK,
            tmp_path / "run.osler",
            "--backbone",
            server.spec,
            "--out",
            tmp_path / "lists.jsonl",
        ]
        done = subprocess.run(
            [sys.executable, *map(str, given)], capture_output=True, text=True, check=True
        )
    lists = [
        json.loads(line)
        for line in (tmp_path / "lists.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    ways = ["own", "talk", "both", "told", "all"]
    assert sorted((row["case"], row["memory"], row["recalled"]) for row in lists) == sorted(
        (record.id, memory, way) for record in records for memory in ("raw", "tim") for way in ways
    )
    assert all(row["diagnoses"] == ["Pneumonia", "Bronchitis"] for row in lists)
    # The Chinese record does not take the English name for its own.
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [(row[0], row[1], row[2], row[3]) for row in rows] == [
        (memory, way, "2", "0.500") for memory in ("raw", "tim") for way in ways
    ]
    # What was recalled differs: facts and talk together are in no other prompt.
    both = [
        prompt for prompt in server.prompts if "Fact #" in prompt and "Turn 1\nDoctor:" in prompt
    ]
    assert both and any(
        "Fact #" not in prompt and "Turn 1\nDoctor:" in prompt for prompt in server.prompts
    )


def test_a_model_that_fails_is_no_wrong_answer(tmp_path: Path) -> None:
    plan = Plan(RecordPool.open().only(ids=["pneumonia-en"]), settings=RunSettings(turns=2))
    simulate_plan(plan, tmp_path / "run.osler", RunOptions(quiet=True), "bundled")
    with model_server(lambda _: Step(status=401)) as server:
        given = [BENCHMARK, tmp_path / "run.osler", "--backbone", server.spec]
        done = subprocess.run(
            [sys.executable, *map(str, given)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 1 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "401" in done.stderr
