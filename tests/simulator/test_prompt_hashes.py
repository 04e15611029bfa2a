"""A changed prompt forbids resuming a run that used it, and no other."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from osler import prompts
from osler.errors import UserError
from osler.eval.compare import compare
from osler.eval.runs import load_run
from osler.language import Language
from osler.records import RecordPool
from osler.runs.plan import Cell, Column, Plan
from osler.runs.store import RunFile, RunWriter
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, retry_run, simulate_plan
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one
from tests.conftest import Run
from tests.simulator.model_server import model_server

Change = Callable[..., None]


@pytest.fixture
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Change]:
    """Adds a space at the end of prompts, in both languages."""
    folder = tmp_path / "prompts"
    shutil.copytree(Path(prompts.__file__).parent, folder)

    def add_space(*names: str) -> None:
        for name in names:
            for language in Language:
                file = folder / language.value / f"{name}.txt"
                file.write_text(f"{file.read_text('utf-8')} ", "utf-8")
        prompts.forget_templates()

    monkeypatch.setattr(prompts, "files", lambda _: folder)
    yield add_space
    monkeypatch.undo()
    prompts.forget_templates()


def hold(path: Path, *cases: str, memory: str = "raw", backbone: str = "rules") -> int:
    records = RecordPool.open().only(ids=list(cases))
    settings = RunSettings(turns=2, patient_backbone=backbone, ram_backbone=backbone)
    return simulate_plan(
        Plan(records, (backbone,), (memory,), settings=settings), path, RunOptions(quiet=True), "x"
    )


def test_a_prompt_that_the_run_does_not_use_may_change(tmp_path: Path, change: Change) -> None:
    path = tmp_path / "run.osler"
    hold(path, "gout-en")
    change(
        "bench_answer", "read_diagnosis", "doctor_ask", "tim_think", "structure_entries", "lesson"
    )
    hold(path, "gout-en", "gout-zh")
    with RunFile.open(path) as run:
        assert run.status().done == 2


def test_one_that_it_uses_forbids_resuming_and_is_named(tmp_path: Path, change: Change) -> None:
    path = tmp_path / "run.osler"
    hold(path, "gout-en")
    body = path.read_bytes()
    change("rules_patient", "bench_answer")
    with pytest.raises(UserError) as caught:
        hold(path, "gout-en", "gout-zh")
    assert f"the prompt en/rules_patient has changed since the run {path} began" in str(
        caught.value
    )
    with pytest.raises(UserError, match="the prompt en/rules_patient has changed"):
        retry_run(path, RunOptions(quiet=True))
    assert path.read_bytes() == body
    with RunWriter.resume(path) as run:  # to judge it or explain it needs none of its prompts
        assert run.changed_prompts() == ["en/rules_patient"]


@pytest.mark.parametrize(
    ("changed", "used"),
    [
        ("doctor_ask", True),
        ("tim_think", True),
        ("ram", True),
        ("patient", True),
        ("scm_turn", False),
        ("doctor_repair_move", False),
        ("tim_repair", False),
        ("ram_repair", False),
        ("patient_again", False),
        ("visits", False),
    ],
)
def test_the_seats_of_a_model_decide_what_is_used(
    tmp_path: Path, change: Change, changed: str, used: bool
) -> None:
    path = tmp_path / "run.osler"
    with model_server() as server:
        hold(path, "gout-en", memory="tim", backbone=server.spec)
        change(changed)
        if used:
            with pytest.raises(UserError, match=f"the prompt en/{changed} has changed"):
                hold(path, "gout-en", "gout-zh", memory="tim", backbone=server.spec)
        else:
            hold(path, "gout-en", "gout-zh", memory="tim", backbone=server.spec)


def test_what_was_not_used_so_far_is_compared_from_its_first_use_on(
    tmp_path: Path, change: Change
) -> None:
    path = tmp_path / "run.osler"
    hold(path, "gout-en")
    change("exchange")
    with pytest.raises(UserError, match="en/exchange"):
        hold(path, "gout-en", "gout-zh")
    other = tmp_path / "other.osler"
    hold(other, "gout-en", memory="none")
    change("exchange")
    hold(other, "gout-en", memory="raw")
    change("exchange")
    with pytest.raises(UserError, match="en/exchange"):
        hold(other, "gout-en", "gout-zh")


@pytest.mark.parametrize("memory", ["raw", "tim", "summary", "memorybank", "scm", "perlt", "graph"])
def test_a_second_consultation_of_a_process_uses_the_same_prompts(memory: str) -> None:
    """A cache in between would hide them from all but the first."""

    async def held_twice() -> list[Any]:
        clients = Clients()
        with model_server() as server:
            settings = RunSettings(turns=2, patient_backbone=server.spec, ram_backbone=server.spec)
            cell = Cell("gout-en", Column.of(server.spec, "checklist", memory), 1)
            record = RecordPool.open().get("gout-en")
            made = [await simulate_one(record, cell, settings, clients) for _ in range(2)]
            await clients.close()
        return [transcript.header.prompts for transcript in made]

    first, second = asyncio.run(held_twice())
    assert first == second and {"en/checklist", "en/patient"} <= first.keys()


def test_only_shared_prompts_with_other_words_make_runs_differ(
    tmp_path: Path, change: Change
) -> None:
    line = "the runs were made with different versions of Osler or its prompts"
    hold(tmp_path / "one.osler", "gout-en")
    change("bench_answer", "exchange")
    hold(tmp_path / "two.osler", "gout-en", memory="none")
    change("rules_patient")
    hold(tmp_path / "three.osler", "gout-en")
    one, two, three = (load_run(tmp_path / f"{name}.osler") for name in ("one", "two", "three"))
    assert "en/exchange" in one.file.prompts() and line not in compare([one, two]).warnings
    assert line in compare([one, three]).warnings


def test_a_run_between_that_does_not_use_a_prompt_hides_no_difference_in_it(
    tmp_path: Path, change: Change
) -> None:
    line = "the runs were made with different versions of Osler or its prompts"
    hold(tmp_path / "old.osler", "gout-en")
    change("exchange")
    hold(tmp_path / "between.osler", "gout-en", memory="none")
    hold(tmp_path / "new.osler", "gout-en")
    old, between, new = (load_run(tmp_path / f"{name}.osler") for name in ("old", "between", "new"))
    assert line not in compare([old, between]).warnings
    assert line not in compare([between, new]).warnings
    assert compare([old, between, new]).warnings.count(line) == 1


def test_verify_names_the_prompts_that_changed(osler: Run, tmp_path: Path, change: Change) -> None:
    hold(tmp_path / "run.osler", "gout-en")
    change("rules_patient", "bench_answer")
    done = osler("verify", "run.osler")
    assert "other prompts (en/rules_patient)" in done.stderr, done.stderr
