"""Names and digits as they are written: what can be compared without reading."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language.words import plain

_DIGITS = re.compile(r"[0-9]+")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_SHORTEST = 2
"""Characters of the shortest name: a single Chinese one is part of many words."""


def has_name(text: str, name: str) -> bool:
    """Check whether a text has a name: word for word in Latin letters, as a string in Chinese.

    Case, width, accents and the amount of white space make no difference.
    """
    pattern = _pattern(name)
    return pattern is not None and pattern.search(_level(text)) is not None


@lru_cache(maxsize=2048)
def _pattern(name: str) -> re.Pattern[str] | None:
    wanted = _level(name)
    if len(wanted) < _SHORTEST:
        return None
    before = r"(?<![a-z0-9])" if _is_latin(wanted[0]) else ""
    after = r"(?![a-z0-9])" if _is_latin(wanted[-1]) else ""
    return re.compile(before + re.escape(wanted) + after)


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _level(text: str) -> str:
    return " ".join(plain(text).split())


def digit_runs(text: str) -> tuple[str, ...]:
    """The runs of digits of a text, in order: `158/96` is 158 and 96, and `1,000` is 1000."""
    return tuple(_DIGITS.findall(_THOUSANDS.sub("", plain(text))))
