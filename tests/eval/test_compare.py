"""Tables that can be believed: verdicts kept with the run, failures left out and said, paired
differences."""

from __future__ import annotations

import csv
import io
import json
import time
from pathlib import Path

import pytest

import osler
from osler.errors import UserError
from osler.eval.compare import columns_of, compare, comparison_json, comparison_tables
from osler.eval.runs import load_run
from osler.eval.scoring import EXACT
from osler.language import Language
from osler.records import RecordPool
from osler.runs.events import Ending
from osler.runs.plan import Cell, Column, Plan
from osler.runs.scored import CellState, ScoredConsultation, StoredMeasures
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict
from osler.settings.names import ONE_STEP, ResultsFrom
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from osler.tables import csv_text, latex, markdown
from tests.conftest import Run
from tests.models.server import Step
from tests.simulator.model_server import model_server

pytestmark = pytest.mark.xdist_group("compare")  # one process: they share a run

MEMORIES = ("none", "raw", "tim", ONE_STEP)


NOTHING = json.dumps(
    {
        "summary": "it says nothing",
        "illnesses": [],
        "treats": False,
        "lines": [{"line": line, "words": "", "course": "not mentioned"} for line in range(1, 20)],
        "rest": "nothing",
        "rest_words": "",
    }
)
"""What a reader says who finds nothing in any answer, of a diagnosis or a treatment."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run in both languages."""
    path = tmp_path_factory.mktemp("runs") / "small.osler"
    ids = [
        f"{name}-{language}"
        for name in ("croup", "gout", "stemi", "pneumonia")
        for language in ("en", "zh")
    ]
    simulate_plan(
        Plan(RecordPool.open().only(ids=ids), memories=MEMORIES),
        path,
        RunOptions(quiet=True),
        "bundled",
    )
    return path


def scored(
    patient: str,
    memory: str,
    verdict: str | None,
    *,
    trial: int = 1,
    failed: bool = False,
    backbone: str = "b",
) -> ScoredConsultation:
    """A consultation of a patient's English record with that verdict on the diagnosis."""
    rank = 1 if verdict == "correct" else None
    verdicts = {}
    if verdict is not None:
        verdicts["diagnosis"] = StoredVerdict("diagnosis", verdict, "model", "because", rank)
    return ScoredConsultation(
        number=1,
        cell=Cell(f"{patient}-en", Column(backbone, "plain", memory), trial),
        patient=patient,
        language=Language.EN,
        specialty=None,
        state=CellState.FAILED if failed else CellState.DONE,
        ending=Ending.BACKBONE_FAILURE if failed else Ending.CONCLUDED,
        failure=None,
        diagnosis="x",
        treatment="y",
        turns=1,
        repeats=0,
        replies=1,
        calls=0,
        tokens_in=0,
        tokens_out=0,
        cost=0.0,
        seconds=0.0,
        tokens_paid=0,
        cost_paid=0.0,
        at="2026-01-01T00:00:00",
        judge="j",
        verdicts=verdicts,
        measures=StoredMeasures(),
    )


def test_failures_are_counted_and_never_scored() -> None:
    rows = [
        scored("a", "raw", "correct"),
        scored("b", "raw", "wrong"),
        scored("c", "raw", None, failed=True),
    ]
    (column,) = columns_of(rows)
    assert (column.consultations, column.failed) == (3, 1)
    assert (column.figures["diagnosis_right"].value, column.figures["diagnosis_right"].n) == (
        0.5,
        2,
    )
    assert (
        column.figures["treatment_right"].value is None and column.figures["treatment_right"].n == 0
    )


def test_trials_of_a_patient_are_one_cluster_and_pass_only_together() -> None:
    rows = [
        scored(patient, "raw", verdict, trial=trial)
        for patient, verdicts in {"a": "cc", "b": "cw"}.items()
        for trial, letter in enumerate(verdicts, 1)
        for verdict in [{"c": "correct", "w": "wrong"}[letter]]
    ]
    (column,) = columns_of(rows)
    assert column.patients == 2 and column.figures["diagnosis_right"].value == 0.75
    assert column.passes == {1: 0.75, 2: 0.5}
    assert column.figures["diagnosis_right"].error == pytest.approx(0.25)


def test_the_table_of_a_run_says_what_was_counted(run: Path, osler: Run) -> None:
    opened = load_run(run)
    comparison = compare([opened])
    assert [column.memory for column in comparison.columns] == list(MEMORIES)
    assert {column.consultations for column in comparison.columns} == {8}
    assert {column.patients for column in comparison.columns} == {4}, (
        "two languages of a patient are one patient"
    )
    by_memory = {
        column.memory: column.figures["diagnosis_right"].value or 0.0
        for column in comparison.columns
    }
    assert by_memory["raw"] > by_memory["none"]
    assert {(one.first.memory, one.second.memory) for one in comparison.differences} == {
        ("raw", "none"),
        ("tim", "none"),
    }
    assert all(
        one.paired.n == 8 and (one.p_holm or 0) >= (one.paired.p_value or 0)
        for one in comparison.differences
    )
    assert len(comparison.gaps) == 3
    page = osler("compare", run, "--by", "language", "--paper").stdout
    for text in (
        "diagnosis right %",
        "failed (left out)",
        f"judge: {EXACT}",
        "paired differences",
        "zh",
        "GPT-4",
        "50.00",
    ):
        assert text in page, text
    opened.close()


def test_scores_are_a_tidy_frame(run: Path) -> None:
    frame = osler.load_run(run).scores()
    assert len(frame) == 32 and frame["number"].is_unique
    assert {
        "patient",
        "memory",
        "diagnosis_verdict",
        "treatment_verdict",
        "coverage",
        "turns",
        "tokens_in",
    } <= set(frame)
    assert set(frame["diagnosis_verdict"]) <= {
        "correct",
        "partial",
        "wrong",
        "none",
        "unparsed",
        "undecided",
    }


@pytest.mark.parametrize("form", ["markdown", "latex", "csv", "json"])
def test_every_form_holds_the_same_figures(run: Path, osler: Run, form: str) -> None:
    said = osler("compare", run, "--format", form).stdout
    comparison = compare([load_run(run)])
    value = comparison.columns[1].figures["diagnosis_right"].value
    assert value is not None
    if form == "json":
        assert json.loads(said)["columns"][1]["figures"]["diagnosis_right"]["value"] == value
    else:
        assert f"{100 * value:.1f} [" in said


def test_names_of_models_cannot_break_a_table() -> None:
    evil = "a|b & 50%_{x} \\end <b>"
    rows = [
        scored("a", "raw", "correct", backbone=evil),
        scored("b", "raw", "wrong", backbone=evil),
    ]
    from osler.eval.compare.comparison import Comparison

    comparison = Comparison(columns_of(rows), [], "j", "rules")
    (grid,) = comparison_tables(comparison)
    lines = markdown(grid).splitlines()
    assert lines[2].count(" | ") == lines[3].count(" | ") and "<b>" not in markdown(grid)
    assert r"a|b \& 50\%\_\{x\} \textbackslash{}end" in latex(grid)
    assert next(csv.reader(io.StringIO(csv_text(grid))))[1].startswith(evil)
    assert json.loads(comparison_json(comparison))["columns"][0]["backbone"] == evil


def test_runs_that_cannot_be_compared_are_named_loudly(
    run: Path, tmp_path: Path, osler: Run
) -> None:
    other = tmp_path / "other.osler"
    plan = Plan(
        RecordPool.open().only(ids=["croup-en"]), settings=RunSettings(results=ResultsFrom.REPORT)
    )
    simulate_plan(plan, other, RunOptions(quiet=True), "bundled")
    done = osler("compare", run, other)
    assert (
        done.returncode == 0
        and "NOT COMPARABLE: the source of results differs between runs (patient / report)"
        in done.stderr
    )
    assert "small rules raw" in " ".join(done.stdout.split()) or "small" in done.stdout


def test_a_run_with_failures_only_and_an_unfinished_one(tmp_path: Path, osler: Run) -> None:
    path = tmp_path / "failed.osler"
    with model_server(lambda _: Step(status=400, message="no")) as server:
        plan = Plan(
            RecordPool.open().only(limit=2), backbones=(server.spec,), settings=RunSettings(turns=2)
        )
        simulate_plan(plan, path, RunOptions(quiet=True), "bundled")
    done = osler("compare", path)
    assert done.returncode == 0 and "every consultation failed; it has no score" in done.stderr
    with RunFile.open(path) as known:
        about = known.about()
    with RunWriter.create_or_resume(path, about) as store:
        store.retry()
        told = osler("compare", path)
        assert told.returncode == 2 and "no consultation has ended yet" in told.stderr


def test_verdicts_of_several_judges_are_kept_apart(run: Path, tmp_path: Path, osler: Run) -> None:
    copy = tmp_path / "copy.osler"
    copy.write_bytes(run.read_bytes())
    with RunFile.open(copy) as known:
        about = known.about()
    with RunWriter.create_or_resume(copy, about) as store:
        for number in range(1, 33):
            store.store_score(
                number,
                StoredScore("somebody", [StoredVerdict("diagnosis", "correct", "model", "x", 1)]),
            )
    assert list(load_run(copy).file.judges()) == [EXACT, "somebody"]
    figures = json.loads(osler("compare", copy, "--judge", "somebody", "--format", "json").stdout)
    assert {column["figures"]["diagnosis_right"]["value"] for column in figures["columns"]} == {1.0}
    default = json.loads(osler("compare", copy, "--format", "json").stdout)
    assert (
        default["judge"] == EXACT
        and default["columns"][0]["figures"]["diagnosis_right"]["value"] < 1
    )
    unknown = osler("compare", copy, "--judge", "nobody")
    assert (
        unknown.returncode == 2
        and "has no verdicts of 'nobody'; it was judged by" in unknown.stderr
    )
    person = osler("compare", copy, "--judge", "person:Ann")
    assert person.returncode == 2 and "--verdicts SHEET --person Ann" in person.stderr


def test_a_model_judges_all_answers_once_and_what_cannot_be_read_is_undecided(
    run: Path, tmp_path: Path, osler: Run
) -> None:
    copy = tmp_path / "copy.osler"
    copy.write_bytes(run.read_bytes())

    def judge(number: int) -> Step:
        if number % 3 == 0:
            return Step(text="I would say so")
        return Step(text=NOTHING)

    with model_server(judge) as server:
        done = osler("score", copy, "--judge", server.spec, "--any-judge")
        assert done.returncode == 0, done.stderr
        asked = server.requests
        assert osler("score", copy, "--judge", server.spec, "--any-judge").returncode == 0
        assert asked and server.requests == asked
    assert "none" in done.stdout and "undecided" in done.stdout
    judges = load_run(copy).file.judges()
    name = next(name for name in judges if name != EXACT)
    assert "#" in name and judges[name] == 32
    assert set(load_run(copy).scores(name)["diagnosis_verdict"]) <= {
        "correct",
        "undecided",
        "none",
        "unparsed",
    }


@pytest.mark.parametrize("verdict", ["nothing", "no idea"])
def test_a_judge_that_gets_the_controls_wrong_is_refused_and_nothing_is_kept(
    run: Path, tmp_path: Path, osler: Run, verdict: str
) -> None:
    copy = tmp_path / "copy.osler"
    copy.write_bytes(run.read_bytes())
    with model_server(lambda _: Step(text=NOTHING if verdict == "nothing" else verdict)) as server:
        done = osler("score", copy, "--judge", server.spec)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "cannot judge" in done.stderr and "--any-judge" in done.stderr
    assert list(load_run(copy).file.judges()) == [EXACT]


def test_a_missing_judge_and_wrong_memory_are_one_line(
    run: Path, tmp_path: Path, osler: Run
) -> None:
    copy = tmp_path / "copy.osler"
    copy.write_bytes(run.read_bytes())
    for args in (
        ("compare", run, "--against", "elephant"),
        ("score", copy, "--judge", "x@http://127.0.0.1:9/v1"),
        ("score", copy, "--judge", "rules"),
        ("score", copy, "--judge", "human"),
    ):
        done = osler(*args)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr


def test_a_table_of_eight_hundred_takes_a_moment(run: Path) -> None:
    """As many columns and rows as two backbones, three memories, 44 patients and three trials."""
    rows = [
        scored(
            f"p{patient}",
            memory,
            "correct" if (patient * trial) % 3 else "wrong",
            trial=trial,
            backbone=backbone,
        )
        for backbone in ("x", "y")
        for memory in ("none", "raw", "tim")
        for patient in range(44)
        for trial in (1, 2, 3)
    ]
    began = time.process_time()
    columns = columns_of(rows)
    assert len(columns) == 6 and time.process_time() - began < 20


def test_an_unknown_run_is_a_user_error() -> None:
    with pytest.raises(UserError, match="there is no run"):
        load_run("nowhere")


def test_the_ceiling_has_no_memory_to_probe(run: Path, osler: Run) -> None:
    probed = osler("probe", run, "--limit", "1", "--json")
    assert probed.returncode == 0, probed.stderr
    assert ONE_STEP not in probed.stdout and "tim" in probed.stdout


def test_the_same_answer_is_put_to_a_judge_once(tmp_path: Path, osler: Run) -> None:
    """Two trials of a rules doctor end alike; also in a second session nothing is asked again."""
    path = tmp_path / "run.osler"
    plan = Plan(RecordPool.open().only(limit=4), trials=2)
    simulate_plan(plan, path, RunOptions(quiet=True), "bundled")
    with model_server(lambda _: Step(text=NOTHING)) as server:
        judge = ("--judge", server.spec, "--any-judge")
        assert "diagnosis: 4 none, 4 correct" in osler("score", path, *judge).stdout
        first = server.requests
        assert first == 6
        simulate_plan(
            Plan(RecordPool.open().only(limit=4), trials=3), path, RunOptions(quiet=True), "bundled"
        )
        assert "diagnosis: 6 none, 6 correct" in osler("score", path, *judge).stdout
        assert server.requests == first


def test_other_patients_unknown_prices_and_a_run_that_is_being_written(
    run: Path, tmp_path: Path, osler: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("another-model: {input: 1, output: 1}")
    monkeypatch.setenv("OSLER_PRICES", str(prices))
    path = tmp_path / "talking.osler"
    with model_server() as server:
        settings = RunSettings(turns=2, patient_backbone=server.spec)
        plan = Plan(RecordPool.open().only(limit=2), backbones=(server.spec,), settings=settings)
        simulate_plan(plan, path, RunOptions(quiet=True), "bundled")
    with RunFile.open(path) as known:
        about = known.about()
    with RunWriter.create_or_resume(path, about) as store:
        store.extend(
            Plan(RecordPool.open().only(limit=3), backbones=(server.spec,), settings=settings)
        )
        done = osler("compare", run, path)
    assert done.returncode == 0
    assert "NOT COMPARABLE: the patient's backbone differs between runs" in done.stderr
    assert "1 consultation(s) of its plan are still to be held" in done.stderr
    costs = json.loads(osler("compare", path, "--format", "json").stdout)["columns"][0]["figures"]
    assert costs["cost"]["value"] is None and costs["tokens_in"]["value"] > 0


def test_tests_cost_what_a_table_says(run: Path, tmp_path: Path, osler: Run) -> None:
    copy, table = tmp_path / "copy.osler", tmp_path / "prices.yaml"
    copy.write_bytes(run.read_bytes())
    names = {
        entry.name
        for record in RecordPool.open()
        for entry in record.entries
        if entry.category.value in {"test", "examination", "preoperative_test"}
    }
    table.write_text("\n".join(f"{json.dumps(name)}: 10" for name in sorted(names)))
    assert "32 consultation(s) judged" in osler("score", copy, "--test-prices", table).stdout
    frame = load_run(copy).scores()
    asked = frame[frame["tests_asked"] > 0]
    assert len(asked) and (asked["tests_cost"] == 10 * asked["tests_asked"]).all()
    for bad in ("X-ray: cheap", "[" * 50_000, "X-ray: -1", ""):
        table.write_text(bad)
        wrong = osler("score", copy, "--test-prices", table)
        assert wrong.returncode == 2 and "is no table of what tests cost" in wrong.stderr
