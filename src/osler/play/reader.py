"""The reader at a terminal: which language they read, and lines that break between words."""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator

from rich.cells import cell_len

from osler.language import Language
from osler.language.words import words

_PIECE = re.compile(r"\s+|[\u4e00-\u9fff]+|[^\s\u3000-\uffef]+|.")
"""Space, a run of Chinese, a word as it is written with its punctuation, or one wide character."""
_OPENING = {"Ps", "Pi"}


def reader_language() -> Language:
    """The language that the environment asks for; English unless it is Chinese."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return Language.ZH if next(filter(None, named), "").lower().startswith("zh") else Language.EN


def fitted(text: str) -> str:
    """The text with its lines broken for the terminal; as it is where there is none."""
    return wrapped(text, shutil.get_terminal_size().columns) if sys.stdout.isatty() else text


def wrapped(text: str, width: int) -> str:
    """The text in lines of so many columns, broken between words; a longer word stays whole."""
    return "\n".join(_broken(line, width) for line in text.split("\n"))


def _broken(line: str, width: int) -> str:
    if cell_len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    lines, current = [], indent
    for space, unit in _units(line.strip()):
        if current != indent and cell_len(current + space + unit) > width:
            lines.append(current)
            current, space = indent, ""
        current += space + unit
    return "\n".join([*lines, current])


def _units(line: str) -> Iterator[tuple[str, str]]:
    """What must stay together, and the space before it: a word with the punctuation that belongs to it."""
    space, unit, goes_on = "", "", True
    for piece in _pieces(line):
        if piece.isspace():
            yield space, unit
            space, unit, goes_on = piece, "", True
            continue
        if not goes_on and not _closes(piece[0]):
            yield space, unit
            space, unit = "", ""
        unit += piece
        goes_on = unicodedata.category(piece[-1]) in _OPENING
    yield space, unit


def _closes(char: str) -> bool:
    kind = unicodedata.category(char)
    return kind.startswith("P") and kind not in _OPENING


def _pieces(line: str) -> Iterator[str]:
    """Space, words and marks; Chinese is taken apart into its words."""
    for piece in _PIECE.findall(line):
        if not "\u4e00" <= piece[0] <= "\u9fff":
            yield piece
            continue
        start = 0
        for word in words(piece, Language.ZH):
            yield piece[start : start + len(word)]
            start += len(word)
