"""JSON as small models write it: fenced, with talk around it, or cut off.

Each place where an object may begin is read in one pass, without recursion, and never deeper than a form has any use
for. The places overlap in a text that is all brackets, so the work over all of them is bounded, too: whatever a model
writes, reading it takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

DEEPEST = 32
"""Brackets within brackets; a form that a model fills in has four."""
_MOST_TRIED, _WORK = 64, 4
"""Places where an object may begin that are tried, and lengths of the text that are read for it altogether."""
_LONGEST_NUMBER = 18
"""Digits of a number that is kept exactly."""
_DECODER = JSONDecoder()
"""For single texts: it reads values within values by recursion."""
_FENCE = "```"
_CURLY_QUOTES = str.maketrans({"“": '"', "”": '"'})
_BEGINS = re.compile(r'\{(?=[ \t\r\n]*["}])')
_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)|true|false|null|NaN|-?Infinity")
_WORDS = {"true": True, "false": False}


def json_of(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text: bare, fenced, or with talk around it."""
    for candidate in (*_fenced(text), text):
        for found in _objects(candidate):
            if found.is_whole:
                return found.value
    return None


def json_begun(text: str) -> dict[str, Any] | None:
    """The first JSON object that a text begins, as far as it goes: what was cut off within it is left out."""
    return next((found.value for found in _objects(text) if found.value is not None), None)


class _Object(NamedTuple):
    """What became of an object that may begin at some place."""

    value: dict[str, Any] | None
    """As far as its last bracket that was closed; None before the first."""
    is_whole: bool
    end: int
    """Where reading it ended, well or not."""


def _fenced(text: str) -> list[str]:
    """What stands between fences that are closed."""
    pieces = text.split(_FENCE)
    inside = pieces[1:-1:2]
    return [piece[4:] if piece[:4].casefold() == "json" else piece for piece in inside]


def _objects(text: str) -> Iterator[_Object]:
    level = text if '"' in text else text.translate(_CURLY_QUOTES)
    left = _WORK * len(level)
    for begins in islice(_BEGINS.finditer(level), _MOST_TRIED):
        found = _Reading(level).object_at(begins.start())
        yield found
        left -= found.end - begins.start()
        if left < 0:
            return


class _Open:
    """A bracket that is not closed yet, and what stands in it so far."""

    def __init__(self, is_object: bool) -> None:
        self.is_object = is_object
        self.items: list[tuple[str, Any]] = []
        self.key = ""
        self.kept: int | None = None
        """How many items it had when a bracket was last closed in it; None before."""

    def value(self, items: list[tuple[str, Any]]) -> Any:
        return dict(items) if self.is_object else [item for _, item in items]


class _Reading:
    """Reads one object, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Open] = []
        self._wants = "value"
        """What may come: `value`, `item` (a value or the end), `key`, `first key` (or the end), `colon` or `next`."""
        self._done: Any = None

    def object_at(self, start: int) -> _Object:
        """The object that begins at a place."""
        at = start
        while (after := self._token(at)) is not None:
            at = after
            if not self._open:
                return _Object(self._done, True, at)
            space = _SPACE.match(self._text, at)
            at = space.end() if space else at
        return _Object(self._begun(), False, at + 1)

    def _token(self, at: int) -> int | None:
        """Take the token there; the place after it, or None where there is none or it may not stand there."""
        char = self._text[at : at + 1]
        if char in ("{", "[") and self._wants in ("value", "item"):
            return at + 1 if self._opened(char == "{") else None
        if char in ("}", "]"):
            return at + 1 if self._closed(char == "}") else None
        if char == ":" and self._wants == "colon":
            self._wants = "value"
            return at + 1
        if char == "," and self._wants == "next":
            self._wants = "key" if self._open[-1].is_object else "value"
            return at + 1
        return self._text_at(at) if char == '"' else self._plain_at(at)

    def _opened(self, is_object: bool) -> bool:
        self._open.append(_Open(is_object))
        self._wants = "first key" if is_object else "item"
        return len(self._open) <= DEEPEST

    def _closed(self, is_object: bool) -> bool:
        empty = self._wants == ("first key" if is_object else "item")
        if not self._open or self._open[-1].is_object is not is_object or not (empty or self._wants == "next"):
            return False
        last = self._open.pop()
        self._done = last.value(last.items)
        if self._open:
            self._add(self._done)
        for around in self._open:
            around.kept = len(around.items)
        return True

    def _text_at(self, at: int) -> int | None:
        try:
            text, after = _DECODER.raw_decode(self._text, at)
        except JSONDecodeError:
            return None
        if self._wants in ("key", "first key"):
            self._open[-1].key, self._wants = text, "colon"
            return after
        return after if self._added(text) else None

    def _plain_at(self, at: int) -> int | None:
        found = _PLAIN.match(self._text, at)
        if found is None:
            return None
        value = _number(found[1]) if found[1] else _WORDS.get(found[0])
        return found.end() if self._added(value) else None

    def _added(self, value: Any) -> bool:
        if self._wants not in ("value", "item") or not self._open:
            return False
        self._add(value)
        return True

    def _add(self, value: Any) -> None:
        around = self._open[-1]
        around.items.append((around.key, value))
        self._wants = "next"

    def _begun(self) -> dict[str, Any] | None:
        """The outermost bracket as it stood when a bracket was last closed."""
        value: Any = None
        for around in reversed(self._open):
            if around.kept is not None:
                within = [] if value is None else [(around.key, value)]
                value = around.value([*around.items[: around.kept], *within])
        return value if isinstance(value, dict) else None


def _number(digits: str) -> int | float | None:
    """Exact where it is short; None where it is too large to be one."""
    if len(digits) <= _LONGEST_NUMBER and digits.lstrip("-").isdecimal():
        return int(digits)
    value = float(digits)
    return value if abs(value) != float("inf") else None
