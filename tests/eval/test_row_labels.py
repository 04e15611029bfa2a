"""A table holds totals and means: every row says which it is, in every form; and no table says how
good a ruler is."""

from __future__ import annotations

import csv
import html
import io
import re
from pathlib import Path

import pytest

from osler.eval.compare import compare, comparison_json, comparison_tables
from osler.eval.measures import all_measures
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.runs.run_pages import status_page
from osler.runs.store import RunFile
from osler.simulator.summary import summary
from osler.tables import WRITERS
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
MEAN = (
    "turns",
    "repeated questions",
    "tokens in",
    "replies naming the diagnosis",
    "tokens: doctor",
    "cost: doctor, USD",
    "seconds",
)
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
    main, made, *_ = comparison_tables(comparison)
    for grid in (main, made):
        for label, *_ in csv.reader(io.StringIO(WRITERS["csv"](grid))):
            assert not label or label in COUNTS or label.endswith(("(total)", "(mean)", " %")), (
                label
            )
    assert any(
        "(total): all consultations" in note and "(mean): per consultation" in note
        for note in main.notes
    )
    assert {measure.label.en for measure in all_measures()} >= {"turns", "tokens in"}, (
        "names of fields do not change"
    )


def test_the_table_after_a_run_and_its_status_say_it_too(run: Path) -> None:
    with RunFile.open(run) as opened:
        closing, status = text_of(summary(opened, "rules")), text_of(status_page(opened))
    for line in closing.splitlines():
        if line.startswith("│") and (label := line.split("│")[1].strip()):
            assert label in COUNTS or label.endswith(("(total)", "(mean)", " %")), label
    assert (
        "replies (total)" in closing
        and "turns (mean)" in closing
        and "(mean): per consultation" in closing
    )
    assert re.search(r"turns \(mean\) +tokens \(total\)", status)


def test_no_table_says_how_good_somebody_is_at_finding_faults(run: Path, tmp_path: Path) -> None:
    comparison = compare([load_run(run)])
    with RunFile.open(run) as opened:
        texts = [text_of(summary(opened, "rules")), *forms(comparison)]
    page = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    for text in (*texts, page, comparison_json(comparison)):
        assert "precision" not in text and "recall 0." not in text
    for text in (*texts[:-1], page):  # CSV has no notes
        assert "nobody has read the patient's replies" in html.unescape(" ".join(text.split()))
