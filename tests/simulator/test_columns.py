"""A column is backbone, strategy, memory and named variants; a cell is a record, a column and a
trial."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from osler import __version__
from osler.agents import doctors
from osler.errors import UserError
from osler.play.played_runs import OneCellPlan
from osler.records import RecordPool
from osler.runs.events import Ending, Journal
from osler.runs.plan import Cell, Column, Plan, Selector, default_patient, default_ram
from osler.runs.store import Fork, RunFile, RunWriter
from osler.runs.store.tables import FORMAT
from osler.settings.names import ONE_STEP, PLAIN, ResultsFrom
from osler.settings.run_settings import RunSettings
from osler.simulator import build
from osler.simulator.batch import about
from osler.simulator.engines.process import pack
from osler.simulator.worker import Job, transcript_of
from tests.conftest import Run
from tests.simulator.model_server import model_server
from tests.stored_runs import rewriting

POOL = RecordPool.open()
CROUP = POOL.get("croup-en")
VARIED = Column("m1", "stepwise", "tim,k=5", (("mood", "angry"), ("visits", "2")))
MODEL = "m1@http://127.0.0.1:1/v1"


@pytest.fixture
def second_strategy(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Another name for the same doctor."""
    known: Callable[[str], doctors.DoctorFactory] = doctors.doctor_factory
    monkeypatch.setattr(
        build, "doctor_factory", lambda name: known(PLAIN if name == "careful" else name)
    )
    yield "careful"


def test_columns_are_backbones_by_strategies_by_memories_and_rules_stand_once() -> None:
    plan = Plan(
        (CROUP,),
        ("rules", "m1", "human", "m1"),
        ("raw", ONE_STEP),
        ("plain", "stepwise", "plain"),
        trials=2,
    )
    assert plan.columns == (
        Column("rules", "", "raw"),
        Column("rules", "", ONE_STEP),
        Column("m1", "plain", "raw"),
        Column("m1", "plain", ONE_STEP),
        Column("m1", "stepwise", "raw"),
        Column("m1", "stepwise", ONE_STEP),
        Column("human", "", "raw"),
        Column("human", "", ONE_STEP),
    )
    assert plan.each == 16
    assert list(plan.cells(CROUP))[4:6] == [
        Cell("croup-en", Column("m1", "plain", "raw"), trial) for trial in (1, 2)
    ]
    assert "8 columns × 2 trials" in plan.too_large.message


def test_a_column_is_the_same_whatever_way_it_goes() -> None:
    assert Column.of("m1", "stepwise", "tim,k=5", {"visits": "2", "mood": "angry"}) == VARIED
    assert VARIED.as_row()["variants"] == '{"mood":"angry","visits":"2"}'
    assert Column.from_row(VARIED.as_row()) == VARIED and hash(
        Column.from_row(VARIED.as_row())
    ) == hash(VARIED)
    assert Column.of("rules", "stepwise", "raw").strategy == ""
    assert (
        str(VARIED) == "m1 stepwise tim,k=5 mood=angry visits=2"
        and str(Column("rules", "", "raw")) == "rules raw"
    )
    job = Job(3, Cell("croup-en", VARIED, 2), CROUP, (("key", "body"),))
    assert pickle.loads(pack(job)[4:]) == job


def test_a_run_keeps_columns_and_finds_by_them(tmp_path: Path) -> None:
    """Also in the header of a transcript, and of what a fork was forked from."""
    settings, path = (
        RunSettings(ram_backbone="m2", results=ResultsFrom.REPORT, answer_tokens=500),
        tmp_path / "run.osler",
    )
    with RunWriter.create_or_resume(path, about(settings)) as store:
        planned = store.extend(
            Plan((CROUP,), ("rules", "m1"), ("raw",), ("plain", "stepwise"), settings=settings)
        )
        assert len(planned.todo) == 3 and store.columns() == [
            *(
                Column("rules", "", "raw"),
                Column("m1", "plain", "raw"),
                Column("m1", "stepwise", "raw"),
            ),
        ]
        cell = Cell("croup-en", VARIED, 1)
        more = OneCellPlan((CROUP,), settings=settings, cell=cell)
        (number,) = store.extend(more).todo
        assert store.extend(more).todo == [number] and store.cell(number) == cell
        assert store.next_trial("croup-en", VARIED) == 2
        assert store.next_trial("croup-en", Column("m1", "stepwise", "tim,k=5")) == 1
        transcript = transcript_of(CROUP, cell, settings, Journal(), Ending.CONCLUDED)
        store.begin({})
        store.finish(number, transcript)
        fork = store.add_fork(CROUP, Cell("croup-en", VARIED, 2), Fork("run", cell, 3))
    with RunFile.open(path) as run:
        assert run.settings == settings and run.forks() == {fork: Fork("run", cell, 3)}
        found = run.find(Selector("croup", strategy="stepwise", memory="tim,k=5", trial=1))
        header = found.header
        assert header.cell == cell and header.variants == {"mood": "angry", "visits": "2"}
        assert (header.ram_backbone, header.memory_backbone) == ("m2", "m1")
        assert header.results is ResultsFrom.REPORT and header.settings["answer_tokens"] == 500
        with pytest.raises(UserError, match="fits 5 consultations") as several:
            run.find(Selector("croup"))
        assert (
            "croup-en m1 stepwise raw trial 1" in several.value.message
            and "--strategy" in several.value.remedy
        )
        assert "mood=angry" in run.name_of(number)


@pytest.mark.parametrize("variants", ["[]", "{", "7"])
def test_variants_that_cannot_be_read_are_damage_and_no_traceback(
    tmp_path: Path, osler: Run, variants: str
) -> None:
    assert (
        osler(
            "simulate", "--case", "croup-en", "--turns", "2", "--quiet", "--out", "run.osler"
        ).returncode
        == 0
    )
    with rewriting(tmp_path / "run.osler") as file:
        file.execute("UPDATE cells SET state = state, variants = ?", (variants,))
    for command in (("show", "run.osler", "croup-en"), ("verify", "run.osler")):
        done = osler(*command)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert "is damaged" in done.stderr and "Traceback" not in done.stderr


def test_a_strategy_extends_a_run_and_the_same_command_goes_on(
    osler: Run, tmp_path: Path, second_strategy: str
) -> None:
    with model_server() as server:
        args = (
            "--backbone",
            server.spec,
            "--backbone",
            "rules",
            "--patient",
            "rules",
            "--case",
            "croup-en",
            "--turns",
            "2",
        )
        command = ("simulate", *args, "--json", "--out", "run.osler")
        first = json.loads(osler(*command).stdout)
        assert (first["held"], first["there"]) == (2, 0)
        again = json.loads(osler(*command).stdout)
        assert (again["held"], again["there"]) == (0, 2)
        both = (*command, "--strategy", PLAIN, "--strategy", second_strategy)
        more = json.loads(osler(*both).stdout)
        assert (more["held"], more["there"]) == (1, 2), (
            "rules have no strategy, so they are there already"
        )
        shown = osler(*(arg for arg in both if arg != "--json"), "--quiet").stdout.split()
        assert "careful" in shown and "plain" in shown
    with RunFile.open(tmp_path / "run.osler") as run:
        assert [(column.strategy, column.memory) for column in run.columns()] == [
            *(("plain", "raw"), ("", "raw"), ("careful", "raw")),
        ]
        header = run.find(Selector("croup", strategy="careful")).header
        assert (header.strategy, header.ram_backbone) == ("careful", "rules")
    told = osler("show", "run.osler", "croup-en", "--strategy", "careful")
    assert "strategy careful" in told.stdout
    several = osler("show", "run.osler", "croup-en", "--memory", "raw")
    assert several.returncode == 2 and "--strategy" in several.stderr
    assert osler("verify", "run.osler").returncode == 0
    assert (
        "1 consultation(s) re-run" in osler("verify", "run.osler", "--strategy", "careful").stdout
    )


def test_a_fork_goes_on_with_another_strategy(
    osler: Run, tmp_path: Path, second_strategy: str
) -> None:
    with model_server() as server:
        args = (
            "--backbone",
            server.spec,
            "--patient",
            "rules",
            "--case",
            "croup-en",
            "--turns",
            "3",
            "--quiet",
        )
        assert osler("simulate", *args, "--out", "run.osler").returncode == 0
        case = "croup-en"
        forked = osler("fork", "run.osler", case, "--at", "1", "--strategy", second_strategy)
        assert forked.returncode == 0, forked.stderr
        by_rules = osler("fork", "run.osler", case, "--at", "1", "--backbone", "rules")
        assert by_rules.returncode == 0, by_rules.stderr
    with RunFile.open(tmp_path / "run.forks.osler") as forks:
        assert [column.strategy for column in forks.columns()] == ["careful", ""]
        assert {fork.parent.column.strategy for fork in forks.forks().values()} == {"plain"}


@pytest.mark.parametrize(
    "command", [("compare",), ("runs", "status"), ("simulate", "--case", "croup-en", "--out")]
)
def test_a_run_of_an_older_format_is_refused_with_one_line(
    osler: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    assert (
        osler(
            "simulate", "--case", "croup-en", "--turns", "2", "--quiet", "--out", "old.osler"
        ).returncode
        == 0
    )
    with sqlite3.connect(tmp_path / "old.osler") as file:
        file.execute("PRAGMA user_version = 2")
    done = osler(*command, "old.osler")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"osler: old.osler is a run of format 2, and this version of Osler reads format {FORMAT};"
        f" use Osler {__version__}, which wrote it, or run it again with another --out\n"
    )


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            ("--strategy", "magic", "--backbone", MODEL),
            "there is no strategy 'magic'; use one of plain",
        ),
        (("--backbone", MODEL, "--backbone", "m2@http://127.0.0.1:1/v1"), "name it with --patient"),
        (("--ram", "human"), "only the doctor and the patient can be a person"),
        (("--no-guards",), "--no-guards"),
        (("--results", "letter"), "letter"),
    ],
)
def test_what_cannot_be_is_said_in_one_line_before_anything_is_written(
    osler: Run, tmp_path: Path, args: tuple[str, ...], line: str
) -> None:
    done = osler("simulate", *args, "--case", "croup-en", "--out", "run")
    assert done.returncode == 2 and line in done.stderr and done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("runs/*"))


def test_the_patient_is_the_only_model_and_ram_is_the_patients() -> None:
    assert (
        default_patient(["rules", "human"]) == "rules"
        and default_patient(["rules", "m1", "m1"]) == "m1"
    )
    with pytest.raises(UserError, match="2 models"):
        default_patient(["m1", "rules", "m2"])
    assert (default_ram("m1"), default_ram("rules"), default_ram("human")) == (
        "m1",
        "rules",
        "rules",
    )


@pytest.mark.parametrize(
    ("args", "patient", "ram"),
    [
        ((), "{model}", "{model}"),
        (("--patient", "rules"), "rules", "rules"),
        (("--ram", "rules"), "{model}", "rules"),
        (("--patient", "rules", "--ram", "{model}"), "rules", "{model}"),
    ],
)
def test_who_sits_where_is_settled_before_the_run(
    osler: Run, tmp_path: Path, args: tuple[str, ...], patient: str, ram: str
) -> None:
    with model_server() as server:
        given = [arg.format(model=server.spec) for arg in ("--backbone", "{model}", *args)]
        osler(
            "simulate",
            *given,
            "--case",
            "croup-en",
            "--turns",
            "1",
            "--quiet",
            "--out",
            "run.osler",
        )
        with RunFile.open(tmp_path / "run.osler") as run:
            (transcript,) = run.transcripts()
            told = (run.settings.patient_backbone, run.settings.ram_backbone)
        expected = (patient.format(model=server.spec), ram.format(model=server.spec))
        assert (
            told == (transcript.header.patient_backbone, transcript.header.ram_backbone) == expected
        )
