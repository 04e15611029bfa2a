"""The commands and examples of the documents are run, and their links looked up, so that they
cannot drift."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.conftest import REPO, Run
from tests.readme import PAGES, SERVER, blocks, commands, labels
from tests.simulator.model_server import model_server

MARKDOWN = sorted([*REPO.glob("*.md"), *(REPO / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings in links: small letters, hyphens for spaces, no other
    punctuation."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def shows_a_page(args: list[str], folder: Path) -> bool:
    """Whether the server starts, tells its address and gives the page; it would run for ever."""
    command = [sys.executable, "-c", "from osler.cli import main; main()", *args, "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            with urlopen(server.stdout.readline().strip()) as page:
                return b"Osler" in page.read()
        finally:
            server.terminate()


def test_commands_and_examples_run_in_order_and_print_what_the_documents_say_of_them(
    osler: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "XDG_CACHE_HOME", str(tmp_path / "cache")
    )  # what comes of examining a judge is kept there
    printed = ""
    ran = examples = compared = asked = 0
    with model_server() as server:
        for block in blocks():
            if block.kind == "text":
                shown = labels(block.text)
                assert shown and shown == labels(printed), f"{block.page.name}; now:\n{printed}"
                compared += 1
            if block.kind == "python":
                subprocess.run(
                    [sys.executable, "-c", block.text],
                    cwd=tmp_path,
                    check=True,
                    capture_output=True,
                )
                examples += 1
            for program, *args in commands(block):
                if program == "make":
                    dry = subprocess.run(
                        ["make", "--dry-run", *args], cwd=REPO, capture_output=True, check=False
                    )
                    assert dry.returncode == 0
                    continue
                assert program == "osler", program
                if args[0] == "view":
                    assert shows_a_page(args, tmp_path)
                    continue
                done = osler(*(arg.replace(SERVER, server.url) for arg in args))
                assert done.returncode == 0, (args, done.stderr)
                printed = done.stdout
                ran += 1
        asked = server.requests
    assert ran >= 15 and examples >= 3 and compared >= 4
    assert asked, "the documents have a run with a model"


def test_readme_is_short() -> None:
    assert len(PAGES[0].read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), target
