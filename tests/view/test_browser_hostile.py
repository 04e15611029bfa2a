"""The page in a real browser: what hostile texts cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.view.browser import HOSTILE, LONG, picture
from tests.view.tabs import DESK, Opening, Site, wide

pytestmark = pytest.mark.xdist_group("browser")


def test_hostile_texts_stay_texts(tab: Opening, site: Site, tmp_path: Path) -> None:
    opened = tab("#/k1")
    page = opened.page
    assert "h<i>ostile" in page.locator("h1").inner_text()
    page.get_by_role("link", name="sprain").click()
    page.wait_for_selector(".turn[aria-current]")
    for name in ("Retrieval", "Memory", "Prompts"):
        page.get_by_role("tab", name=name).click()
        for fold in page.locator(".panel details").all():
            fold.evaluate("fold => { fold.open = true; }")
        expect(page.get_by_role("tabpanel")).to_contain_text("<script>window.pwned = 1</script>")
    expect(page.locator(".call pre").first).to_contain_text("<img src=x onerror=")
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".truth h2")).to_be_visible()
    picture(page, "hostile", tmp_path)
    shown = page.locator(".turn .line.doctor .said").inner_text()
    assert (
        "‹U+202E›gnp.exe‹U+202C›" in shown
        and "‹U+0007›" in shown
        and "[a link](javascript:window.pwned=4)" in shown
    )
    made = "main img, main svg, main script, main iframe, main i, main a:not([href^='#/'])"
    assert page.locator(made).count() == 0
    assert page.evaluate("window.pwned") is None
    assert all(address.startswith(site.address) for address in opened.requests)


def test_a_megabyte_is_folded_and_unfolds_without_freezing_the_page(tab: Opening) -> None:
    page = tab("#/k1/1").page
    reply = page.locator(".turn .line.patient .said")
    assert len(reply.inner_text()) < 3_000
    reply.get_by_role("button", name=f"show all ({len(LONG):,} characters)").click()
    spent = page.evaluate("""async () => {
        const began = performance.now();
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return performance.now() - began;
    }""")
    assert spent < 3_000
    assert reply.evaluate("one => one.textContent.length") == len(LONG)
    assert wide(page) == DESK["width"]
    page.keyboard.press("j")
    expect(page.locator(".panel h2")).to_have_text("Conclusion")


def test_half_characters_are_shown_as_broken(tab: Opening) -> None:
    page = tab().page
    text = page.evaluate(r"Osler.said('a\ud800b \udc00 \ud83d\ude00').textContent")
    assert text == "a\ufffdb \ufffd \U0001f600"


def test_only_the_pages_own_elements_and_links_can_be_made(tab: Opening) -> None:
    page = tab().page
    for attempt in (
        "Osler.h('script', null, 'window.pwned = 1')",
        "Osler.h('img', {src: 'x'})",
        "Osler.h('a', {href: 'javascript:window.pwned=1'}, 'x')",
        "Osler.h('p', {style: 'position:fixed'})",
        "Osler.h('p', {onclick: 'window.pwned = 1'})",
    ):
        refused = page.evaluate(
            f"(() => {{ try {{ {attempt}; return ''; }} catch (error) {{ return error.message; }} }})()"
        )
        assert refused, attempt
    assert page.evaluate("text => Osler.h('p', {title: text}).title", HOSTILE) == HOSTILE
