"""How much a file may hold: a record is a page of text, so anything far larger is a mistake or an attack."""

from pathlib import Path

from osler.records.draft import Problem

MAX_DOCUMENT = 16 * 2**20
"""Bytes of a file that is read whole (YAML, JSON, CSV, XLSX)."""
MAX_LINE = 2**20
"""Bytes of one line of a file that is read line by line (JSONL)."""
MAX_YAML = 2**20
"""Bytes of one record as YAML; its parser needs about a hundred times as much memory."""


def oversize(path: Path, limit: int, shown: str) -> Problem | None:
    """The problem of a file that is too large to be read whole."""
    size = path.stat().st_size
    if size <= limit:
        return None
    return Problem(
        shown,
        f"the file has {size / 2**20:.0f} MB, more than the {limit / 2**20:.0f} MB a file of this kind may have; "
        "split it, or use JSONL, which has no limit",
    )


def decode(raw: bytes, shown: str, place: str = "") -> str | Problem:
    """UTF-8 text, or the problem with the remedy."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        where = place or f"line {line}"
        return Problem(shown, f"byte {error.start} is not UTF-8; save the file with the encoding UTF-8", where)


def read_text(path: Path, limit: int, shown: str) -> str | Problem:
    """A whole file as text, or the problem: too large, empty, or not UTF-8."""
    if problem := oversize(path, limit, shown):
        return problem
    text = decode(path.read_bytes(), shown)
    if isinstance(text, str) and not text.strip():
        return Problem(shown, "the file is empty; write a record into it or remove it")
    return text
