"""A page in the browser and the server behind it, as the browser tests use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect

from osler.runs.events import Answered, Asked
from osler.runs.plan import Selector
from osler.runs.store import RunFile
from tests.view.browser import Small

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
            [(number, _), *_] = run.cells(Selector(case, memory=memory))
            return number


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
        context = browser.new_context(
            **{"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **options}
        )
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


Opening = Callable[..., Tab]


def rows(page: Page) -> list[str]:
    """What the rows of the table say."""
    return page.locator("table.consultations tbody tr").all_inner_texts()


def wide(page: Page) -> int:
    """How wide the page is."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width


def current(page: Page) -> str:
    """The number of the turn that is shown."""
    return page.locator(".turn[aria-current] .turn-number").inner_text()
