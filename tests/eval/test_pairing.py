"""Columns of several runs are paired by record and trial, and what has no partner is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.eval.compare import ColumnDifference, compare, comparison_json, comparison_tables
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.language import Language
from osler.records import PatientRecord, RecordPool
from osler.runs.plan import Cell, Plan
from osler.simulator.batch import RunOptions, simulate_plan
from osler.tables import WRITERS
from tests.conftest import Run
from tests.eval.held_runs import made_run

PATIENTS = ("croup", "gout", "stemi", "pneumonia")


def pool(*languages: str, patients: tuple[str, ...] = PATIENTS) -> list[PatientRecord]:
    return list(
        RecordPool.open().only(
            ids=[f"{name}-{language}" for language in languages for name in patients]
        )
    )


def diagnosis(*runs: Path, **options: Any) -> ColumnDifference:
    (found,) = (
        one
        for one in compare([load_run(run) for run in runs], **options).differences
        if _is_diagnosis(one)
    )
    return found


def _is_diagnosis(one: ColumnDifference) -> bool:
    return one.measure == "diagnosis_right"


def english_is_right(cell: Cell) -> str:
    return "correct" if cell.case.endswith("-en") else "wrong"


@pytest.mark.parametrize("order", [("en", "zh"), ("zh", "en")])
def test_a_run_of_both_languages_does_not_differ_from_its_own_part(
    tmp_path: Path, order: tuple[str, str]
) -> None:
    both = made_run(tmp_path / "both.osler", pool(*order), english_is_right)
    for language in ("zh", "en"):
        part = made_run(tmp_path / f"{language}.osler", pool(language), english_is_right)
        for runs in ((both, part), (part, both)):
            found = diagnosis(*runs).paired
            assert (found.n, found.only_first, found.only_second, found.difference) == (
                4,
                0,
                0,
                0.0,
            )
            assert found.left_out == 4


def test_the_rules_doctor_in_both_languages_is_its_own_chinese_run(tmp_path: Path) -> None:
    both, chinese = tmp_path / "both.osler", tmp_path / "chinese.osler"
    for path, languages in ((both, ("en", "zh")), (chinese, ("zh",))):
        simulate_plan(
            Plan(pool(*languages), memories=("raw",)), path, RunOptions(quiet=True), "bundled"
        )
    found = diagnosis(both, chinese).paired
    assert (found.n, found.only_first, found.only_second) == (4, 0, 0)


def test_a_sample_is_paired_with_the_records_it_was_drawn_from(tmp_path: Path, osler: Run) -> None:
    every = list(RecordPool.open().only(languages=[Language.EN]))
    whole = made_run(
        tmp_path / "whole.osler", every, lambda cell: "correct" if "a" in cell.case else "wrong"
    )
    some = every[::-2][:20]
    sample = made_run(
        tmp_path / "sample.osler", some, lambda cell: "correct" if "a" in cell.case else "wrong"
    )
    found = diagnosis(whole, sample).paired
    assert (found.n, found.only_first, found.only_second) == (20, 0, 0)
    assert (found.left_out_first, found.left_out_second) == (0, 24)

    done = osler("compare", whole, sample)
    assert (
        "the columns hold different patients (whole rules raw 44, sample rules raw 20"
        in done.stderr
    )
    said = " ".join(done.stdout.split())
    assert (
        "24 of 44 consultations have no partner in sample rules raw: 24 with other records ("
        in said
    )
    comparison = compare([load_run(whole), load_run(sample)])
    for form in ("markdown", "latex", "csv", "html", "json"):
        writer = WRITERS[form]
        assert "0 : 24" in "".join(map(writer, comparison_tables(comparison)))
    told = json.loads(comparison_json(comparison))
    assert (told["differences"][0]["n"], told["differences"][0]["left_out_second"]) == (20, 24)
    assert len(told["unpaired"]) == 1 and any(
        "different patients" in line for line in told["warnings"]
    )


def test_a_trial_is_paired_with_the_trial_of_its_number(tmp_path: Path) -> None:
    three = made_run(
        tmp_path / "three.osler",
        pool("en"),
        lambda cell: "correct" if cell.trial == 1 else "wrong",
        trials=3,
    )
    one = made_run(tmp_path / "one.osler", pool("en"))
    comparison = compare([load_run(three), load_run(one)])
    found = next(filter(_is_diagnosis, comparison.differences)).paired
    assert (found.n, found.only_first, found.only_second) == (4, 0, 0)
    assert (found.left_out_first, found.left_out_second) == (0, 8)
    (line,) = comparison.unpaired
    assert "three rules raw: 8 of 12 consultations have no partner in one rules raw" in line
    assert "of trials that were not held there (2, 3)" in line
    assert not any("different" in warning for warning in comparison.warnings), (
        "the patients are the same"
    )


def test_columns_of_one_run_have_all_their_partners(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run.osler", pool("en", "zh"), memories=("none", "raw"), trials=2)
    comparison = compare([load_run(run)])
    assert {
        (one.paired.n, one.paired.left_out) for one in filter(_is_diagnosis, comparison.differences)
    } == {(16, 0)}
    assert comparison.unpaired == () and comparison.warnings == ()


def test_a_report_of_an_unfinished_run_tells_what_has_no_partner(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run.osler", pool("en"), memories=("none",))
    made_run(run, pool("en")[:1], memories=("raw",))
    page = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert (
        "3 of 4 consultations have no partner in rules raw" in page
        and "hold different patients" in page
    )


def test_runs_of_other_patients_and_of_changed_records_are_named(tmp_path: Path) -> None:
    first = made_run(tmp_path / "first.osler", pool("en", patients=("croup", "gout")))
    second = made_run(tmp_path / "second.osler", pool("en", patients=("stemi", "pneumonia")))
    comparison = compare([load_run(first), load_run(second)])
    assert next(filter(_is_diagnosis, comparison.differences)).paired.n == 0
    assert any(
        "hold different patients" in warning and "in all of them 0" in warning
        for warning in comparison.warnings
    )
    (croup,) = pool("en", patients=("croup",))
    changed = made_run(
        tmp_path / "changed.osler", [croup.model_copy(update={"complaint": "Something else."})]
    )
    told = compare([load_run(first), load_run(changed)]).warnings
    assert any(
        "1 record(s) of the same name differ between runs (croup-en)" in warning for warning in told
    )
