"""Search over what was said: a full-text index in the run file, of questions, replies and conclusions.

Chinese has no spaces, so every Chinese character is a word of its own there, and any run of them is found as a phrase.
"""

from __future__ import annotations

import re
import sqlite3

from osler.runs.events import Answered, Asked, Concluded
from osler.runs.transcript import Transcript

TABLE = "CREATE VIRTUAL TABLE said USING fts5(text)"
"""A consultation's row has its cell's number."""
MOST = 200_000
"""Characters of one consultation that are searched."""
_APART = "\u2063"
"""Stands around Chinese characters in the index: invisible, in nobody's text, and no part of a word."""
_CHINESE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD = re.compile(r"[^\W_]")


def spoken(transcript: Transcript) -> str:
    """What was said in a consultation, a line each."""
    lines: list[str] = []
    for event in transcript.events:
        match event:
            case Asked():
                lines.append(event.question)
            case Answered():
                lines.append(event.reply)
            case Concluded():
                lines += [event.diagnosis, event.treatment, *event.differential, event.reasoning]
            case _:
                pass
    return "\n".join(lines)[:MOST]


def keep(file: sqlite3.Connection, cell: int, transcript: Transcript) -> None:
    """Make a consultation findable."""
    file.execute("INSERT INTO said (rowid, text) VALUES (?, ?)", (cell, _spread(spoken(transcript))))


def phrase(search: str) -> str | None:
    """What a person typed as a question to the index, with no word of it read as syntax; None: nothing to look for.

    Every piece between spaces must be there; the last one may be the beginning of a word, a single letter is a word.
    """
    pieces = _pieces(search)
    if not pieces:
        return None
    begun = "" if len(pieces[-1]) == 1 or _CHINESE.search(pieces[-1][-1]) else "*"
    return " AND ".join(f'"{_spread(piece)}"' for piece in pieces) + begun


def snippet(indexed: str, search: str, around: int = 40) -> str:
    """One line of what was said, where the first piece of a search stands; else how it began."""
    text = indexed.replace(_APART, "")
    piece = next(iter(_pieces(search)), "")
    at = _place(text.lower(), piece.lower())
    start, end = max(0, at - around), at + len(piece) + 2 * around
    line = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{line}{'…' if end < len(text) else ''}"


def _place(text: str, piece: str) -> int:
    """Where a piece begins a word, or else where it first is, or else the beginning."""
    first = at = text.find(piece)
    while at > 0 and text[at - 1].isascii() and text[at - 1].isalnum():
        at = text.find(piece, at + 1)
    return max(first if at < 0 else at, 0)


def _pieces(search: str) -> list[str]:
    plain = (piece.replace('"', " ").strip() for piece in search.replace("\0", " ").split())
    return [piece for piece in plain if _WORD.search(piece)]


def _spread(text: str) -> str:
    whole = text.replace(_APART, "").encode("utf-8", "replace").decode()  # no half characters in the file
    return _CHINESE.sub(lambda found: f"{_APART}{found[0]}{_APART}", whole)
