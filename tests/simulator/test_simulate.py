"""`osler simulate` and `osler show`, as a person uses them."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from osler.eval.measures import measure
from osler.eval.scoring import exact_verdicts
from osler.eval.verdict import Verdict
from osler.memory.base import Change, Fact, Recall
from osler.records import RecordPool
from osler.replay.pages import memory_page, transcript_page
from osler.runs.events import (
    Answered,
    Asked,
    Concluded,
    Ending,
    Failed,
    Intervened,
    Intervention,
    Journal,
    Maker,
    Recalled,
    Remembered,
    Role,
)
from osler.runs.plan import Cell, Column
from osler.runs.store import RunFile
from osler.settings.names import PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.worker import transcript_of
from tests.conftest import Run
from tests.models.server import Step, serving

TIMES = re.compile(r'"(?:at|seconds)":[\d.e-]+')


def stored(path: Path) -> list[str]:
    with RunFile.open(path) as run:
        return [
            TIMES.sub('"t":0', transcript.model_dump_json()) for transcript in run.transcripts()
        ]


def exact(path: Path) -> list[str]:
    with RunFile.open(path) as run:
        return [transcript.model_dump_json() for transcript in run.transcripts()]


def test_rules_over_a_quarter_of_the_records_forget_without_memory_and_never_leak(
    osler: Run, tmp_path: Path
) -> None:
    done = osler(
        "simulate",
        "--sample",
        "22",
        "--memory",
        "none",
        "--memory",
        "raw",
        "--quiet",
        "--out",
        "run",
    )
    assert done.returncode == 0, done.stderr
    with RunFile.open(tmp_path / "runs" / "run.osler") as run:
        transcripts = list(run.transcripts())
    assert len(transcripts) == 2 * 22
    assert all(transcript.ending.is_answer for transcript in transcripts)
    records = {record.id: record for record in RecordPool.open()}
    right = Counter(
        transcript.header.memory
        for transcript in transcripts
        for verdict in exact_verdicts(transcript, records[transcript.header.case])
        if verdict.kind == "diagnosis" and verdict.verdict == Verdict.CORRECT
    )
    assert right["raw"] >= right["none"] + 4, right
    assert "diagnosis right" in done.stdout and "replies with unknown digits" in done.stdout
    replies = [reply for transcript in transcripts for reply in transcript.of(Answered)]
    assert len(replies) > 375
    faulty = [
        reply
        for one in transcripts
        for reply in measure(one, records[one.header.case]).faulty_replies
    ]
    assert not faulty
    assert "that leak" not in done.stdout and "nobody has read the patient's replies" in done.stdout


def test_the_same_seed_gives_the_same_bytes_but_for_times(
    osler: Run, osler_process: Run, tmp_path: Path
) -> None:
    for name, run in (("a", osler), ("b", osler_process)):
        assert (
            run("simulate", "--limit", "2", "--memory", "raw", "--quiet", "--out", name).returncode
            == 0
        )
    first, second = (stored(tmp_path / "runs" / f"{name}.osler") for name in "ab")
    assert len(first) == 2 and first == second


def test_a_second_call_runs_only_what_is_missing(osler: Run, tmp_path: Path) -> None:
    first = osler("simulate", "--limit", "2", "--memory", "raw", "--out", "run")
    assert "2 consultation(s)" in first.stderr
    path = tmp_path / "runs" / "run.osler"
    before = set(exact(path))
    again = osler("simulate", "--limit", "3", "--memory", "raw", "--memory", "none", "--out", "run")
    assert "4 consultation(s)" in again.stderr and "2 were there already" in again.stderr
    assert before < set(exact(path)) and len(exact(path)) == 6
    changed = osler("simulate", "--limit", "2", "--memory", "raw", "--seed", "7", "--out", "run")
    assert changed.returncode == 2 and "seed: 0 → 7" in changed.stderr


def test_show_prints_a_consultation(osler: Run) -> None:
    memories = ("--memory", "raw", "--memory", "none")
    osler("simulate", "--case", "croup", *memories, "--turns", "4", "--quiet", "--out", "run")
    shown = osler("show", "run", "croup-en", "--memory", "raw").stdout
    assert "Doctor:" in shown and "Patient:" in shown and "Diagnosis" in shown
    assert "检索到" in osler("show", "run", "croup-zh", "--memory", "raw", "--details").stdout
    several = osler("show", "run", "croup-en")
    assert several.returncode == 2 and "fits 2 consultations" in several.stderr
    assert osler("show", "run", "nobody").returncode == 2
    assert "there is no run" in osler("show", ".", "croup-en").stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_model_says_cannot_steer_the_terminal(language: str) -> None:
    record = RecordPool.open().get(f"croup-{language}")
    journal = Journal()
    journal.turn = 1
    evil = "red \x1b[31m and \x07 a bell"
    fact = Fact(subject=evil, relation=evil, object=evil, turn=1)
    journal.add(Recalled, Role.MEMORY, query=evil, recall=Recall(text=evil, facts=(fact,)))
    journal.add(Asked, Role.DOCTOR, question=evil)
    journal.add(Answered, Role.PATIENT, reply=evil, maker=Maker.MODEL)
    journal.add(Intervened, Role.PATIENT, kind=Intervention.REFUSED, draft=evil, reasons=(evil,))
    journal.add(Remembered, Role.MEMORY, of=1, change=Change(inserted=(evil,), forgotten=(evil,)))
    journal.add(
        Concluded, Role.DOCTOR, diagnosis=evil, treatment=evil, differential=(evil,), reasoning=evil
    )
    journal.add(Failed, Role.SIMULATOR, kind="x", message=evil)
    held = transcript_of(
        record,
        Cell(record.id, Column.of("doc", PLAIN, "tim"), 1),
        RunSettings(),
        journal,
        Ending.CONCLUDED,
    )
    screen = StringIO()
    console = Console(width=200, file=screen, force_terminal=False)
    console.print(transcript_page(held, details=True))
    console.print(memory_page(held))
    told = screen.getvalue()
    assert "\x1b" not in told and "\x07" not in told and "\\x1b[31m" in told


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--memory", "elephant"], "there is no memory 'elephant'"),
        (["--memory", "no.such:Thing"], "cannot be loaded"),
        (["--backbone", "gpt"], "gpt"),
        (["--case", "nobody"], "no record is called 'nobody'"),
        (["--specialty", "astrology"], "no record passes the filters"),
        (["--backbone", "openai:gpt-x"], "OPENAI_API_KEY"),
    ],
)
def test_bad_input_stops_before_anything_is_written(
    osler: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], line: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = osler("simulate", *args, "--out", "run")
    assert done.returncode == 2 and line in done.stderr
    assert done.stderr.count("\n") == 1 and not list(tmp_path.glob("runs/*"))


async def test_a_call_that_fails_is_recorded_as_failed_and_never_as_wrong(
    osler: Run, osler_process: Run, tmp_path: Path
) -> None:
    """The server refuses one prompt; that tells nothing of the next patient."""
    refused = Step(status=400, message="bad prompt sk-secret123456")
    async with serving(*[refused] * 2) as server:
        args = (
            "--backbone",
            server.spec,
            "--limit",
            "2",
            "--turns",
            "3",
            "--out",
            "run",
            "--timeout",
            "5",
        )
        done = await asyncio.to_thread(osler_process, "simulate", *args)
        assert done.returncode == 1 and "every consultation failed" in done.stderr
    with RunFile.open(tmp_path / "runs" / "run.osler") as run:
        assert [transcript.ending for transcript in run.transcripts()] == [
            Ending.BACKBONE_FAILURE
        ] * 2
        assert run.status().failed == 2
    failures = osler("runs", "failures", "run").stdout
    assert failures.count("backbone_failure") == 2 and "1 attempt(s)" in failures
    for text in (
        failures,
        done.stderr,
        (tmp_path / "runs" / "run.osler").read_bytes().decode("latin1"),
    ):
        assert "secret123456" not in text


async def test_people_take_the_same_seats() -> None:
    from osler.agents.human import HumanParticipant, at_prompt
    from osler.agents.ram.agent import Ram
    from osler.memory import MemorySettings, memory_factory
    from osler.runs.events import Journal, Maker
    from osler.simulator.build import case_of
    from osler.simulator.consultation import Seats, consult

    record = RecordPool.open().get("bladder-cancer-en")
    typed = iter(["", "Does she have urgency?", "end", "Bladder cancer", "TURBT"])
    shown: list[str] = []

    def doctor(prompt: str) -> str:
        shown.append(prompt)
        return next(typed)

    def patient(prompt: str) -> str:
        shown.append(prompt)
        return "No, not at all."

    journal, case = Journal(), case_of(record)
    seats = Seats(
        HumanParticipant("doctor", partial(at_prompt, read=doctor)),
        Ram(record, case),
        HumanParticipant("patient", partial(at_prompt, read=patient)),
        memory_factory("raw")(MemorySettings()),
    )
    assert await consult(seats, case, journal, 5) is Ending.CONCLUDED
    (answered,) = [event for event in journal.events if isinstance(event, Answered)]
    assert answered.maker is Maker.HUMAN and answered.disclosed == ("Urgency",)
    assert any("Urgency: No urgency." in prompt for prompt in shown)
