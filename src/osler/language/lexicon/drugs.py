"""The drugs that a text names, by generic name or brand, in either language."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from importlib.resources import files

from osler.language.words import plain

_TELLING_START = 5


@cache
def _names() -> dict[str, int]:
    """Every name, with the number of its line: names on one line may stand for each other."""
    text = (files("osler.language.lexicon") / "drugs.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {plain(name.strip()): number for number, line in enumerate(lines) for name in line.split(";")}


@cache
def _by_start() -> dict[int, dict[str, list[str]]]:
    """The names by their first characters, so that few of them are looked for in a text.

    The key is how many characters those are: as many as tell, since nearly every text has an `as` or an `in`.
    """
    starts: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in _names():
        length = min(len(name), _TELLING_START if name.isascii() else 2)
        starts[length][name[:length]].append(name)
    return starts


@cache
def _finder(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z]){re.escape(name)}s?(?![a-z])" if name.isascii() else re.escape(name))


def _in_text(text: str) -> list[str]:
    """The names that a levelled text holds, also within a word."""
    found: list[str] = []
    for length, names in _by_start().items():
        starts = names.keys() & {text[place : place + length] for place in range(len(text) - length + 1)}
        found += [name for start in starts for name in names[start] if name in text]
    return found


@lru_cache(maxsize=1024)
def drugs_in(text: str) -> dict[str, int]:
    """The names of drugs in a text, levelled, each with the number of the drug.

    The longest name counts; one in Latin letters is a whole word, or its plural.
    """
    text, found = plain(text), {}
    for name in sorted(_in_text(text), key=lambda name: (-len(name), name)):
        text, times = _finder(name).subn(" ", text)
        if times:
            found[name] = _names()[name]
    return found
