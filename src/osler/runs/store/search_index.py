"""Search over what was said, by a full-text index in the run file.

It has the questions, the replies and the conclusions.

Chinese has no spaces, so every Chinese character is a word of its own there, and any run of them is
found as a phrase.
"""

from __future__ import annotations

import re
import sqlite3

from osler.runs.events import Answered, Asked, Concluded, Visited
from osler.runs.transcript import Transcript

TABLE = "CREATE VIRTUAL TABLE said USING fts5(text)"
"""A consultation's row has its cell's number."""
SNIPPET = "snippet(said, 0, '', '', '…', 24)"
"""The words around a hit, in a query that matches."""
MOST = 200_000
"""Characters of one consultation that are searched."""
_LONGEST_SNIPPET = 180
"""Characters of the text around what was found."""
_APART = "\u2063"
"""Surrounds Chinese characters in the index: invisible, in nobody's text, and no part of a word."""
_CHINESE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD = re.compile(r"[^\W_]")


def spoken(transcript: Transcript) -> str:
    """Return what was said in a consultation, a line each."""
    lines: list[str] = []
    for event in transcript.events:
        if isinstance(event, Asked | Answered):
            lines.append(event.question if isinstance(event, Asked) else event.reply)
        elif isinstance(event, Visited):
            lines += [event.told.question, event.told.reply, event.told.results]
        elif isinstance(event, Concluded):
            lines += [event.diagnosis, event.treatment, *event.differential, event.reasoning]
    return "\n".join(lines)[:MOST]


def keep(file: sqlite3.Connection, cell: int, transcript: Transcript) -> None:
    """Make a consultation findable."""
    file.execute(
        "INSERT INTO said (rowid, text) VALUES (?, ?)", (cell, _spread(spoken(transcript)))
    )


def phrase(search: str) -> str | None:
    """Turn what a person typed into a query, with no word of it read as syntax.

    It is None if there is nothing to find.

    Every piece between spaces must be there; the last one may be the beginning of a word, a single
    letter is a word.
    """
    pieces = _pieces(search)
    if not pieces:
        return None
    begun = "" if len(pieces[-1]) == 1 or _CHINESE.search(pieces[-1][-1]) else "*"
    return " AND ".join(f'"{_spread(piece)}"' for piece in pieces) + begun


def snippet(indexed: str) -> str:
    """Return what `SNIPPET` found, as one line to show."""
    return " ".join(indexed.replace(_APART, "").split())[:_LONGEST_SNIPPET]


def _pieces(search: str) -> list[str]:
    plain = (piece.replace('"', " ").strip() for piece in search.replace("\0", " ").split())
    return [piece for piece in plain if _WORD.search(piece)]


def _spread(text: str) -> str:
    # By way of bytes, so that no half characters are in the file.
    whole = text.replace(_APART, "").encode("utf-8", "replace").decode()
    return _CHINESE.sub(lambda found: f"{_APART}{found[0]}{_APART}", whole)
