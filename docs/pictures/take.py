"""Takes the documents' pictures of a run: the page in Chromium.

python docs/pictures/take.py demo      after `make demo`; needs the extra `dev` and Chromium
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
SIZE = {"width": 1280, "height": 800}
OSLER = (sys.executable, "-c", "from osler.cli import main; main()")
CASE = "pneumonia-en"


def cells(address: str, case: str) -> dict[str, int]:
    """The numbers of a case's consultations, by memory."""
    with urllib.request.urlopen(f"{address}api/runs/k0/rows?patient={case}") as answer:  # noqa: S310 -- our own server
        return {
            row["memory"]: row["cell"] for row in json.load(answer)["rows"] if row["case"] == case
        }


def page_pictures(browser: Browser, run: str) -> None:
    command = [*OSLER, "view", run, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        numbers = cells(address, CASE)
        several = ",".join(str(numbers[memory]) for memory in ("none", "raw", "tim"))
        for name, place, scheme in (
            ("table", "#/k0", "light"),
            ("consultation", f"#/k0/{numbers['tim']}?turn=3&tab=memory", "light"),
            ("compare", f"#/k0/compare/{several}", "dark"),
        ):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme, locale="en-GB")
            page.goto(address + place)
            page.locator(
                "main h1"
            ).wait_for()  # the page goes on listening for changes, so it is never idle
            page.wait_for_timeout(500)
            if name == "compare":
                page.get_by_text("From here on they differ").evaluate(
                    "it => it.scrollIntoView({block: 'center'})"
                )
            page.screenshot(path=HERE / f"{name}.png")
            page.close()
        server.terminate()


if __name__ == "__main__":
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page_pictures(chromium, sys.argv[1])
        chromium.close()
