"""The page names models without their servers, and answers without a verdict by what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from osler.records import RecordPool
from osler.runs.events import Called, CallFailure, Role
from osler.settings.run_settings import RunSettings
from osler.view.export import export
from tests.eval.held_runs import UNJUDGED, made_run
from tests.view.browser import picture, serving
from tests.view.tabs import Tab

pytestmark = pytest.mark.xdist_group("browser")

SPECS = tuple(f"meta-llama/Llama-3.1-{size}@http://10.0.0.7:8000/v1" for size in ("8B", "70B"))
FAILED_CALL = Called(
    turn=1,
    role=Role.MEMORY,
    model="m",
    messages=(),
    failure=CallFailure(kind="timeout", message="slow"),
)


def text_of(page: Page) -> str:
    return page.locator("body").inner_text()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return made_run(
        tmp_path / "named.osler",
        RecordPool.open().only(ids=["croup-en", "croup-zh"]),
        lambda cell: UNJUDGED if cell.case == "croup-zh" else "correct",
        calls=lambda cell: [FAILED_CALL] if cell.case == "croup-en" else [],
        backbones=SPECS,
        memories=("raw", "tim,embedder=bge@http://10.0.0.7:9/v1"),
        settings=RunSettings(patient_backbone=SPECS[0]),
    )


@pytest.mark.parametrize("where", ["served", "exported"])
def test_names_are_short_and_the_unjudged_are_not_wrong(
    browser: Browser, run: Path, tmp_path: Path, where: str
) -> None:
    with serving(tmp_path, run) as address:
        if where == "exported":
            export([run], tmp_path / "site")
            address = (tmp_path / "site" / "index.html").as_uri()
        shown = Tab.of(browser, address)
        shown.go("#/")
        page = shown.page
        assert (
            "Llama-3.1-8B" in text_of(page)
            and "4 not judged" in text_of(page)
            and "10.0.0" not in text_of(page)
        )
        shown.go("#/k0")
        rows = page.locator("table.consultations tbody tr")
        expect(rows).to_have_count(8)
        assert text_of(page).count(
            "not judged"
        ) >= 4 and "1 of the memory's calls failed" in text_of(page)
        picture(page, f"names-{where}", tmp_path)
        page.locator("details[data-name=backbone] summary").click()
        page.get_by_label("Llama-3.1-70B", exact=True).check()
        expect(rows).to_have_count(4)
        page.locator("details[data-name=diagnosis] summary").click()
        page.get_by_label("not judged", exact=True).check()
        expect(rows).to_have_count(2)
        assert "10.0.0" not in text_of(page)
        for place in ("#/k0/1", "#/k0/compare/1,2,3"):
            shown.go(place)
            if page.locator("details.siblings").count():
                page.locator("details.siblings summary").click()
            assert "Llama-3.1-8B" in text_of(page) and "10.0.0" not in text_of(page)
        shown.close()


@pytest.mark.parametrize("where", ["served", "exported"])
def test_strategies_are_shown_and_filtered_in_both_languages(
    browser: Browser, tmp_path: Path, where: str
) -> None:
    made_run(
        run := tmp_path / "ways.osler",
        RecordPool.open().only(ids=["croup-en"]),
        backbones=("rules", SPECS[0]),
        strategies=("plain", "stepwise"),
    )
    with serving(tmp_path, run) as address:
        if where == "exported":
            export([run], tmp_path / "site")
            address = (tmp_path / "site" / "index.html").as_uri()
        shown = Tab.of(browser, address)
        page = shown.page
        shown.go("#/")
        assert "plain, stepwise" in text_of(page)
        shown.go("#/k0")
        rows = page.locator("table.consultations tbody tr")
        expect(rows).to_have_count(3)
        assert page.get_by_role(
            "button", name="Strategy"
        ).count() == 1 and "Variants" not in text_of(page)
        picture(page, f"strategies-{where}", tmp_path)
        page.locator("details[data-name=strategy] summary").click()
        page.get_by_label("stepwise", exact=True).check()
        expect(rows).to_have_count(1)
        shown.go("#/k0/3")
        assert "STRATEGY\nstepwise" in text_of(page).replace("Strategy", "STRATEGY")
        shown.go("#/k0/compare/2,3")
        expect(page.locator("table.compare thead")).to_contain_text("stepwise")
        page.evaluate("Osler.speak('zh')")
        shown.go("#/k0")
        expect(page.locator("details[data-name=strategy] summary")).to_contain_text("策略")
        shown.close()
