"""The drugs that a text names, by generic name or brand, in either language."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from importlib.resources import files

from osler.language.words import plain


@cache
def _names() -> dict[str, int]:
    """Every name, with the number of its line: names on one line may stand for each other."""
    text = (files("osler.language.lexicon") / "drugs.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {plain(name.strip()): number for number, line in enumerate(lines) for name in line.split(";")}


@cache
def _by_start() -> dict[str, list[str]]:
    """The names by their first two characters, so that few of them are looked for in a text."""
    starts: dict[str, list[str]] = defaultdict(list)
    for name in _names():
        starts[name[:2]].append(name)
    return starts


@lru_cache(maxsize=1024)
def drugs_in(text: str) -> dict[str, int]:
    """The names of drugs in a text, levelled, each with the number of the drug.

    The longest name counts; one in Latin letters is a whole word, or its plural.
    """
    text, found = plain(text), {}
    starts = {text[place : place + 2] for place in range(len(text))}
    present = [name for start in starts for name in _by_start().get(start, ()) if name in text]
    for name in sorted(present, key=lambda name: (-len(name), name)):
        pattern = rf"(?<![a-z]){re.escape(name)}s?(?![a-z])" if name.isascii() else re.escape(name)
        text, times = re.subn(pattern, " ", text)
        if times:
            found[name] = _names()[name]
    return found
