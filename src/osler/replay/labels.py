"""Texts of a model or a record as one line for a terminal."""

from __future__ import annotations

from osler.errors import printable

_LONGEST = 4000


def shown(text: str) -> str:
    """A text of a model or a record as one line for a terminal: no control reaches it, and no line is endless."""
    line = printable(text[: 2 * _LONGEST])
    if max(len(line), len(text) // 2) > _LONGEST:
        return f"{line[:_LONGEST]}… ({len(text):,} characters)"
    return line
