"""The README's commands in order, and what they print: for its test, and to renew the output that it shows.

python -m tests.readme --renew
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    kind: str
    text: str
    start: int
    """Where the text starts in the README."""


def blocks() -> list[Block]:
    return [Block(match[1], match[2], match.start(2)) for match in BLOCK.finditer(README.read_text(encoding="utf-8"))]


def osler_commands(block: Block) -> Iterator[list[str]]:
    """The arguments of each `osler` command of a shell block."""
    for line in block.text.splitlines() if block.kind == "bash" else ():
        program, *args = shlex.split(line)
        if program == "osler":
            yield args


def renew() -> None:
    """Replace the output that the README shows with what its commands print now."""
    text = README.read_text(encoding="utf-8")
    replacements: list[tuple[Block, str]] = []
    printed = ""
    with tempfile.TemporaryDirectory() as folder:
        for block in blocks():
            if block.kind == "text":
                replacements.append((block, printed))
            for args in osler_commands(block):
                if args[0] in ("view", "play"):
                    continue
                command = [sys.executable, "-m", "osler", *args]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
                printed = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
    for block, output in reversed(replacements):
        text = text[: block.start] + output + text[block.start + len(block.text) :]
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--renew"]:
        sys.exit(__doc__)
    renew()
