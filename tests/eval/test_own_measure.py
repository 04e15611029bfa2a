"""A measure of one's own, registered in one place, is shown wherever measures are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.errors import UserError
from osler.eval.compare import compare, comparison_json, comparison_tables
from osler.eval.measures import (
    Higher,
    Label,
    Measure,
    Place,
    Unit,
    measure_reference,
    register_measure,
    registry,
)
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Answered
from osler.runs.plan import Plan
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from osler.simulator.batch import RunOptions, simulate_plan
from osler.simulator.summary import summary
from osler.tables import markdown
from osler.view.consultation_data import consultation, ended
from tests.eval.test_denominators import line_of, text_of


def letters(transcript: Transcript, record: PatientRecord) -> float:
    return float(sum(len(event.reply) for event in transcript.of(Answered)))


LETTERS = Measure(
    "letters",
    Label("letters of the patient", "患者字数"),
    Unit.COUNT,
    "Characters of all replies.",
    "Consultations that ended with an answer.",
    from_transcript=letters,
)
SHORT = Measure(
    "short",
    Label("short consultations", "简短问诊"),
    Unit.SHARE,
    "1 if the doctor asked at most nine questions.",
    "Consultations that ended with an answer.",
    Higher.BETTER,
    lambda scored: float(scored.turns <= 9),
)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_registered", {})
    register_measure(LETTERS)
    register_measure(SHORT)
    yield


@pytest.fixture
def run(registered: None, tmp_path: Path) -> Path:
    records = RecordPool.open().only(ids=["croup-en", "gout-zh", "stemi-en"])
    path = tmp_path / "own.osler"
    simulate_plan(Plan(records), path, RunOptions(quiet=True), "bundled")
    return path


def test_it_is_in_every_table_in_the_scores_and_on_the_page(run: Path, tmp_path: Path) -> None:
    loaded = load_run(run)
    scores = loaded.scores()
    assert (scores["letters"] > 0).all() and set(scores["short"]) <= {0.0, 1.0}
    mean, share = f"{scores['letters'].mean():.1f}", f"{100 * scores['short'].mean():.1f}"
    with RunFile.open(run) as opened:
        closing = text_of(summary(opened, "rules"))
        story = consultation(opened, "k0", ended(opened, 1))
    comparison = compare([loaded])
    compared = markdown(comparison_tables(comparison)[0])
    for text in (closing, compared):
        assert mean in line_of(text, "letters of the patient (mean)")
        assert share in line_of(text, "short consultations %")
    (column,) = json.loads(comparison_json(comparison))["columns"]
    assert column["figures"]["letters"]["value"] == pytest.approx(scores["letters"].mean())
    assert set(comparison.frame()["measure"]) >= {"letters", "short"}
    report = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert "letters of the patient (mean)" in report and "short consultations %" in report
    (figure,) = (each for each in story["measures"]["figures"] if each["name"] == "letters")
    assert figure["label"] == {"en": "letters of the patient", "zh": "患者字数"}
    assert figure["value"] == scores["letters"].iloc[0]
    assert measure_reference()[-1].denominator == SHORT.denominator


def test_it_is_only_where_it_asks_to_be(run: Path) -> None:
    hidden = Measure(*_words("letters"), from_transcript=letters, places=frozenset({Place.SCORES}))
    register_measure(hidden)
    loaded = load_run(run)
    assert "letters" in loaded.scores()
    assert "letters" not in markdown(comparison_tables(compare([loaded]))[0])


def test_it_takes_no_name_of_oslers_own() -> None:
    for name in ("turns", "coverage", "makers"):
        with pytest.raises(UserError, match="already"):
            register_measure(Measure(*_words(name)))


def _words(name: str) -> tuple[str, Label, Unit, str, str]:
    return name, Label("a", "一"), Unit.COUNT, "One.", "All."
