"""The page in a real browser: what a person sees and does, in both languages, and what hostile texts cannot do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect

from osler.events import Answered, Asked, Concluded, Role
from osler.simulator.store import RunFile
from osler.view.export import export
from tests.conftest import Run
from tests.view.browser import HOSTILE, LONG, Small, chromium, hold, hostile, picture, serving

pytestmark = pytest.mark.xdist_group("browser")

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
PATIENCE = 20_000
"""Milliseconds: the first consultation that is played loads all that retrieval knows."""
expect.set_options(timeout=PATIENCE)


@dataclass
class Site:
    """A server on a folder of runs."""

    demo: Path
    growing: Small
    """A run that is still being held."""
    address: str

    def story(self, cell: int) -> list[tuple[str, str]]:
        """What was really said in a consultation."""
        with RunFile.open(self.demo) as run:
            transcript = run.transcript(cell)
        assert transcript is not None
        replies = [event.reply for event in transcript.of(Answered)]
        return list(zip([event.question for event in transcript.of(Asked)], replies, strict=True))

    def cell(self, case: str, memory: str) -> int:
        """The number of a consultation."""
        with RunFile.open(self.demo) as run:
            rows = list(run.rows("number, record, memory"))
            return int(next(row["number"] for row in rows if (row["record"], row["memory"]) == (case, memory)))


@dataclass
class Tab:
    """A page, and all that it did besides showing itself."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, browser: Browser, address: str, **options: Any) -> Tab:
        """A new one, with nothing remembered."""
        context = browser.new_context(**{"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **options})
        context.set_default_timeout(PATIENCE)
        tab = cls(context.new_page(), address)
        tab.page.on("request", lambda request: tab.requests.append(request.url))
        tab.page.on("pageerror", lambda error: tab.faults.append(str(error)))
        tab.page.on("console", tab._console)
        tab.page.on("dialog", tab._dialog)
        return tab

    def _console(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.faults.append(said.text)

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, place: str) -> None:
        """To a place of the page, by way of its first view, until it is drawn."""
        for step, view in (("#/", "runs"), (place, _view(place))):
            self.page.goto(self.address + step)
            self.page.wait_for_selector(f"main.view-{view}:not([aria-busy])")

    def close(self) -> None:
        """Close it; nothing may have gone wrong in it."""
        self.page.context.close()
        assert self.faults == []


def _view(place: str) -> str:
    match place.removeprefix("#/").split("?")[0].split("/"):
        case [""]:
            return "runs"
        case ["play", *_]:
            return "play"
        case [_]:
            return "table"
        case [_, "compare", _]:
            return "compare"
        case _:
            return "consultation"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    demo, growing = hold(folder), Small(folder / "growing.osler")
    growing.plan()
    with serving(folder, demo, hostile(folder / "h<i>ostile.osler").path, growing.path) as address:
        yield Site(demo, growing, address)


@pytest.fixture(scope="module")
def shared(browser: Browser, site: Site) -> Iterator[Tab]:
    """One page for all tests that ask for nothing special: loading it anew takes longer than most of them."""
    tab = Tab.of(browser, site.address)
    yield tab
    tab.close()


Opening = Callable[..., Tab]


@pytest.fixture
def tab(browser: Browser, site: Site, shared: Tab) -> Iterator[Opening]:
    """Open the page somewhere; options make it a page of its own."""
    own: list[Tab] = []

    def opening(place: str = "#/", *, address: str = "", **options: Any) -> Tab:
        one = shared
        if address or options:
            one = Tab.of(browser, address or site.address, **options)
            own.append(one)
        one.requests.clear()
        one.go(place)
        return one

    yield opening
    for one in own:
        one.close()
    assert shared.faults == []


def rows(page: Page) -> list[str]:
    return page.locator("table.consultations tbody tr").all_inner_texts()


def wide(page: Page) -> int:
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width


def current(page: Page) -> str:
    return page.locator(".turn[aria-current] .turn-number").inner_text()


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
    expect(page.locator("table.consultations tbody tr")).to_have_count(1)  # the address holds all of it
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
    assert [int(text) for text in page.locator("td[data-label=Turns]").all_inner_texts()] == sorted(turns, reverse=True)


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


def test_consultations_follow_each_other_as_the_table_was_filtered(tab: Opening, site: Site) -> None:
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


def test_the_truth_comes_only_when_it_is_asked_for(tab: Opening, site: Site, tmp_path: Path) -> None:
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
    first = next(place for place, pair in enumerate(zip(one, other, strict=False), 1) if pair[0] != pair[1])
    page.get_by_role("button", name=f"First difference: turn {first}").click()
    expect(page.locator("#divergence")).to_be_in_viewport()
    expect(page.locator("#divergence + tr > th")).to_have_text(str(first))
    assert page.locator("table.compare thead th").count() == 2
    picture(page, "compare", tmp_path)
    page.locator(".siblings summary").click()
    page.locator(".siblings a", has_text="raw").click()
    expect(page.locator("table.compare thead th")).to_have_count(3)


def test_a_fork_appears_beside_its_run_and_is_opened(browser: Browser, site: Site, osler: Run, tmp_path: Path) -> None:
    run = Path(shutil.copy(site.demo, tmp_path / "demo.osler"))
    with serving(tmp_path, run) as address, ThreadPoolExecutor(1) as aside:
        opened = Tab.of(browser, address)
        opened.go("#/")
        page = opened.page
        expect(page.locator("table.rows tbody tr")).to_have_count(1)
        for turn in (2, 3):
            fork = ("--memory", "none", "--memory", "raw", "--fork-at", str(turn))
            # Beside this thread, which has a loop of Playwright's.
            forked = aside.submit(osler, "replay", run, "bppv-en", *fork).result()
            assert forked.returncode == 0, forked.stderr
        page.get_by_role("link", name="demo.forks").click()  # nobody has loaded the page anew
        expect(page.locator("table.consultations tbody tr")).to_have_count(2)
        for turn in (2, 3):
            expect(page.locator("table.consultations th", has_text=f"Branched off in turn {turn}")).to_have_count(1)
        picture(page, "forks", tmp_path)
        page.locator("table.consultations tbody tr", has_text="turn 2").get_by_role("link").click()
        page.wait_for_selector("main:not([aria-busy]) .turn[aria-current]")
        shown = page.locator(".turn .said").all_inner_texts()
        kept = [text for pair in site.story(site.cell("bppv-en", "none"))[:2] for text in pair]
        with RunFile.open(tmp_path / "demo.forks.osler") as forks:
            asked = [event.question for event in forks.find("bppv-en", "raw", trial=1).of(Asked)]
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


def test_dark_follows_the_system_and_the_readers_choice(tab: Opening, site: Site, tmp_path: Path) -> None:
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
    assert "‹U+202E›gnp.exe‹U+202C›" in shown and "‹U+0007›" in shown and "[a link](javascript:window.pwned=4)" in shown
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
