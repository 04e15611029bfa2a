"""Who made what, on the page: badges, interventions in the turn, and a table of every column."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from osler.eval.scoring import score
from osler.runs.events import Answered, Asked, Event, Intervened, Intervention, Maker
from osler.runs.plan import Plan
from osler.runs.store import RunWriter
from osler.simulator.batch import about
from tests.view.browser import picture
from tests.view.runs import record, transcript
from tests.view.tabs import Tab

pytestmark = pytest.mark.xdist_group("browser")

TALK = [("When did it start?", "On Monday."), ("Do you cough?", "Yes."), ("", "Doctor?")]
MAKERS = [(Maker.STRATEGY, Maker.MODEL), (Maker.MODEL, Maker.RETRIED), (Maker.SILENT, Maker.CUT)]


def made_by(event: Event) -> Event:
    """The same with the makers of its turn, and the patient refused in every turn."""
    if isinstance(event, Asked | Answered):
        return event.model_copy(
            update={"maker": MAKERS[event.turn - 1][isinstance(event, Answered)]}
        )
    if isinstance(event, Intervened):
        return event.model_copy(update={"kind": Intervention.SHORTENED})
    return event


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plan = Plan((record("pneumonia-en"),), ("m@http://127.0.0.1:1/v1",), ("tim",))
    path = tmp_path_factory.mktemp("makers") / "made.osler"
    with RunWriter.create_or_resume(path, about(plan.settings)) as store:
        [number] = store.extend(plan).todo
        store.begin({})
        plain = transcript(record("pneumonia-en"), store.cell(number), TALK)
        held = plain.model_copy(update={"events": tuple(map(made_by, plain.events))})
        store.finish(number, held, score(held, record("pneumonia-en")))
    return path


def test_makers_and_interventions_are_shown_in_both_languages(opened: Tab, tmp_path: Path) -> None:
    opened.go("#/k0/1")
    page = opened.page
    doctor, patient = page.locator(".turn .line.doctor"), page.locator(".turn .line.patient")
    for place, badge in ((0, "strategy"), (2, "silent")):
        expect(doctor.nth(place).locator(".badge")).to_have_text([badge])
    expect(doctor.nth(1).locator(".badge")).to_have_count(0)
    expect(patient.nth(1).locator(".who")).to_contain_text("retried")
    expect(page.locator(".turn .interventions").first).to_have_text("doctor: shortened")
    expect(page.get_by_role("tabpanel")).to_contain_text("doctor: shortened")
    page.get_by_text("Who made what").click()
    expect(page.locator("table.makers")).to_contain_text("Questions: strategy")
    picture(page, "makers-consultation", tmp_path)
    page.get_by_label("Language 语言").select_option("zh")
    expect(page.locator(".turn .line.doctor .badge").first).to_have_text("策略")
    expect(page.locator(".turn .interventions").first).to_have_text("医生: 截短")
    opened.go("#/k0")
    page.get_by_text("由谁作出").click()
    expect(page.locator("table.makers")).to_contain_text("提问: 沉默")
    page.get_by_label("Language 语言").select_option("en")
    page.get_by_text("Who made what").click()
    expect(page.locator("table.makers tr", has_text="Questions: strategy")).to_contain_text(
        "33.3 %"
    )
    expect(page.locator("table.makers tr", has_text="Doctor: shortened")).to_contain_text("3")
    picture(page, "makers-run", tmp_path)


def test_what_the_strategy_asked_is_not_counted_as_asked(opened: Tab) -> None:
    opened.go("#/k0/1")
    opened.page.get_by_role("button", name="Reveal").click()
    # The first entry was brought in every turn, the strategy's first and then the model's own.
    expect(opened.page.locator(".truth")).to_contain_text("asked in turn 2")
