"""Options that are given several values make a column for each; the rest of a run is shared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import osler
from osler.errors import UserError
from osler.eval.compare import compare
from osler.eval.runs import load_run
from osler.replay.verify import verify
from osler.runs.plan import Cell, Column, Plan, Selector
from osler.runs.store import RunFile
from osler.settings.choice import choose
from osler.settings.names import ResultsFrom
from osler.settings.run_settings import RunSettings
from tests.conftest import Run
from tests.simulator.model_server import model_server

CASES = ["gout-en", "croup-en"]
GRID = ("--results", "patient", "--results", "report", "--budget", "60", "--budget", "2000")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four columns: two sources of results with two budgets each."""
    path = tmp_path_factory.mktemp("axes") / "grid.osler"
    osler.simulate(
        cases=CASES,
        results=["patient", "report"],
        budget=[60, 2000],
        turns=12,
        out=path,
        quiet=True,
    )
    return path


def test_each_column_is_held_with_its_own_settings(run: Path) -> None:
    transcripts = list(load_run(run).transcripts())
    assert len(transcripts) == 8
    for transcript in transcripts:
        header = transcript.header
        assert header.variants == {
            "budget": str(header.settings["budget"]),
            "results": header.settings["results"],
        }
        assert header.turn_limit == 12
    with_reports = {
        transcript.header.results
        for transcript in transcripts
        if any(event.type == "retrieved" and event.results for event in transcript.events)
    }
    assert with_reports == {ResultsFrom.REPORT}
    longest = {
        transcript.header.settings["budget"]: max(
            len(event.recall.text) for event in transcript.events if event.type == "recalled"
        )
        for transcript in transcripts
    }
    assert longest[60] < longest[2000]


def test_the_run_stores_what_its_columns_share(run: Path) -> None:
    with RunFile.open(run) as file:
        stored = file.about()["settings"]
        assert stored["varied"] == ["budget", "results"] and stored["turns"] == 12
        assert not {"budget", "results"} & stored.keys()
        column = Column("rules", "", "raw", (("budget", "60"), ("results", "report")))
        own = file.settings.for_column(column)
        assert (own.budget, own.results, own.turns) == (60, ResultsFrom.REPORT, 12)


def test_compare_pairs_columns_that_differ_in_one_axis(run: Path) -> None:
    comparison = compare([load_run(run)])
    pairs = {
        (difference.first.name, difference.second.name) for difference in comparison.differences
    }
    few, many = "rules raw budget=60 results", "rules raw budget=2000 results"
    assert pairs == {
        (f"{many}=patient", f"{few}=patient"),
        (f"{few}=report", f"{few}=patient"),
        (f"{many}=report", f"{few}=report"),
        (f"{many}=report", f"{many}=patient"),
    }
    assert all(difference.paired.n == 2 for difference in comparison.differences)
    assert not [line for line in comparison.warnings if "COMPARABLE" in line]


def test_the_frame_has_a_row_for_each_column_that_one_is_compared_with(run: Path) -> None:
    comparison = compare([load_run(run)])
    frame = comparison.frame().dropna(subset="against")
    pairs = {
        (difference.first.name, difference.second.name, difference.measure)
        for difference in comparison.differences
    }
    rows = list(zip(frame["column"], frame["against"], frame["measure"], strict=True))
    assert set(rows) == pairs and len(rows) == len(pairs)


def test_columns_have_one_name_in_every_table(osler: Run, run: Path) -> None:
    shown = osler("show", run, "gout-en", "--variant", "budget=60 results=report")
    assert "budget 60 · results report" in shown.stdout
    assert (
        "budget 60"
        in osler("replay", run, "gout-en", "--variant", "budget=60 results=report").stdout
    )
    assert '{"budget":"60","results":"report"}' in osler("runs", "status", run).stdout
    table = osler("compare", run, "--format", "markdown").stdout
    assert "budget=60 results=report" in " ".join(table.replace("<br>", " ").split())


def test_verify_and_forks_use_the_settings_of_the_column(osler: Run, run: Path) -> None:
    with RunFile.open(run) as file:
        numbers = [number for number, _ in file.cells(Selector())]
        assert not any(verify(file, numbers, lambda _: None).values())
    variant = ("--variant", "budget=60 results=report")
    assert osler("fork", run, "gout-en", *variant, "--at", "2").returncode == 0
    with RunFile.open(run.with_name("grid.forks.osler")) as forks:
        [fork] = forks.transcripts()
    assert fork.header.settings["budget"] == 60 and fork.header.results is ResultsFrom.REPORT


def test_an_axis_that_is_given_once_is_a_setting_of_the_run(osler: Run, tmp_path: Path) -> None:
    command = ("simulate", "--case", "gout-en", "--turns", "1", "--quiet", "--out", "one.osler")
    assert osler(*command, "--budget", "60", "--budget", "60").returncode == 0
    with RunFile.open(tmp_path / "one.osler") as file:
        assert file.columns() == [Column("rules", "", "raw")] and file.settings.budget == 60
    several = osler(*command, "--budget", "60", "--budget", "70")
    assert several.returncode == 2 and several.stderr == (
        "osler: the run one.osler was made with other settings (budget: 60 → one for each column);"
        " give another --out or the same settings, or move it away\n"
    )


def test_more_values_of_an_axis_extend_a_run(osler: Run) -> None:
    command = ("simulate", "--case", "gout-en", "--turns", "1", "--json", "--out", "run.osler")
    held = [
        json.loads(osler(*command, *budgets).stdout)["held"]
        for budgets in (
            ("--budget", "60", "--budget", "70"),
            ("--budget", "70", "--budget", "80", "--budget", "90"),
        )
    ]
    assert held == [2, 2]


def test_models_sample_at_the_temperature_of_their_column(tmp_path: Path) -> None:
    with model_server() as server:
        osler.simulate(
            cases=["gout-en"],
            backbones=[server.spec],
            temperature=[0, 0.7],
            ram=["rules", server.spec],
            judges=["none"],
            turns=2,
            out=tmp_path / "run",
            quiet=True,
        )
        assert server.temperatures.keys() == {0, 0.7}
    with RunFile.open(tmp_path / "run.osler") as file:
        assert {column.variant("temperature") for column in file.columns()} == {"0", "0.7"}
        assert {column.variant("ram") for column in file.columns()} == {"rules", server.spec}
        by_rules = [transcript.header.ram_backbone == "rules" for transcript in file.transcripts()]
    assert by_rules.count(True) == 2


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"budget": [60, 4]}, "budget is 4; give 50 or more"),
        ({"turns": [1, None]}, "turns holds None; give values, or leave it out"),
        ({"results": []}, "results has no value; give one, or several"),
        ({"answer_tokens": [100, 200]}, "answer_tokens is [100, 200]; give a whole number"),
    ],
)
def test_values_of_an_axis_are_checked_one_by_one(options: dict[str, object], line: str) -> None:
    with pytest.raises(UserError) as caught:
        choose(options)
    assert str(caught.value) == line


def test_columns_are_the_product_of_all_axes() -> None:
    plan = Plan((), memories=("raw", "tim"), axes={"turns": ("1", "2"), "budget": ("60", "70")})
    assert len(plan.columns) == 8 and len(set(plan.columns)) == 8
    assert plan.columns[0] == Column("rules", "", "raw", (("budget", "60"), ("turns", "1")))
    assert RunSettings(varied=("turns",)).for_column(plan.columns[0]).turns == 1
    assert "turns=1" in str(Cell("gout-en", plan.columns[0], 1))
