"""What the browser tests share in a process: Chromium, a site of runs, and one page that stays
open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from osler.view.export import export
from tests.view.browser import Small, chromium, hold, hostile, serving
from tests.view.tabs import Opening, Site, Tab


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="package")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    demo, growing = hold(folder), Small(folder / "growing.osler")
    growing.plan()
    with serving(folder, demo, hostile(folder / "h<i>ostile.osler").path, growing.path) as address:
        yield Site(demo, growing, address)


@pytest.fixture(scope="package")
def shared(browser: Browser, site: Site) -> Iterator[Tab]:
    """One page for all tests that ask for nothing special: loading it anew takes longer than most
    of them."""
    tab = Tab.of(browser, site.address)
    yield tab
    tab.close()


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


@pytest.fixture(params=["server", "disk"])
def opened(
    request: pytest.FixtureRequest, run: Path, browser: Browser, tmp_path: Path
) -> Iterator[Tab]:
    """The page of the `run` of a test file, from a server and from an export."""
    with ExitStack() as stack:
        if request.param == "server":
            address = stack.enter_context(serving(tmp_path, run))
        else:
            address = (export([run], tmp_path / "site").folder / "index.html").as_uri()
        tab = Tab.of(browser, address)
        yield tab
        tab.close()
