"""What a figure was counted from: n, what has no verdict, trials, prices that are not known,
memories that failed."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

import osler as package
from osler.eval.compare import Comparison, compare, comparison_json, comparison_tables
from osler.eval.measures import all_measures
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Called, CallFailure, Role
from osler.runs.plan import Cell, Plan
from osler.runs.run_pages import runs_table, status_page
from osler.runs.store import AnswerRow, RunFile, RunWriter
from osler.runs.store.run_table import TableQuery
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from osler.simulator.summary import summary
from osler.tables import WRITERS, on_terminal
from osler.view import run_data
from osler.view.run_list import RunList
from tests.conftest import Run
from tests.eval.held_runs import FAILED, UNJUDGED, made_run
from tests.simulator.model_server import model_server

PATIENTS = ("croup", "gout", "stemi", "pneumonia")
VERDICTS = dict(zip(PATIENTS, ("correct", UNJUDGED, "wrong", FAILED), strict=True))


def pool(*languages: str) -> list[PatientRecord]:
    return list(
        RecordPool.open().only(
            ids=[f"{name}-{language}" for language in languages for name in PATIENTS]
        )
    )


def text_of(shown: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(shown)
    return out.getvalue()


def forms(comparison: Comparison) -> Iterator[str]:
    """The table as a terminal, Markdown, LaTeX and CSV show it."""
    tables = comparison_tables(comparison)
    yield text_of(on_terminal(tables))
    for form in ("markdown", "latex", "csv"):
        yield "\n".join(map(WRITERS[form], tables))


def line_of(text: str, label: str) -> str:
    """The line of a table that begins with this."""
    wanted = (label, label.replace("%", "\\%"))
    found = [line for line in text.splitlines() if line.lstrip('│| "').startswith(wanted)]
    assert len(found) == 1, (label, found)
    return found[0]


def ordered(cell: Cell) -> dict[str, float | None]:
    """The order of examinations can be judged in two patients, the deciding turn in one."""
    order = 1.0 if cell.case.startswith(("croup", "gout")) else None
    return {"order_share": order, "deciding_turn": 3 if cell.case.startswith("croup") else None}


def test_n_is_told_where_it_is_not_the_columns_in_every_form(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run.osler", pool("en"), measures=ordered)
    comparison = compare([load_run(run)])
    for text in forms(comparison):
        assert "(n=2)" in line_of(text, "order respected %")
        assert "(n=1)" in line_of(text, "turn of deciding finding")
        assert "(n=" not in line_of(text, "diagnosis right %"), "it is the column's"
    figures = json.loads(comparison_json(comparison))["columns"][0]["figures"]
    assert (
        figures["order_share"]["n"],
        figures["deciding_turn"]["n"],
        figures["diagnosis_right"]["n"],
    ) == (2, 1, 4)
    report = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert "(n=2)" in report and "(n=1)" in report and "n: what a figure was counted from" in report


def test_every_row_of_the_table_has_a_name_of_its_own(tmp_path: Path) -> None:
    labels = [measure.label.en for measure in all_measures()]
    assert len(set(labels)) == len(labels)
    run = made_run(tmp_path / "run.osler", pool("en"), trials=2)
    named = [row[0].strip() for row in comparison_tables(compare([load_run(run)]))[0].rows]
    assert len(set(named)) == len(named)


def test_pass_k_is_about_trials_and_not_about_languages(tmp_path: Path) -> None:
    both = made_run(tmp_path / "both.osler", pool("en", "zh"))
    (column,) = compare([load_run(both)]).columns
    assert column.passes == {}
    assert not any("pass^" in text for text in forms(compare([load_run(both)])))
    twice = made_run(
        tmp_path / "twice.osler",
        pool("en", "zh"),
        lambda cell: "wrong" if cell.case.endswith("zh") and cell.trial == 2 else "correct",
        trials=2,
    )
    comparison = compare([load_run(twice)])
    (column,) = comparison.columns
    assert column.passes == {1: 0.75, 2: 0.5} and column.pass_records == {1: 8, 2: 8}
    terminal, *_ = forms(comparison)
    assert "50.0 (n=8)" in line_of(terminal, "pass^2 %")


@pytest.fixture
def unjudged(tmp_path: Path) -> Path:
    """One right, one wrong, one without a verdict, one failed."""
    return made_run(
        tmp_path / "unjudged.osler",
        pool("en"),
        lambda cell: VERDICTS[cell.case.removesuffix("-en")],
    )


def test_an_unjudged_consultation_is_wrong_in_no_table(unjudged: Path, tmp_path: Path) -> None:
    with RunFile.open(unjudged) as opened:
        shown = text_of(summary(opened, "rules"))
    assert "50.0 (n=2)" in line_of(shown, "diagnosis right") and " 1 " in line_of(
        shown, "not judged"
    )
    comparison = compare([load_run(unjudged)])
    for text in forms(comparison):
        assert "50.0 (n=2)" in line_of(text, "diagnosis right %")
        assert "1" in line_of(text, "not judged (left out)")
    assert any(
        "left out of the scores: rules raw 1 of 3;" in warning for warning in comparison.warnings
    )
    (column,) = json.loads(comparison_json(comparison))["columns"]
    assert (
        column["unjudged"],
        column["failed"],
        column["figures"]["diagnosis_right"]["value"],
    ) == (
        1,
        1,
        0.5,
    )
    frame = package.load_run(unjudged).scores()
    assert frame["diagnosis_right"].mean() == 0.5 and frame["judged"].sum() == 2
    assert frame.groupby("memory")["treatment_right"].mean().isna().all(), "no treatment was judged"
    report = write_report(unjudged, tmp_path / "report.html").page.read_text("utf-8")
    assert "not judged (left out)" in report and "50.0 (n=2)" in report


def test_the_page_tells_what_is_not_judged(unjudged: Path) -> None:
    (shown,) = RunList([unjudged]).all()
    assert run_data.run(shown)["unjudged"] == 1
    with shown.open() as file:
        judge = run_data.judge_of(file)
        rows = {
            row["case"]: row["diagnosis_verdict"]
            for row in run_data.table(file, TableQuery(judge=judge))["rows"]
        }
        (found,) = run_data.table(file, TableQuery(judge=judge, among={"diagnosis": ["unjudged"]}))[
            "rows"
        ]
    assert rows == {
        "croup-en": "correct",
        "gout-en": "unjudged",
        "stemi-en": "wrong",
        "pneumonia-en": None,
    }
    assert found["case"] == "gout-en"


def test_where_all_is_judged_no_row_speaks_of_it(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run.osler", pool("en"), calls=lambda _: [call(Role.MEMORY)])
    with RunFile.open(run) as opened:
        texts = [text_of(summary(opened, "rules")), *forms(compare([load_run(run)]))]
    assert not any("not judged" in text or "memory calls failed" in text for text in texts)


def call(role: Role, failure: str | None = None, cost: float | None = None) -> Called:
    return Called(
        turn=1,
        role=role,
        model="m",
        messages=(),
        failure=CallFailure(kind=failure, message="slow") if failure else None,
        cost=cost,
        tokens_in=11,
        tokens_out=3,
        seconds=1,
    )


def failing(cell: Cell) -> list[Called]:
    """The memory's model fails twice in one consultation, the doctor's once in another."""
    if cell.case == "croup-en":
        return [call(Role.MEMORY, "timeout"), call(Role.MEMORY), call(Role.MEMORY, "timeout")]
    return [call(Role.DOCTOR, "timeout" if cell.case == "gout-en" else None), call(Role.MEMORY)]


def test_failed_calls_of_a_memory_stand_beside_the_score(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run.osler", pool("en"), calls=failing)
    with RunFile.open(run) as opened:
        assert " 1 " in line_of(text_of(summary(opened, "rules")), "memory calls failed in")
    comparison = compare([load_run(run)])
    for text in forms(comparison):
        assert "1" in line_of(text, "memory calls failed in")
    assert json.loads(comparison_json(comparison))["columns"][0]["memory_failures"] == 1
    assert any(
        "a call of the memory's model failed" in warning and "rules raw 1 of 4" in warning
        for warning in comparison.warnings
    )
    frame = package.load_run(run).scores()
    assert sorted(frame["memory_failures"]) == [0, 0, 0, 2]
    assert "memory calls failed in" in write_report(run, tmp_path / "report.html").page.read_text(
        "utf-8"
    )
    (shown,) = RunList([run]).all()
    with shown.open() as file:
        rows = run_data.table(file, TableQuery(judge=run_data.judge_of(file)))["rows"]
    assert {row["case"]: row["memory_failures"] for row in rows}["croup-en"] == 2


def test_runs_that_were_measured_before_do_not_tell_of_memories(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run.osler", pool("en"), measures=lambda _: {"memory_failures": None})
    assert compare([load_run(run)]).columns[0].memory_failures is None


def simulated(path: Path, *specs: str) -> Path:
    plan = Plan(
        RecordPool.open().only(ids=["croup-en"]), backbones=specs, settings=RunSettings(turns=2)
    )
    simulate_plan(plan, path, RunOptions(quiet=True), "bundled")
    return path


def test_an_unknown_price_is_null_in_every_form(
    tmp_path: Path, osler: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("priced: {input: 1000, output: 1000}")
    monkeypatch.setenv("OSLER_PRICES", str(prices))
    runs = tmp_path / "runs"
    with model_server() as server:
        priced, unpriced = server.spec.replace("tiny", "priced"), server.spec
        for name, specs in (
            ("none", ("rules",)),
            ("all", (priced,)),
            ("no", (unpriced,)),
            ("part", (priced, unpriced)),
        ):
            simulated(runs / f"{name}.osler", *specs)
        capsys.readouterr()
        plan = Plan(
            RecordPool.open().only(ids=["croup-en"]),
            backbones=(unpriced,),
            settings=RunSettings(turns=2),
        )
        simulate_plan(
            plan, tmp_path / "told.osler", RunOptions(quiet=True, as_json=True), "bundled"
        )
        assert json.loads(capsys.readouterr().out)["cost"] is None
    standing = {}
    for name in ("none", "all", "no", "part"):
        with RunFile.open(runs / f"{name}.osler") as run:
            standing[name] = run.status()
    assert standing["none"].cost == 0 and (standing["all"].cost or 0) > 0
    assert standing["no"].cost is None and standing["part"].cost is None
    assert standing["part"].cost_known == pytest.approx(standing["all"].cost), (
        "what is known is not lost"
    )

    told = json.loads(osler("runs", "status", runs / "no.osler", "--json").stdout)
    assert told["cost"] is None
    with RunFile.open(runs / "no.osler") as run:
        assert "cost not known" in text_of(status_page(run))
    listed = {line.split()[0]: line.split()[-1] for line in text_of(runs_table(runs)).splitlines()}
    assert (listed["none"], listed["no"], listed["part"]) == ("0.00", "–", "–") and float(
        listed["all"]
    ) > 0

    frame = package.load_run(runs / "part.osler").scores().set_index("backbone")
    assert (
        frame["cost_paid"].isna()[unpriced]
        and frame["cost"].isna()[unpriced]
        and frame["cost_paid"][priced] > 0
    )
    comparison = compare([load_run(runs / "part.osler")])
    assert [column.figures["cost"].value is None for column in comparison.columns] == [False, True]
    for text in forms(comparison):
        assert "0.0000" not in text and (
            "–" in line_of(text, "cost, USD") or "--" in line_of(text, "cost, USD")
        )
    assert "cost not known, or not of all: tiny plain raw;" in next(forms(comparison))
    assert "cost not known" in write_report(runs / "no.osler", tmp_path / "r.html").page.read_text(
        "utf-8"
    )
    (shown,) = RunList([runs / "no.osler"]).all()
    assert run_data.run(shown)["cost"] is None


def test_a_run_under_way_does_not_know_its_cost_before_a_price_is_known(tmp_path: Path) -> None:
    run = made_run(
        tmp_path / "run.osler", pool("en"), calls=lambda _: [call(Role.DOCTOR, cost=0.0)]
    )
    with RunFile.open(run) as known:
        assert known.status().cost == 0, "a model that is free has a price"
        about = known.about()
    with RunWriter.create_or_resume(run, about) as store:
        (number,) = store.extend(Plan(pool("en")[:1], memories=("none",))).todo
        store.store_answers([AnswerRow(number, "key", "{}", 1, 14, 0.0)])
        assert store.status().cost is None
        store.store_answers([AnswerRow(number, "other", "{}", 1, 14, 0.5)])
        assert store.status().cost == 0.5
