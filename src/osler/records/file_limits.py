"""How much a file may hold: a record is a page of text, so anything far larger is a mistake or an attack."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from osler.records.validation import Problem

MAX_DOCUMENT = 16 * 2**20
"""Bytes of a file that is read whole and may hold many records (JSON, XLSX)."""
MAX_LINE = 2**20
"""Bytes of one line of a file that is read line by line (JSONL)."""
MAX_RECORD = 2**20
"""Bytes of a file that holds one record (YAML, CSV); parsers need up to a hundred times as much memory."""
MAX_ROWS, MAX_COLUMNS = 5_000, 100
"""Of a table, which holds one patient."""
_DEEPEST = 100
"""Brackets within brackets at the beginning of a JSON file of any kind."""
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def oversize(path: Path, limit: int, shown: str) -> Problem | None:
    """The problem of a file that is too large to be read whole."""
    size = path.stat().st_size
    if size <= limit:
        return None
    return Problem(
        shown,
        f"the file has {size / 2**20:.3g} MB, more than the {limit / 2**20:.3g} MB a file of this kind may have; "
        "split it, or use JSONL, which has no limit",
    )


def decode(raw: bytes, shown: str, place: str = "") -> str | Problem:
    """UTF-8 text, or the problem with the remedy."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Problem(
            shown,
            f"byte {error.start} is not UTF-8; save the file with the encoding UTF-8",
            place or _line(raw, error.start),
        )
    if (nul := raw.find(b"\0")) >= 0:
        return Problem(
            shown, f"byte {nul} is NUL, which no text holds; save the file as text in UTF-8", place or _line(raw, nul)
        )
    return text


def _line(raw: bytes, at: int) -> str:
    return f"line {raw.count(10, 0, at) + 1}"


def parse_json(text: str, shown: str, place: str, remedy: str) -> Any:
    """What a JSON text says, or the problem with it. `Any`, because a file may say anything."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return Problem(shown, f"is not valid JSON: {error.msg}; {remedy}", place or f"line {error.lineno}")
    except RecursionError:
        return nested(shown, place)
    except ValueError:  # Python's own bound
        return Problem(shown, f"holds a number of thousands of digits, which no record has; {remedy}", place)


def nested(shown: str, place: str = "") -> Problem:
    """The problem of a JSON text that is all brackets."""
    return Problem(shown, "is nested too deeply: brackets within brackets, as no record has; export it again", place)


def is_nested(head: str) -> bool:
    """Whether a JSON text begins with more brackets within brackets than any record has."""
    depth = 0
    for found in _BRACKET.finditer(head):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > _DEEPEST:
            return True
    return False


def read_text(path: Path, limit: int, shown: str) -> str | Problem:
    """A whole file as text, or the problem: too large, empty, or not UTF-8."""
    if problem := oversize(path, limit, shown):
        return problem
    text = decode(path.read_bytes(), shown)
    if isinstance(text, str) and not text.strip():
        return Problem(shown, "the file is empty; write a record into it or remove it")
    return text
