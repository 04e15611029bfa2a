"""The page in a real browser: what a person sees and does."""

from __future__ import annotations

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from osler import simulate
from osler.language import Language
from osler.runs.events import Asked, Concluded, Role
from osler.runs.plan import Selector
from osler.runs.store import RunFile
from osler.view.export import export
from tests.conftest import Run
from tests.returning import returning
from tests.view.browser import picture, serving
from tests.view.tabs import Opening, Site, Tab, current, rows

pytestmark = pytest.mark.xdist_group("browser")


def test_a_run_is_opened_filtered_searched_and_read(tab: Opening, tmp_path: Path) -> None:
    page = tab().page
    page.get_by_role("link", name="demo").click()
    expect(page.locator("table.consultations tbody tr")).to_have_count(9)
    picture(page, "table", tmp_path)
    page.locator("details[data-name=memory] summary").click()
    page.get_by_label("tim", exact=True).check()
    expect(page.locator("table.consultations tbody tr")).to_have_count(3)
    assert all("tim" in row for row in rows(page))
    assert "memory=tim" in page.url
    picture(page, "filtered", tmp_path)
    page.keyboard.press("Escape")
    page.get_by_label("Search what was said").fill("cough")
    expect(page.locator("table.consultations tbody tr")).to_have_count(1)
    page.reload()
    expect(page.locator("table.consultations tbody tr")).to_have_count(
        1
    )  # the address holds all of it
    page.get_by_role("link", name="pneumonia-en").click()
    expect(page.locator(".turn .line.doctor").first).to_be_visible()
    picture(page, "consultation", tmp_path)


def test_columns_sort_in_both_directions(tab: Opening) -> None:
    page = tab("#/k0").page
    page.get_by_role("button", name="Turns").click()
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Turns")
    turns = [int(text) for text in page.locator("td[data-label=Turns]").all_inner_texts()]
    assert turns == sorted(turns)
    page.get_by_role("button", name="Turns").click()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Turns")
    assert [int(text) for text in page.locator("td[data-label=Turns]").all_inner_texts()] == sorted(
        turns, reverse=True
    )


def test_scrubbing_moves_conversation_panel_and_address_together(tab: Opening, site: Site) -> None:
    cell = site.cell("pneumonia-en", "tim")
    said = site.story(cell)
    page = tab(f"#/k0/{cell}").page
    shown = page.locator(".turn .said").all_inner_texts()
    for question, reply in said:
        assert question in shown and reply in shown
    page.locator("#timeline").fill("2")
    assert current(page) == "3"
    assert "turn=3" in page.url
    expect(page.locator(".panel h2")).to_have_text("Turn 3")
    page.keyboard.press("j")
    assert current(page) == "4"
    page.keyboard.press("k")
    page.keyboard.press("k")
    assert current(page) == "2"
    page.get_by_role("tab", name="Memory").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("Recalled")
    page.keyboard.press("j")
    expect(page.get_by_role("tab", name="Memory")).to_have_attribute("aria-selected", "true")
    page.reload()
    page.wait_for_selector(".turn[aria-current]")
    assert current(page) == "3"


def test_consultations_follow_each_other_as_the_table_was_filtered(
    tab: Opening, site: Site
) -> None:
    page = tab("#/k0?memory=raw&sort=case&desc=1").page
    order = [site.cell(case, "raw") for case in ("pneumonia-en", "bppv-zh", "bppv-en")]
    page.get_by_role("link", name="pneumonia-en").click()
    page.wait_for_url(re.compile(rf"#/k0/{order[0]}\?"))
    for step, cell in (("n", order[1]), ("n", order[2]), ("p", order[1])):
        page.wait_for_selector("main:not([aria-busy]) .turn[aria-current]")
        page.keyboard.press(step)
        page.wait_for_url(re.compile(rf"#/k0/{cell}\?"))
    page.wait_for_selector("main:not([aria-busy]) .turn[aria-current]")
    page.keyboard.press("Escape")
    expect(page.locator("table.consultations tbody tr")).to_have_count(3)


def test_the_truth_comes_only_when_it_is_asked_for(
    tab: Opening, site: Site, tmp_path: Path
) -> None:
    opened = tab(f"#/k0/{site.cell('bppv-en', 'none')}")
    page = opened.page
    assert not any("truth" in address for address in opened.requests)
    assert "bppv" not in page.locator("body").inner_text().lower()
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".truth")).to_contain_text("Benign paroxysmal positional vertigo")
    expect(page.locator(".truth .verdict").first).to_be_visible()
    page.locator(".truth").get_by_role("button", name="asked in turn").first.click()
    expect(page.locator(".turn[aria-current]")).to_be_visible()
    picture(page, "revealed", tmp_path)


def test_two_consultations_are_compared_and_the_first_difference_marked(
    tab: Opening, site: Site, tmp_path: Path
) -> None:
    page = tab("#/k0?patient=pneumonia").page
    for memory in ("none", "tim"):
        page.get_by_label(f"Select pneumonia-en {memory} for comparison").check()
    page.get_by_role("link", name="Compare (2)").click()
    one, other = (site.story(site.cell("pneumonia-en", memory)) for memory in ("none", "tim"))
    first = next(
        place for place, pair in enumerate(zip(one, other, strict=False), 1) if pair[0] != pair[1]
    )
    page.get_by_role("button", name=f"First difference: turn {first}").click()
    expect(page.locator("#divergence")).to_be_in_viewport()
    expect(page.locator("#divergence + tr > th")).to_have_text(str(first))
    assert page.locator("table.compare thead th").count() == 2
    picture(page, "compare", tmp_path)
    page.locator(".siblings summary").click()
    page.locator(".siblings a", has_text="raw").click()
    expect(page.locator("table.compare thead th")).to_have_count(3)


def test_a_fork_appears_beside_its_run_and_is_opened(
    browser: Browser, site: Site, osler: Run, tmp_path: Path
) -> None:
    run = Path(shutil.copy(site.demo, tmp_path / "demo.osler"))
    with serving(tmp_path, run) as address, ThreadPoolExecutor(1) as aside:
        opened = Tab.of(browser, address)
        opened.go("#/")
        page = opened.page
        expect(page.locator("table.rows tbody tr")).to_have_count(1)
        for turn in (2, 3):
            fork = ("--memory", "none", "--memory", "raw", "--at", str(turn))
            # Beside this thread, which has a loop of Playwright's.
            forked = aside.submit(osler, "fork", run, "bppv-en", *fork).result()
            assert forked.returncode == 0, forked.stderr
        page.get_by_role("link", name="demo.forks").click()  # nobody has loaded the page anew
        expect(page.locator("table.consultations tbody tr")).to_have_count(2)
        for turn in (2, 3):
            expect(
                page.locator("table.consultations th", has_text=f"Branched off in turn {turn}")
            ).to_have_count(1)
        picture(page, "forks", tmp_path)
        page.locator("table.consultations tbody tr", has_text="turn 2").get_by_role("link").click()
        page.wait_for_selector("main:not([aria-busy]) .turn[aria-current]")
        shown = page.locator(".turn .said").all_inner_texts()
        kept = [text for pair in site.story(site.cell("bppv-en", "none"))[:2] for text in pair]
        with RunFile.open(tmp_path / "demo.forks.osler") as forks:
            asked = [
                event.question
                for event in forks.find(Selector("bppv-en", memory="raw", trial=1)).of(Asked)
            ]
        assert shown[: len(kept)] == kept and len(asked) > 2 and set(asked) <= set(shown)
        page.locator(".siblings summary").click()
        expect(page.locator(".siblings a")).to_contain_text("Branched off in turn 3")
        page.get_by_label("Language 语言").select_option("zh")
        page.keyboard.press("Escape")
        expect(page.locator("table.consultations th", has_text="自第 3 轮分支")).to_have_count(1)
        opened.go("#/k0")
        expect(page.locator("table.consultations tbody tr")).to_have_count(9)
        assert not any("分支" in row for row in rows(page)), "the run itself has no fork"
        opened.close()


def test_a_person_plays_three_turns_as_the_doctor(tab: Opening, tmp_path: Path) -> None:
    opened = tab("#/play")
    page = opened.page
    choices = page.get_by_label("Who comes in")
    assert choices.locator("option").count() > 20
    choices.select_option(
        label="57 years · female · The whole room suddenly spins around me, doctor, and I'm so afraid that I'm having a stroke."
    )
    page.get_by_role("button", name="Begin").click()
    questions = [
        "What brings it on, and how long does it last?",
        "Is your hearing worse?",
        "Please examine the eyes for nystagmus.",
    ]
    for number, question in enumerate(questions, 1):
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        expect(page.locator(".spoken")).to_have_count(2 * number)
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    expect(page.locator(".panel")).to_contain_text("Turn 1")  # what the memory would have kept
    assert "positional" not in page.locator("body").inner_text()
    picture(page, "play", tmp_path)
    page.locator(".conclude summary").click()
    page.get_by_label("Your diagnosis").fill("BPPV")
    page.get_by_label("Your treatment").fill("Epley manoeuvre")
    page.locator(".conclude button").click()
    result = page.locator("#result")
    expect(result).to_contain_text("Benign paroxysmal positional vertigo")
    assert result.locator(".verdict.correct").count() == 2
    expect(result).to_contain_text("What would harm this patient")
    expect(result).to_contain_text("What was not asked")
    expect(result).to_contain_text("The order it should have been asked in")
    picture(page, "played", tmp_path)


def test_a_person_plays_the_patient_and_sees_what_they_know(tab: Opening, tmp_path: Path) -> None:
    page = tab("#/play").page
    page.get_by_label("I am the patient").check()
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".known")).to_contain_text("What the record says")
    page.get_by_label("Your answer").fill("I am not sure.")
    page.keyboard.press("Enter")
    expect(page.locator(".spoken")).to_have_count(3)
    picture(page, "patient", tmp_path)
    page.get_by_role("button", name="Leave without an answer").click()
    expect(page.get_by_role("button", name="Begin")).to_be_visible()


def test_a_run_in_progress_shows_itself(tab: Opening, site: Site) -> None:
    page = tab("#/k2").page
    expect(page.locator("table.consultations tbody tr", has_text="to do")).to_have_count(1)
    page.wait_for_timeout(600)  # the page has asked once for changes, and now waits for one
    page.locator("table.consultations a").first.focus()
    first, _ = site.growing.plan(trials=2)
    expect(page.locator("table.consultations tbody tr", has_text="to do")).to_have_count(2)
    end = Concluded(turn=1, role=Role.DOCTOR, diagnosis="Ankle sprain", treatment="Rest")
    site.growing.hold(first, (end,))
    expect(page.locator("table.consultations tbody tr", has_text="concluded")).to_have_count(1)
    expect(page.locator("table.consultations a").first).to_be_focused()  # nobody loses their place


def test_an_exported_site_opens_from_disk(tab: Opening, site: Site, tmp_path: Path) -> None:
    export([site.demo], tmp_path / "site")
    opened = tab("#/k0", address=(tmp_path / "site" / "index.html").as_uri())
    page = opened.page
    expect(page.locator("table.consultations tbody tr")).to_have_count(9)
    page.locator("details[data-name=language] summary").click()
    page.get_by_label("Chinese", exact=True).check()
    expect(page.locator("table.consultations tbody tr")).to_have_count(3)
    page.get_by_label("Chinese", exact=True).uncheck()
    page.get_by_label("Search what was said").fill("cough")
    expect(page.locator("table.consultations .snippet").first).to_contain_text("cough")
    page.get_by_role("link", name="pneumonia-en").first.click()
    page.wait_for_selector(".turn[aria-current]")
    expect(page.locator(".truth h2")).to_have_count(0)
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".truth")).to_contain_text("Community-acquired pneumonia")
    page.keyboard.press("n")
    page.wait_for_url(re.compile("at=1"))
    assert page.get_by_role("link", name="Play").count() == 0
    assert all(address.startswith("file:") for address in opened.requests)
    picture(page, "disk", tmp_path)


def test_earlier_visits_are_folded_above_the_consultation(browser: Browser, tmp_path: Path) -> None:
    run = tmp_path / "returning.osler"
    simulate(
        pool=[returning(Language.ZH)],
        visits=True,
        filler=1,
        turns=1,
        memories=["raw"],
        out=run,
        quiet=True,
    )
    with serving(tmp_path, run) as address:
        page = browser.new_page()
        page.goto(f"{address}#/k0/1")
        visits = page.locator("details.visits")
        expect(visits.locator("summary")).to_have_text("Earlier visits: 2")
        expect(visits.locator("h3").first).to_be_hidden()
        visits.locator("summary").click()
        expect(visits.locator("h3")).to_have_text(
            [
                "2021-03-09 · Visit 1",
                re.compile(r"2023-11-20 · Visit 2 · .+"),
                re.compile(r".+ · Small talk"),
            ]
        )
        expect(visits.locator(".line.patient").first).to_contain_text("星期天起耳朵疼")
        page.close()
