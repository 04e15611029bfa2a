"""JSON as small models write it: fenced, with talk around it, or cut off."""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
_CLOSES = {"{": "}", "[": "]"}


def json_of(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text: bare, fenced, or with talk around it."""
    for candidate in (*_FENCE.findall(text), text):
        level = candidate.translate(str.maketrans({"“": '"', "”": '"'})) if '"' not in candidate else candidate
        start = level.find("{")
        while start != -1:
            try:
                value, _ = json.JSONDecoder().raw_decode(level[start:])
            except (ValueError, RecursionError):
                start = level.find("{", start + 1)
                continue
            if isinstance(value, dict):
                return value
            start = level.find("{", start + 1)
    return None


def json_begun(text: str) -> dict[str, Any] | None:
    """The JSON object that a text begins, as far as it goes: what was cut off within it is left out."""
    start = text.find("{")
    if start == -1:
        return None
    open_brackets: list[str] = []
    quoted = escaped = False
    whole: list[tuple[int, str]] = []
    for place, char in enumerate(text[start:], start):
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = char == "\\", char != '"'
        elif char == '"':
            quoted = True
        elif char in _CLOSES:
            open_brackets.append(_CLOSES[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
            whole.append((place + 1, "".join(reversed(open_brackets))))
            if not open_brackets:
                break
    for end, rest in reversed(whole):
        try:
            value = json.loads(text[start:end] + rest)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None
