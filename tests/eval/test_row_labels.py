"""A table holds totals and means: every row says which it is, in every form; and no table says how good a ruler is."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from osler.eval.compare import compare
from osler.eval.compare.columns import MEASURES
from osler.eval.compare.grid import grids, json_text
from osler.eval.faithfulness.agreement import Counts, rules_agreement
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.eval.text_tables import WRITERS
from osler.runs.run_pages import status_page
from osler.runs.store import RunFile
from osler.simulator.summary import summary
from tests.conftest import REPO
from tests.eval.test_denominators import forms, line_of, text_of
from tests.eval.test_makers import mixed_run

TOTAL = (
    "questions",
    "replies",
    "retrievals",
    "thoughts",
    "patient: refused",
    "memory: proposed",
    "diagnosis undecided",
)
MEAN = ("turns", "repeated questions", "tokens in", "patient: leaks", "tokens: doctor", "cost: doctor, USD", "seconds")
COUNTS = {"consultations", "patients", "failed (left out)", "failed", "unparsed", "not judged"}
"""Rows that count consultations or patients, as their names say."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two columns, one of models, with an undecided verdict."""
    return mixed_run(tmp_path_factory.mktemp("labels") / "run.osler", lambda _: "undecided")


def test_every_row_of_a_comparison_says_what_it_is_in_every_form(run: Path) -> None:
    comparison = compare([load_run(run)], by="language")
    for text in forms(comparison):
        for label in TOTAL:
            line_of(text, f"{label} (total)")
        for label in MEAN:
            line_of(text, f"{label} (mean)")
    main, made, *_ = grids(comparison)
    for grid in (main, made):
        for label, *_ in csv.reader(io.StringIO(WRITERS["csv"](grid))):
            assert not label or label in COUNTS or label.endswith(("(total)", "(mean)", " %")), label
    assert any("(total): all consultations" in note and "(mean): per consultation" in note for note in main.notes)
    assert {measure.label for measure in MEASURES} >= {"turns", "tokens in"}, "names of fields do not change"


def test_the_table_after_a_run_and_its_status_say_it_too(run: Path) -> None:
    with RunFile.open(run) as opened:
        closing, status = text_of(summary(opened, "rules")), text_of(status_page(opened))
    for line in closing.splitlines():
        if line.startswith("│") and (label := line.split("│")[1].strip()):
            assert label in COUNTS or label.endswith(("(total)", "(mean)", "(share)", " %")), label
    assert "replies (total)" in closing and "turns (mean)" in closing and "(mean): per consultation" in closing
    assert re.search(r"turns \(mean\) +tokens \(total\)", status)


def test_recall_of_the_patients_detector_is_under_no_table_but_in_the_report(run: Path, tmp_path: Path) -> None:
    comparison = compare([load_run(run)])
    with RunFile.open(run) as opened:
        texts = [text_of(summary(opened, "rules")), *forms(comparison)]
    for text in texts:
        assert "precision" not in text and "labelled replies" not in text
    for text in texts[:-1]:  # CSV has no notes
        assert "a rule-based detector" in " ".join(text.split())
    page = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert "340 labelled replies" in page and "recall 0." in page
    assert "340 labelled replies" in json_text(comparison)


def test_the_page_on_judging_has_the_figures_of_the_detector() -> None:
    """It shows recall and precision in total and by language, as counted on the labelled replies."""
    page = (REPO / "docs" / "judging.md").read_text(encoding="utf-8")
    for name, field in (("leaks", "leaks"), ("untrue replies", "untrue")):
        by_language = {language.value: getattr(one, field) for language, one in rules_agreement().items()}
        whole = sum(by_language.values(), Counts(0, 0, 0, 0))
        each = (whole, by_language["en"], by_language["zh"])
        figures = [*(one.recall for one in each), *(one.precision for one in each)]
        assert f"| {name} | {' | '.join(figure.removeprefix('0') for figure in figures)} |" in page
