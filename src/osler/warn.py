"""Warnings for the person at the terminal: one line each on standard error, each line once."""

from __future__ import annotations

import sys
from functools import lru_cache

from osler.errors import printable


def warn(line: str) -> None:
    """Say something that does not stop the command, but that its reader has to know."""
    _once(printable(line))


@lru_cache(maxsize=1000)
def _once(line: str) -> None:
    sys.stderr.write(f"warning: {line}\n")
