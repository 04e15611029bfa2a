"""Sensitivity: the share of pairs of twins in which both halves are right, wherever it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import osler as osler_package
from osler.errors import UserError
from osler.eval.compare import compare, comparison_json, comparison_tables
from osler.eval.measures import Measure, Place, register_measure, registry
from osler.eval.measures.definition import Label, Unit
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.records import PatientRecord, RecordPool
from osler.runs.plan import Cell
from osler.runs.scored import ScoredPair
from osler.runs.store import RunFile
from osler.simulator.summary import summary
from osler.tables import markdown
from osler.view.consultation_data import consultation, ended
from tests.conftest import Run
from tests.eval.held_runs import FAILED, UNJUDGED, made_run, score_rows
from tests.eval.test_denominators import line_of, text_of

PATIENTS = (
    "gout",
    "panic-disorder",
    "ulcerative-colitis",
    "vestibular-neuritis",
    "kawasaki-disease",
)
VERDICTS = {
    "gout-en": "correct/correct",
    "gout-twin-en": "correct/correct",
    "panic-disorder-en": "correct/correct",
    "panic-disorder-twin-en": "wrong/undecided",
    "ulcerative-colitis-en": "correct/correct",
    "ulcerative-colitis-twin-en": "undecided/unsafe",
    "vestibular-neuritis-en": "correct/correct",
    "vestibular-neuritis-twin-en": FAILED,
    # Twins that differ in their treatment alone: the diagnosis of both says nothing of sensitivity.
    "kawasaki-disease-en": "correct/correct",
    "kawasaki-disease-twin-en": "correct/unsafe",
}
DIAGNOSIS, TREATMENT = "sensitivity: diagnosis", "sensitivity: treatment"


def twins(*patients: str, language: str = "en") -> list[PatientRecord]:
    return list(RecordPool.open().only(ids=patients, languages=[language], pairs=True))


def verdict_of(cell: Cell) -> str:
    """One column as above; the other is always wrong."""
    return VERDICTS[cell.case] if cell.column.memory == "raw" else "wrong/wrong"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.osler"
    return made_run(path, twins(*PATIENTS), verdict_of, memories=("raw", "none"))


def test_the_table_after_a_run_has_it_with_what_is_left_out(run: Path) -> None:
    with RunFile.open(run) as opened:
        shown = text_of(summary(opened, "rules"))
    # Of the diagnosis: gout right, panic wrong, colitis undecided; the stroke's twin failed.
    lower, upper = line_of(shown, f"{DIAGNOSIS} %"), line_of(shown, f"{DIAGNOSIS} at most %")
    assert "33.3" in lower and "(n=3)" in lower and "66.7" in upper
    # Of the treatment: gout right, panic undecided, colitis and Kawasaki disease wrong.
    lower, upper = line_of(shown, f"{TREATMENT} %"), line_of(shown, f"{TREATMENT} at most %")
    assert "25.0" in lower and "(n=4)" in lower and "50.0" in upper
    assert " 4 " in line_of(shown, "pairs of twins") and " 1 " in line_of(shown, "pairs left out")
    assert "differ in one deciding fact" in shown


def test_comparison_report_and_json_have_it(run: Path, tmp_path: Path) -> None:
    comparison = compare([load_run(run)])
    table, *others = comparison_tables(comparison)
    assert "33.3" in line_of(markdown(table), f"{DIAGNOSIS} %")
    assert any(DIAGNOSIS in markdown(other) for other in others), "columns are compared in it"
    raw, none = json.loads(comparison_json(comparison))["columns"]
    assert (raw["pairs"], raw["pairs_left_out"], none["pairs"]) == (4, 1, 5)
    assert raw["figures"]["sensitivity_treatment"]["n"] == 4
    report = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert f"{TREATMENT} %" in report
    (difference,) = (
        each for each in comparison.differences if each.measure == "sensitivity_diagnosis"
    )
    assert difference.paired.n == 3 and difference.undecided == 1
    assert "sensitivity_diagnosis" in set(comparison.frame()["measure"])


def test_both_halves_have_the_number_of_their_pair_in_the_scores(run: Path) -> None:
    scores = load_run(run).scores()
    raw = scores[scores["memory"] == "raw"]
    assert raw["sensitivity_diagnosis"].mean() == pytest.approx(1 / 3)
    assert raw["sensitivity_treatment_at_most"].mean() == 0.5
    rows = {row["record"]: row for row in score_rows(load_run(run)) if row["memory"] == "raw"}
    assert rows["gout-en"]["twin"] == "gout-twin-en" and rows["gout-twin-en"]["twin"] == "gout-en"
    for case in ("gout-en", "gout-twin-en"):
        assert rows[case]["sensitivity_diagnosis"] == 1.0
    for case in ("vestibular-neuritis-en", "kawasaki-disease-en"):
        assert rows[case]["sensitivity_diagnosis"] is None


def test_the_page_of_either_half_has_it(run: Path) -> None:
    rows = {row["record"]: row for row in score_rows(load_run(run)) if row["memory"] == "raw"}
    values = {}
    with RunFile.open(run) as opened:
        for case in ("gout-twin-en", "panic-disorder-en", "vestibular-neuritis-en"):
            page = consultation(opened, "k0", ended(opened, rows[case]["number"]))
            figures = {figure["name"]: figure["value"] for figure in page["measures"]["figures"]}
            values[case] = figures["sensitivity_diagnosis"]
    assert values == {"gout-twin-en": 1, "panic-disorder-en": 0, "vestibular-neuritis-en": None}


def test_a_run_without_pairs_says_nothing_of_it(tmp_path: Path) -> None:
    alone = [record for record in twins(*PATIENTS) if record.twin_of is None]
    path = made_run(tmp_path / "alone.osler", alone)
    with RunFile.open(path) as opened:
        assert "twins" not in text_of(summary(opened, "rules"))
        page = consultation(opened, "k0", ended(opened, 1))
    comparison = compare([load_run(path)])
    texts = [markdown(table) for table in comparison_tables(comparison)]
    texts += [str(page["measures"]), str(set(comparison.frame()["measure"]))]
    assert not [text for text in texts if "sensitivity" in text]
    scores = load_run(path).scores()
    assert not [name for name in map(str, scores) if "sensitivity" in name or name == "twin"]


def test_a_pair_without_a_verdict_is_in_no_share(tmp_path: Path) -> None:
    verdicts = {**VERDICTS, "gout-twin-en": UNJUDGED}
    path = made_run(tmp_path / "run.osler", twins(*PATIENTS), lambda cell: verdicts[cell.case])
    (column,) = compare([load_run(path)]).columns
    assert column.figures["sensitivity_diagnosis"].n == 2
    assert column.figures["sensitivity_diagnosis"].value == 0


def test_both_languages_of_a_pair_are_one_cluster(tmp_path: Path) -> None:
    records = [
        record for code in ("en", "zh") for record in twins("gout", "panic-disorder", language=code)
    ]
    path = made_run(tmp_path / "run.osler", records, lambda _: "correct/correct", trials=2)
    (column,) = compare([load_run(path)]).columns
    figure = column.figures["sensitivity_diagnosis"]
    assert (figure.value, figure.n) == (1.0, 8)
    assert figure.interval is None, "two patients are too few, however often they are seen"


def test_a_measure_over_pairs_is_one_function(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def turns_differ(pair: ScoredPair) -> float:
        return float(pair.base.turns != pair.twin.turns)

    monkeypatch.setattr(registry, "_registered", {})
    register_measure(
        Measure(
            "turns_differ",
            Label("other number of turns", "轮数不同"),
            Unit.SHARE,
            "1 if the twins took different numbers of turns.",
            "Pairs of twins.",
            of_pair=turns_differ,
            places=frozenset({Place.COMPARE, Place.SCORES}),
        )
    )
    loaded = load_run(run)
    table = markdown(comparison_tables(compare([loaded]))[0])
    assert "0.0" in line_of(table, "other number of turns %")
    assert set(loaded.scores()["turns_differ"].dropna()) == {0.0}


def test_simulate_takes_both_halves(osler: Run, tmp_path: Path) -> None:
    done = osler(
        *("simulate", "--twins", "--case", "graves-disease-en", "--turns", "3"),
        *("--memory", "none", "--out", "run", "--quiet"),
    )
    assert done.returncode == 0, done.stderr
    assert "pairs of twins" in done.stdout
    cases = set(load_run(tmp_path / "runs" / "run.osler").scores()["record"])
    assert cases == {"graves-disease-en", "graves-disease-twin-en"}


def test_records_of_ones_own_are_taken_in_pairs(tmp_path: Path) -> None:
    alone, *_ = RecordPool.open().only(ids=["gout-twin-zh"])
    mine = [*twins("graves-disease"), *RecordPool.open().only(ids=["croup-en"]), alone]
    out = tmp_path / "run.osler"
    held = osler_package.simulate(pool=mine, twins=True, turns=1, out=out, quiet=True)
    assert set(held.scores()["record"]) == {"graves-disease-en", "graves-disease-twin-en"}
    with pytest.raises(UserError, match="the pool has no twins"):
        osler_package.simulate(pool=[alone], twins=True, out=tmp_path / "no.osler", quiet=True)


def test_visits_and_twins_go_together(osler: Run, tmp_path: Path) -> None:
    done = osler(
        *("simulate", "--twins", "--visits", "--language", "zh", "--limit", "1", "--turns", "1"),
        *("--out", "run", "--quiet"),
    )
    assert done.returncode == 0, done.stderr
    cases = set(load_run(tmp_path / "runs" / "run.osler").scores()["record"])
    assert cases == {"cellulitis-zh", "cellulitis-twin-zh"}


def test_a_pool_without_twins_is_refused_in_one_line(osler: Run) -> None:
    refused = osler("simulate", "--twins", "--case", "croup-en", "--quiet")
    assert refused.returncode == 2
    assert "no record that has a twin is called 'croup-en'" in refused.stderr
