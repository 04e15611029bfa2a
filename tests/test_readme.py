"""The README's commands and examples are run, so that they cannot drift."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

from tests.conftest import REPO, Run
from tests.readme import blocks


def words(text: str) -> list[str]:
    return text.split()


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


def test_commands_and_examples_run_in_order_and_print_what_the_readme_shows(osler: Run, tmp_path: Path) -> None:
    printed = ""
    ran = examples = compared = 0
    for kind, text, _ in blocks():
        if kind == "text":
            assert words(text) == words(printed), (
                f"renew it with python -m tests.readme --renew; printed now:\n{printed}"
            )
            compared += 1
        if kind == "python":
            subprocess.run([sys.executable, "-c", text], cwd=tmp_path, check=True, capture_output=True)
            examples += 1
        for line in text.splitlines() if kind == "bash" else []:
            program, *args = shlex.split(line)
            if program == "make":
                assert (
                    subprocess.run(["make", "--dry-run", *args], cwd=REPO, capture_output=True, check=False).returncode
                    == 0
                )
                continue
            assert program == "osler", line
            if args[0] == "view":
                assert shows_a_page(args, tmp_path)
                continue
            done = osler(*args)
            assert done.returncode == 0, (line, done.stderr)
            printed = done.stdout
            ran += 1
    assert ran >= 15 and examples >= 2 and compared >= 3
