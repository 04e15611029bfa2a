"""Undecided verdicts: accuracy has a lower and an upper bound in every table, and a difference may
hang on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import osler as package
from osler.eval.compare import ColumnDifference, compare, comparison_json, comparison_tables
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.records import RecordPool
from osler.runs.plan import Cell
from osler.runs.store import RunFile
from osler.runs.store.run_table import TableQuery
from osler.simulator.summary import summary
from osler.view import run_data
from osler.view.run_list import RunList
from tests.eval.held_runs import made_run
from tests.eval.test_denominators import forms, line_of, pool, text_of

VERDICTS = {
    "croup": "correct/correct",
    "gout": "undecided/wrong",
    "stemi": "wrong/undecided",
    "pneumonia": "wrong/undecided",
}
REMEDY = "osler score RUN --judge SPEC"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """One diagnosis of four undecided, and two treatments."""
    return made_run(
        tmp_path / "run.osler", pool("en"), lambda cell: VERDICTS[cell.case.removesuffix("-en")]
    )


def test_accuracy_has_two_bounds_in_every_format(run: Path) -> None:
    comparison = compare([load_run(run)])
    terminal, *_ = forms(comparison)
    for text in forms(comparison):
        assert "25.0 [" in line_of(text, "diagnosis right %") and "50.0 [" in line_of(
            text, "diagnosis right at most %"
        )
        assert "25.0 [" in line_of(text, "treatment right %") and "75.0 [" in line_of(
            text, "treatment right at most %"
        )
        assert "1" in line_of(text, "diagnosis undecided (total)") and "2" in line_of(
            text, "treatment undecided (total)"
        )
    said = " ".join(terminal.split())
    assert "rules raw 1 of 4 diagnoses, rules raw 2 of 4 treatments" in said and REMEDY in said
    (column,) = json.loads(comparison_json(comparison))["columns"]
    assert column["undecided"] == {"diagnosis": 1, "treatment": 2}
    assert column["figures"]["diagnosis_right_at_most"]["value"] == 0.5


def test_scores_have_both_bounds(run: Path) -> None:
    frame = package.load_run(run).scores()
    assert (
        frame["diagnosis_right"].mean() == 0.25 and frame["diagnosis_right_at_most"].mean() == 0.5
    )
    assert (
        frame["treatment_right"].mean() == 0.25 and frame["treatment_right_at_most"].mean() == 0.75
    )


def test_the_table_after_a_run_has_both_bounds(run: Path) -> None:
    with RunFile.open(run) as opened:
        shown = text_of(summary(opened, "rules"))
    assert "25.0" in line_of(shown, "diagnosis right %") and "50.0" in line_of(
        shown, "diagnosis right at most"
    )
    assert " 2 " in line_of(shown, "treatment undecided") and "75.0" in line_of(
        shown, "treatment right at most"
    )
    assert REMEDY in shown


def test_the_report_and_the_page_show_what_is_undecided(run: Path, tmp_path: Path) -> None:
    report = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert (
        "diagnosis right at most %" in report
        and '<span class="verdict undecided">? diagnosis undecided' in report
    )
    assert "Undecided verdicts are not counted as correct" in report
    (shown,) = RunList([run]).all()
    with shown.open() as file:
        query = TableQuery(judge=run_data.judge_of(file), among={"treatment": ["undecided"]})
        assert {row["case"] for row in run_data.table(file, query)["rows"]} == {
            "stemi-en",
            "pneumonia-en",
        }


def test_where_all_is_decided_no_table_speaks_of_bounds(tmp_path: Path) -> None:
    run = made_run(
        tmp_path / "run.osler", pool("en"), lambda _: "correct/wrong", memories=("none", "raw")
    )
    with RunFile.open(run) as opened:
        texts = [text_of(summary(opened, "rules")), *forms(compare([load_run(run)]))]
    texts.append(
        write_report(run, tmp_path / "report.html").page.read_text("utf-8").split("</style>")[1]
    )
    assert not any(
        "right at most" in text or "ndecided" in text or "bounds" in text for text in texts
    )


def difference(tmp_path: Path, undecided: int) -> tuple[ColumnDifference, str]:
    """Raw is right on all 44 patients, none on the first 30, and this many of the others are
    undecided."""
    english = [record for record in RecordPool.open() if record.id.endswith("-en")]
    places = {record.id: place for place, record in enumerate(english)}

    def judge(cell: Cell) -> str:
        place = places[cell.case]
        if cell.column.memory == "none":
            return "correct" if place < 30 else "undecided" if place < 30 + undecided else "wrong"
        return "correct"

    run = made_run(tmp_path / f"{undecided}.osler", english, judge, memories=("none", "raw"))
    comparison = compare([load_run(run)])
    (found,) = (one for one in comparison.differences if one.measure == "diagnosis_right")
    return found, next(forms(comparison))


def test_a_difference_whose_sign_hangs_on_undecided_verdicts_is_not_told_apart(
    tmp_path: Path,
) -> None:
    sure, text = difference(tmp_path, 3)
    assert sure.is_told_apart and sure.bounds is not None and sure.undecided == 3
    assert sure.bounds == pytest.approx((11 / 44, 14 / 44)) and "[+25.0, +31.8]" in text
    hanging, text = difference(tmp_path, 14)
    assert hanging.is_significant and hanging.depends_on_undecided and not hanging.is_told_apart
    assert "depends on undecided" in " ".join(text.split())
    frame = (
        package.load_run(tmp_path / "14.osler")
        .compare()
        .query("measure == 'diagnosis_right' and against.notna()")
    )
    assert not frame["told_apart"].any() and frame["difference_at_least"].iloc[0] == 0
    main, *_ = comparison_tables(compare([load_run(tmp_path / "14.osler")]))
    assert not any("*" in cell for row in main.rows for cell in row)
