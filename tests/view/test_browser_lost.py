"""Why a consultation was lost, on the page: in the list, at its turn, and with the truth what was
missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from osler.eval.scoring import EXACT
from osler.runs.plan import Plan
from osler.runs.scored import StoredExplanation
from osler.runs.store import StoredScore, StoredVerdict
from osler.runs.store.explanations import ExplanationWriter
from tests.view.browser import picture
from tests.view.runs import make, record
from tests.view.tabs import Tab

pytestmark = pytest.mark.xdist_group("browser")

TALK = [("When did it start?", "On Monday."), ("Do you cough?", "Yes.")]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One consultation that was lost in its second turn, and one that was not."""
    plan = Plan((record("pneumonia-en"),), ("rules",), ("tim", "raw"))
    path = make(
        tmp_path_factory.mktemp("lost") / "lost.osler", plan, [(TALK, "Gout"), (TALK, "Pneumonia")]
    )
    trials = [{"diagnosis": "Gout", "verdict": "wrong"}]
    steps = (
        {"step": "same", "right": False, "trials": trials},
        {"step": "dialogue", "right": True, "trials": trials},
    )
    with ExplanationWriter.resume(path) as store:
        line = "told and not recalled at the end: Chest X-ray (turn 2)"
        finding = "“Gout”: present, different;\n“Pneumonia”: possible, same"
        store.store_score(
            1, StoredScore("reader", [StoredVerdict("diagnosis", "wrong", "reader", finding)])
        )
        store.store_explanation(
            1, EXACT, StoredExplanation("memory", 2, ("Chest X-ray",), line, "undecided", {}, steps)
        )
    return path


def test_the_cause_the_turn_and_what_was_missing(opened: Tab, tmp_path: Path) -> None:
    opened.go("#/k0")
    page = opened.page
    rows = page.locator("tbody tr")
    expect(rows.nth(0)).to_contain_text("memory")
    expect(page.locator("thead")).to_contain_text("Cause")
    opened.go("#/k0?cause=memory")
    expect(rows).to_have_count(1)
    opened.go("#/k0/1")
    expect(page.locator(".turn .lost")).to_have_text(["Lost here: memory"])
    expect(page.locator(".turn[data-turn='2'] .lost")).to_have_count(1)
    expect(page.locator(".marks .lost")).to_have_count(1)
    expect(page.locator("body")).not_to_contain_text("Chest X-ray (turn 2)")
    page.get_by_role("button", name="Reveal").click()
    truth = page.locator(".truth")
    expect(truth).to_contain_text("not recalled at the end: Chest X-ray (turn 2)")
    expect(truth).to_contain_text("the full dialogue")
    expect(truth.locator(".found tr")).to_have_text(
        ["“Gout”present, different", "“Pneumonia”possible, same"]
    )
    diagnoses = truth.locator(".verdicts li").filter(has_text="Diagnosis")
    expect(diagnoses).to_have_count(1)  # the undecided one is not shown beside it
    picture(page, "lost-consultation", tmp_path)
    page.get_by_label("Language 语言").select_option("zh")
    expect(page.locator(".turn .lost")).to_have_text(["在此丢失：记忆"])
    opened.go("#/k0/2")
    expect(page.locator(".turn").first).to_be_visible()
    expect(page.locator(".turn .lost")).to_have_count(0)
