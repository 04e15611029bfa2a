"""The page for every reader: dark, on a phone, in Chinese, by keyboard, read aloud."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.view.browser import picture
from tests.view.tabs import DESK, Opening, Site, rows, wide

pytestmark = pytest.mark.xdist_group("browser")

PHONE = {"width": 390, "height": 844}


def test_dark_follows_the_system_and_the_readers_choice(
    tab: Opening, site: Site, tmp_path: Path
) -> None:
    page = tab(f"#/k0/{site.cell('bppv-en', 'tim')}", color_scheme="dark").page

    def brightness() -> int:
        colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3])

    assert brightness() < 150
    picture(page, "dark", tmp_path)
    page.get_by_label("Theme").select_option("light")
    assert brightness() > 700
    page.reload()
    page.wait_for_selector("h1")
    assert brightness() > 700


def test_a_phone_shows_all_of_it_in_one_column(tab: Opening, site: Site, tmp_path: Path) -> None:
    cell = site.cell("pneumonia-en", "tim")
    opened = tab("#/k0", viewport=PHONE)
    page = opened.page
    assert wide(page) == PHONE["width"]
    picture(page, "phone-table", tmp_path)
    opened.go(f"#/k0/{cell}?turn=2&tab=memory")
    assert wide(page) == PHONE["width"]
    expect(page.get_by_role("tab", name="Memory")).to_be_hidden()
    page.locator(".panel-head button").click()
    expect(page.get_by_role("tab", name="Memory")).to_be_in_viewport()
    picture(page, "phone", tmp_path)
    opened.go(f"#/k0/compare/{cell},{site.cell('pneumonia-en', 'raw')}")
    assert wide(page) == PHONE["width"]
    opened.go("#/play")
    assert wide(page) == PHONE["width"]


def test_chinese_consultations_and_chinese_labels(tab: Opening, site: Site, tmp_path: Path) -> None:
    cell = site.cell("bppv-zh", "tim")
    opened = tab(f"#/k0/{cell}?turn=1", locale="zh-CN")
    page = opened.page
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.locator(".panel h2")).to_have_text("第 1 轮")
    assert page.locator(".turn .said").first.get_attribute("lang") == "zh"
    picture(page, "chinese", tmp_path)
    page.get_by_label("Language 语言").select_option("en")
    expect(page.locator(".panel h2")).to_have_text("Turn 1")
    assert page.locator(".turn .said").first.get_attribute("lang") == "zh"
    opened.go(f"#/k0?search={site.story(cell)[0][1][2:6]}")
    assert all("-zh" in row for row in rows(page))


def test_every_label_exists_in_both_languages_with_the_same_slots(tab: Opening) -> None:
    words: dict[str, list[str]] = tab().page.evaluate("Osler.words")
    assert len(words) > 100
    for key, (english, chinese) in words.items():
        assert english and chinese, key
        assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", chinese)), key
        assert re.search("[一-鿿]", chinese) or key == "score", key


def test_everything_can_be_done_from_the_keyboard(tab: Opening) -> None:
    page = tab("#/k0", viewport=DESK).page
    page.keyboard.press("Tab")
    expect(page.locator("#skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.get_by_label("Search what was said")).to_be_focused()
    page.keyboard.type("pj?")  # letters in a field are letters
    expect(page.get_by_label("Search what was said")).to_have_value("pj?")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Escape")
    page.locator("table.consultations a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("main:not([aria-busy]) .turn[aria-current]")
    page.get_by_role("tab", name="Retrieval").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Memory")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Search what was said")).to_be_focused()


def test_a_view_that_is_left_does_not_change_the_address_of_the_next(
    tab: Opening, site: Site
) -> None:
    """A consultation notes its turn while it scrolls, also after another view was asked for."""
    page = tab(f"#/k0/{site.cell('bppv-en', 'raw')}", viewport=DESK).page
    page.evaluate("() => { Osler.go('#/k0?focus=search'); Osler.note({turn: 2}); }")
    expect(page.get_by_label("Search what was said")).to_be_focused()
    assert "turn" not in page.url


def test_every_control_has_a_name_and_every_view_a_heading(tab: Opening, site: Site) -> None:
    one, other = site.cell("bppv-en", "raw"), site.cell("bppv-en", "tim")
    for place in ("#/", "#/k0", f"#/k0/{one}", f"#/k0/compare/{one},{other}", "#/play"):
        page = tab(place).page
        assert page.locator("h1").count() == 1, place
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('button, a, input, select, textarea, summary, [role=tab], table')]
                .filter((one) => one.checkVisibility())
                .filter((one) => !(one.ariaLabel || one.labels?.[0]?.innerText || one.innerText).trim())
                .map((one) => one.outerHTML)"""
        )
        assert nameless == [], place
