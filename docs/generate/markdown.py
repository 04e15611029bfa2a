"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, with an empty line behind it."""
    lines = [_line(head), _line(["---"] * len(head)), *(_line(row) for row in rows)]
    return "\n".join(lines) + "\n\n"


def code(text: str) -> str:
    """Text as code; nothing for an empty one."""
    return f"`{text}`" if text else ""


def one_line(text: str | None) -> str:
    """A docstring or help text in one line."""
    return " ".join((text or "").split())


def _line(cells: Sequence[str]) -> str:
    # A bar would end the cell, also inside code.
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
