"""Read JSON as small models write it: fenced, with talk around it, or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from json import JSONDecoder
from typing import Any

from pydantic_core import from_json

DEEPEST = 32
"""Brackets within brackets; a form that a model fills in has four."""
_MOST_STARTS, _MOST_ENDS = 64, 16
"""Places where an object may begin or end that are tried, so that reading any text takes time in
proportion."""
_LONGEST_NUMBER = 18
"""Digits of a number that is kept exactly."""
_FENCE = "```"
_CURLY_QUOTES = str.maketrans({"“": '"', "”": '"'})
_BEGINS = re.compile(r'\{(?=[ \t\r\n]*["}])')
_ENDS = re.compile(r"[}\]]")
_HUGE_NUMBER = re.compile(r"(?<=[\[,:\s])-?[0-9]{300,}")


def json_of(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text: bare, fenced, or with talk around it."""
    for candidate in map(_straight_quotes, (*_fenced(text), text)):
        for start in _starts(candidate):
            try:
                value, _ = _DECODER.raw_decode(candidate, start)
            except (ValueError, RecursionError):
                continue
            if _is_shallow(value):
                found: dict[str, Any] = value
                return found
    return None


def json_begun(text: str) -> dict[str, Any] | None:
    """The first JSON object that a text begins, up to the last bracket that was closed in it."""
    text = _HUGE_NUMBER.sub("null", _straight_quotes(text))
    for start in islice(_starts(text), _MOST_ENDS):
        ends = [found.end() for found in _ENDS.finditer(text, start)]
        for end in reversed(ends[-_MOST_ENDS:]):
            try:
                value = from_json(text[start:end], allow_partial=True)
            except ValueError:
                continue
            if isinstance(value, dict) and _is_shallow(value):
                return value
    return None


def _fenced(text: str) -> list[str]:
    """Return the text between fences that are closed."""
    inside = text.split(_FENCE)[1:-1:2]
    return [piece[4:] if piece[:4].casefold() == "json" else piece for piece in inside]


def _straight_quotes(text: str) -> str:
    if '"' in text:
        return text
    return text.translate(_CURLY_QUOTES)


def _starts(text: str) -> Iterator[int]:
    return (found.start() for found in islice(_BEGINS.finditer(text), _MOST_STARTS))


def _is_shallow(value: Any, left: int = DEEPEST) -> bool:
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return left > 0 and all(_is_shallow(one, left - 1) for one in inner)


def _number(digits: str) -> int | float | None:
    """Parse a number: exact if it is whole and short, None if it is too large to be one."""
    if len(digits) <= _LONGEST_NUMBER and digits.lstrip("-").isdigit():
        return int(digits)
    value = float(digits)
    if abs(value) != float("inf"):
        return value
    return None


_DECODER = JSONDecoder(parse_int=_number, parse_float=_number, parse_constant=lambda _: None)
