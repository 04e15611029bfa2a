"""Check whether a text contains a value, letter by letter."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language.words import plain

_MARKS = re.compile(r"[^\w\0]+|_+")
_BETWEEN_NUMBERS = re.compile(r"(?<=\d)[\W_]+(?=\d)")


@lru_cache(maxsize=4096)
def squeezed(text: str) -> str:
    """Letters and digits alone, levelled: what two spellings of one value share.

    Numbers side by side stay two.
    """
    # What stands between two numbers survives the removal of marks as a zero byte.
    guarded = _BETWEEN_NUMBERS.sub("\0", plain(text))
    return _MARKS.sub("", guarded).replace("\0", ".")


def holds(text: str, value: str) -> bool:
    """Check whether a text contains a value, whatever its case, width, spaces and punctuation.

    A number is not in a longer one.
    """
    value = squeezed(value)
    text = squeezed(text)
    if not value:
        return False
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        before = text[start - 1 : start]
        after = text[end : end + 1]
        if not _are_digits(before, value[0]) and not _are_digits(value[-1], after):
            return True
        start = text.find(value, start + 1)
    return False


def _are_digits(left: str, right: str) -> bool:
    """Check whether two neighbouring characters belong to one number."""
    return left.isdecimal() and right.isdecimal()
