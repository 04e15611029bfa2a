"""A strategy and variants stand in the name of every column, and as fields of their own wherever
data comes out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from osler.eval.compare import compare, comparison_json, comparison_tables
from osler.eval.report import write_report
from osler.eval.report.pictures import labels_of
from osler.eval.runs import load_run
from osler.play.played_runs import OneCellPlan
from osler.records import RecordPool
from osler.runs.plan import Cell, Column
from osler.runs.short_names import ShortNames
from osler.runs.store import RunFile, RunWriter
from osler.runs.store.run_table import TableQuery
from osler.settings.names import ONE_STEP
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import about
from osler.simulator.summary import summary
from osler.tables import csv_text, latex, markdown, on_terminal
from osler.view import consultation_data, run_data
from osler.view.run_list import RunList
from tests.conftest import Run
from tests.eval.held_runs import held, made_run

MODEL = "org/m1@http://10.0.0.7:8000/v1"
NAMES = ["rules raw", "rules one-step"] + [
    f"m1 {strategy} {memory}"
    for strategy in ("plain", "stepwise")
    for memory in ("raw", "one-step")
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return made_run(
        tmp_path / "ways.osler",
        RecordPool.open().only(ids=["croup-en", "gout-en"]),
        lambda cell: (
            "correct"
            if cell.column.strategy == "stepwise" or cell.column.memory == ONE_STEP
            else "wrong"
        ),
        backbones=("rules", MODEL),
        strategies=("plain", "stepwise"),
        memories=("raw", ONE_STEP),
    )


def text_of(shown: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(shown)
    return " ".join(out.getvalue().split())


def test_every_table_names_the_strategy(run: Path) -> None:
    comparison = compare([load_run(run)])
    assert [column.name for column in comparison.columns] == NAMES
    tables = comparison_tables(comparison)
    assert next(csv.reader(io.StringIO(csv_text(tables[0]))))[1:] == NAMES
    for text in (markdown(tables[0]), latex(tables[0])):
        assert all(name in text for name in NAMES)
    with RunFile.open(run) as opened:
        for shown in (summary(opened, "rules"), on_terminal(tables[:1])):
            assert text_of(shown).count("stepwise") >= 2
    assert set(labels_of(comparison.columns).values()) == set(NAMES)


def test_a_strategy_is_compared_with_the_first_one_and_rules_with_every_strategy(run: Path) -> None:
    comparison = compare([load_run(run)])
    pairs = {(one.first.name, one.second.name) for one in comparison.differences}
    assert pairs == {
        ("m1 plain raw", "rules raw"),
        ("m1 stepwise raw", "rules raw"),
        ("m1 stepwise raw", "m1 plain raw"),
        ("m1 plain one-step", "rules one-step"),
        ("m1 stepwise one-step", "rules one-step"),
        ("m1 stepwise one-step", "m1 plain one-step"),
    }
    assert {(one.name, ceiling.name) for one, ceiling, _ in comparison.gaps} == {
        (f"{doctor} raw", f"{doctor} one-step") for doctor in ("rules", "m1 plain", "m1 stepwise")
    }


def test_two_runs_are_paired_by_strategy(run: Path, tmp_path: Path) -> None:
    records = RecordPool.open().only(ids=["croup-en"])
    other = made_run(
        tmp_path / "other.osler", records, backbones=(MODEL,), strategies=("stepwise",)
    )
    pairs = {
        (one.first.name, one.second.name)
        for one in compare([load_run(other), load_run(run)]).differences
    }
    assert ("ways m1 stepwise raw", "other m1 stepwise raw") in pairs
    assert ("ways m1 plain raw", "other m1 stepwise raw") not in pairs


def test_the_strategy_is_a_field_of_its_own_wherever_data_comes_out(
    run: Path, tmp_path: Path, osler: Run
) -> None:
    columns = json.loads(comparison_json(compare([load_run(run)])))["columns"]
    assert [
        (one["backbone"], one["strategy"], one["memory"], one["variants"]) for one in columns[1:4]
    ] == [
        ("rules", "", ONE_STEP, {}),
        (MODEL, "plain", "raw", {}),
        (MODEL, "plain", ONE_STEP, {}),
    ]
    scores = load_run(run).scores()
    assert set(scores["strategy"]) == {"", "plain", "stepwise"} and set(scores["variants"]) == {
        "{}"
    }
    probed = json.loads(osler("probe", run, "--json", "--strategy", "stepwise").stdout)["rows"]
    assert [(one["strategy"], one["memory"], one["variants"]) for one in probed] == [
        ("stepwise", "raw", {})
    ]
    wrong = osler("probe", run, "--strategy", "magic")
    assert wrong.returncode == 2 and "it has plain, stepwise" in wrong.stderr
    report = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert "m1 stepwise raw" in report and "m1 plain raw" in report


def test_the_page_tells_and_filters_strategies(run: Path) -> None:
    (shown,) = RunList([run]).all()
    told = run_data.run(shown)
    assert (told["strategies"], told["variants"]) == (["plain", "stepwise"], ["{}"])
    with RunFile.open(run) as file:
        found = run_data.table(
            file, TableQuery(judge="", among={"strategy": ["stepwise"]}, sort="strategy")
        )["rows"]
        assert len(found) == 4 and {row["strategy"] for row in found} == {"stepwise"}
        story = consultation_data.consultation(
            file, "k0", consultation_data.ended(file, found[0]["cell"])
        )
    assert (story["header"]["strategy"], story["header"]["variants"]) == ("stepwise", "{}")
    assert {one["strategy"] for one in story["same"]} == {"", "plain", "stepwise"}


def test_variants_follow_the_name_and_are_compared_with_the_first(tmp_path: Path) -> None:
    path, settings = tmp_path / "varied.osler", RunSettings()
    record = RecordPool.open().get("croup-en")
    columns = [Column.of(MODEL, "plain", "raw", variants) for variants in ({}, {"visits": "2"})]
    with RunWriter.create_or_resume(path, about(settings)) as store:
        for column in columns:
            cell = Cell(record.id, column, 1)
            (number,) = store.extend(OneCellPlan((record,), settings=settings, cell=cell)).todo
            store.finish(number, held(cell, record, "rules", (), failed=False))
    assert ShortNames.of(columns).name(columns[1]) == "m1 plain raw visits=2"
    comparison = compare([load_run(path)])
    assert [column.name for column in comparison.columns] == [
        "m1 plain raw",
        "m1 plain raw visits=2",
    ]
    assert {(one.first.name, one.second.name) for one in comparison.differences} == {
        ("m1 plain raw visits=2", "m1 plain raw")
    }
    assert json.loads(comparison_json(comparison))["columns"][1]["variants"] == {"visits": "2"}
    (shown,) = RunList([path]).all()
    assert run_data.run(shown)["names"]['{"visits":"2"}'] == "visits=2"
