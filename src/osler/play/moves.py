"""What a person may say: a line of some length, and only when it is their turn."""

from __future__ import annotations

import unicodedata

from osler.errors import UserError

LONGEST = 2000
"""Characters of one move."""


class MoveRefused(UserError):
    """What the person wants cannot be done now."""

    http_status = 409


def one_line(text: str) -> str:
    """What any file and any terminal can hold of a text."""
    shown = (char for char in " ".join(text.split()) if unicodedata.category(char) not in {"Cc", "Cs"})
    return "".join(shown).strip()


def checked(text: str) -> str:
    """The line.

    Raises:
        MoveRefused: Nothing is left of it, or it is too long.
    """
    said = one_line(text)
    if not said:
        raise MoveRefused("nothing was said", "write a few words")
    if len(said) > LONGEST:
        raise MoveRefused(f"that is {len(said):,} characters long", f"use at most {LONGEST:,}")
    return said
