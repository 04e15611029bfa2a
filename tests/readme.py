"""The commands of README and of the pages that go on from it, in order, and what they print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.conftest import REPO

PAGES = [
    REPO / "README.md",
    *(
        REPO / "docs" / f"{name}.md"
        for name in ("models", "running", "looking", "measuring", "visits", "patients", "tutorial")
    ),
]
"""In the order of their commands: a page uses the runs of those before it."""
SERVER = "http://localhost:8000/v1"
"""Where the documents have a model."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LABEL = re.compile(r"│?(?P<label>.+?)(?:│|: |  )")
CASE = re.compile(r"\b[a-z-]+-(?:en|zh)\b")
"""The id of a bundled patient."""


class Block(NamedTuple):
    page: Path
    kind: str
    text: str


def blocks() -> Iterator[Block]:
    for page in PAGES:
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield Block(page, match[1], match[2])


def commands(block: Block) -> Iterator[list[str]]:
    """The words of each command of a shell block."""
    if block.kind == "bash":
        for line in block.text.splitlines():
            yield shlex.split(line)


def labels(output: str) -> set[str]:
    """What the rows and lines of an output are called, whatever their numbers and words are.

    The first cell of a table's row, a heading's every cell, and what stands before a colon or
    before two spaces. All patients are one, and so are all digits.
    """
    names: set[str] = set()
    for line in output.splitlines():
        if line.startswith("┃"):
            names.update(cell.strip() for cell in line.split("┃"))
        elif parts := LABEL.match(line.strip()):
            names.add(parts["label"].strip())
    anonymous = {re.sub(r"\d+", "0", CASE.sub("PATIENT", name)) for name in names}
    return anonymous - {""}
