"""Who made what: counted from transcripts, shown in every table, and no merit of a doctor that
others asked for."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

from osler.eval.compare import compare, comparison_json, comparison_tables
from osler.eval.measures import measure
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.memory import MemorySettings, memory_factory
from osler.memory.base import Change, Turn
from osler.records import PatientRecord, RecordPool
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    CallFailure,
    Event,
    Found,
    Intervened,
    Intervention,
    Maker,
    Remembered,
    Retrieved,
    Role,
)
from osler.runs.makers import Makers, Product, Usage
from osler.runs.store import RunFile
from osler.simulator.summary import summary
from osler.tables import WRITERS, on_terminal
from tests.eval.held_runs import Judge, made_run, score_rows
from tests.eval.test_measures import ANKLES, ASTHMA, MRI, PAIN, PALPATION, RADIOGRAPH, of

POOL = RecordPool.open()
SPEC = "tiny@http://127.0.0.1:9/v1"


def asked(
    turn: int, maker: Maker, record: PatientRecord, *places: int, repeated: bool = False
) -> list[Event]:
    names = tuple(record.entries[place].name for place in places)
    question = "" if maker is Maker.SILENT else "?"
    return [
        Asked(turn=turn, role=Role.DOCTOR, question=question, maker=maker, repeated=repeated),
        Retrieved(
            turn=turn, role=Role.RAM, entries=tuple(Found(name=name, score=1) for name in names)
        ),
        Answered(turn=turn, role=Role.PATIENT, reply="…", disclosed=names, maker=Maker.MODEL),
    ]


def called(role: Role, **fields: Any) -> Called:
    return Called(turn=1, role=role, model="tiny", messages=(), **fields)


@pytest.mark.parametrize("record", ANKLES, ids=["en", "zh"])
def test_what_the_strategy_asked_is_no_merit_of_the_doctor(record: PatientRecord) -> None:
    def run(maker: Maker) -> Any:
        return measure(
            of(
                record, [*asked(1, maker, record, PALPATION, MRI), *asked(2, maker, record, ASTHMA)]
            ),
            record,
        )

    own, guided = run(Maker.MODEL), run(Maker.STRATEGY)
    assert (
        own.coverage,
        own.coverage_treatment,
        own.order_share,
        own.deciding_turn,
        own.tests_asked,
    ) == (
        *(2 / 5, 1.0, 1.0),
        *(1, 1),
    )
    assert (guided.coverage, guided.coverage_treatment, guided.tests_asked, guided.rounds) == (
        0.0,
        0.0,
        0,
        2,
    )
    assert guided.order_share is guided.deciding_turn is None and guided.order_pairs == 0
    assert run(Maker.SILENT).coverage == 0.0 and run(Maker.RETRIED).coverage == own.coverage
    # What the doctor asks again is its own, from then on; the order is that of its own questions.
    both = [
        *asked(1, Maker.STRATEGY, record, RADIOGRAPH),
        *asked(2, Maker.MODEL, record, MRI),
        *asked(3, Maker.MODEL, record, RADIOGRAPH, repeated=True),
    ]
    mixed = measure(of(record, both), record)
    assert (mixed.coverage, mixed.order_share, mixed.deciding_turn, mixed.repeats) == (
        2 / 5,
        0.0,
        2,
        1,
    )


def test_everything_is_counted_by_maker_and_seat() -> None:
    record = ANKLES[0]
    events: list[Event] = [
        *asked(1, Maker.STRATEGY, record, PAIN),
        *asked(2, Maker.RETRIED, record),
        *asked(3, Maker.MODEL, record),
        Intervened(turn=2, role=Role.DOCTOR, kind=Intervention.UNREAD),
        Intervened(turn=3, role=Role.PATIENT, kind=Intervention.REFUSED),
        Intervened(turn=3, role=Role.PATIENT, kind=Intervention.REFUSED),
        Remembered(
            turn=2,
            role=Role.MEMORY,
            of=1,
            change=Change(
                inserted=("a", "b"), makers={"model": 2}, refused=("c",), proposed=3, requests=1
            ),
        ),
        Remembered(turn=3, role=Role.MEMORY, of=2, change=Change(inserted=("d",))),
        called(Role.DOCTOR, tokens_in=10, tokens_out=2, cost=0.5, seconds=1.0),
        called(Role.DOCTOR, tokens_in=20, tokens_out=3, cost=0.25, seconds=0.5),
        called(Role.RAM, tokens_in=7, tokens_out=1, seconds=0.25),
        called(Role.MEMORY, failure=CallFailure(kind="timeout", message="slow")),
    ]
    found = Makers.of(of(record, events))
    assert found.made == {
        "questions": {"strategy": 1, "retried": 1, "model": 1},
        "retrievals": {"rules": 3},
        "replies": {"model": 3},
        "thoughts": {"model": 2},
    }
    assert found.interventions == {"doctor": {"unread": 1}, "patient": {"refused": 2}}
    assert (found.proposed, found.refused) == (3, 1)
    assert found.usage["doctor"] == Usage(2, 30, 5, 0.75, 1.5)
    assert (found.usage["ram"].tokens, found.usage["ram"].cost) == (8, None)
    assert found.usage["memory"].calls == 1 and found.usage["memory"].cost is None
    assert list(found.shares(Product.QUESTIONS)) == [Maker.MODEL, Maker.RETRIED, Maker.STRATEGY]
    twice = Makers.together([found, found])
    assert twice.made["thoughts"] == {"model": 4} and twice.usage["doctor"] == Usage(
        4, 60, 10, 1.5, 3.0
    )
    assert twice.number(Product.QUESTIONS) == 6 and twice.shares(Product.QUESTIONS) == found.shares(
        Product.QUESTIONS
    )


@pytest.mark.parametrize("memory", ["tim", "raw"])
async def test_a_memory_says_whose_its_new_thoughts_are(memory: str) -> None:
    def answers(thought: str) -> Callable[..., Any]:
        async def thinker(*_: Any) -> str:
            return thought

        return thinker

    turn = Turn(number=1, question="Do you have a fever?", reply="Yes, for three days.")
    thought = {
        "subject": "patient",
        "relation": "has",
        "object": "a fever",
        "negated": False,
        "when": "",
    }
    told = json.dumps({"thoughts": [thought], "forget": [], "merge": []})
    by_rules = await memory_factory(memory)(MemorySettings()).remember(turn)
    by_model = await memory_factory(memory)(MemorySettings(thinker=answers(told))).remember(turn)
    assert by_model.makers == ({"model": len(by_model.inserted)} if memory == "tim" else {})
    assert by_rules.makers == ({"rules": len(by_rules.inserted)} if memory == "tim" else {})
    assert by_rules.inserted and by_model.inserted


def text_of(shown: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(shown)
    return out.getvalue()


def mixed_run(path: Path, judge: Judge = lambda _: "correct") -> Path:
    """Two columns: a model with a checklist and refused replies, and the rules."""
    counts = Makers(
        made={
            "questions": {"model": 1, "strategy": 3},
            "retrievals": {"model": 4},
            "replies": {"model": 2, "retried": 1, "cut": 1},
            "thoughts": {"model": 5},
        },
        interventions={"patient": {"refused": 2, "cut": 1}},
        proposed=7,
        refused=2,
        usage={"doctor": Usage(2, 100, 20, 0.5, 1.0), "patient": Usage(3, 50, 5, 0.125, 1.0)},
    )
    stored: dict[str, Any] = json.loads(json.dumps(vars(counts), default=vars))
    return made_run(
        path,
        [POOL.get("croup-en"), POOL.get("gout-en")],
        judge,
        backbones=("rules", SPEC),
        memories=("raw",),
        measures=lambda cell: {"makers": stored} if cell.column.backbone == SPEC else {},
    )


def test_every_table_tells_who_made_what(tmp_path: Path) -> None:
    path = mixed_run(tmp_path / "mixed.osler")
    comparison = compare([load_run(path)])
    tables = comparison_tables(comparison)
    made = next(table for table in tables if table.title == "who made what")
    rows = {row[0]: row[1:] for row in made.rows}
    assert rows["questions (total)"] == ["2", "8"]
    assert rows["questions: model %"] == ["0.0", "25.0"] and rows["questions: strategy %"] == [
        "0.0",
        "75.0",
    ]
    assert rows["questions: rules %"] == ["100.0", "0.0"] and "questions: silent %" not in rows
    assert rows["replies: cut %"] == ["0.0", "25.0"] and rows["thoughts: model %"] == ["–", "100.0"]
    assert rows["patient: refused (total)"] == ["0", "4"] and rows[
        "memory: proposed, refused (total)"
    ] == ["0", "4"]
    main = {row[0]: row[1:] for row in tables[0].rows}
    assert main["tokens: doctor (mean)"] == ["0", "120"] and main["tokens: patient (mean)"] == [
        "0",
        "55",
    ]
    assert (
        main["cost: doctor, USD (mean)"] == ["0.0000", "0.5000"]
        and "tokens: RAM (mean)" not in main
    )
    assert any("only what the doctor itself asked" in note for note in tables[0].notes)
    for text in (
        text_of(on_terminal(tables)),
        *("\n".join(map(writer, tables)) for writer in WRITERS.values()),
    ):
        assert "questions: strategy" in text and "tokens: doctor" in text and "75.0" in text
    assert ["questions: strategy %", "0.0", "75.0"] in list(
        csv.reader(io.StringIO(WRITERS["csv"](made)))
    )
    _, model = json.loads(comparison_json(comparison))["columns"]
    assert model["makers"]["made"]["questions"] == {"model": 2, "strategy": 6}
    assert model["makers"]["usage"]["doctor"]["tokens_in"] == 200
    with RunFile.open(path) as run:
        closing = text_of(summary(run, "rules"))
    assert "questions: strategy %" in closing and "tokens: patient" in closing
    frame = load_run(path).scores()
    assert (
        frame["questions_strategy"].tolist() == [0, 3, 0, 3]
        and frame["thoughts_refused"].sum() == 4
    )
    assert (
        frame["interventions_patient_refused"].sum() == 4 and frame["tokens_in_doctor"].sum() == 200
    )
    assert "makers" not in frame.columns
    report = write_report(path, tmp_path / "report.html").page.read_text("utf-8")
    assert "Who made what" in report and "questions: strategy %" in report


def test_a_run_of_the_rules_shows_no_makers(tmp_path: Path) -> None:
    path = made_run(
        tmp_path / "rules.osler", [POOL.get("croup-en")], backbones=("rules",), memories=("raw",)
    )
    tables = comparison_tables(compare([load_run(path)]))
    assert [table.title for table in tables] == ["comparison"]
    assert not [row for row in tables[0].rows if row[0].startswith(("tokens: ", "cost: "))]
    with RunFile.open(path) as run:
        assert "rules %" not in text_of(summary(run, "rules"))


def test_damaged_counts_leave_a_row_out_and_break_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [POOL.get("croup-en"), POOL.get("gout-en")]
    broken: dict[str, Any] = {"makers": {"made": {"questions": "three"}}}
    path = made_run(
        tmp_path / "run.osler",
        records,
        backbones=("rules",),
        memories=("raw",),
        measures=lambda cell: broken if cell.case == "gout-en" else {},
    )
    assert [row["record"] for row in score_rows(load_run(path))] == ["croup-en"]
    assert "damaged and left out" in capsys.readouterr().err
