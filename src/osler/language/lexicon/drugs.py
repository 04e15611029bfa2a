"""The drugs that a text names, by generic name or brand, in either language."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from importlib.resources import files

from osler.language.words import plain

_TELLING_START = {"latin": 5, "chinese": 2}
"""First characters of a name that few other words have."""


@cache
def _names() -> dict[str, int]:
    """Every name, with the number of its line: names on one line may stand for each other."""
    text = (files("osler.language.lexicon") / "drugs.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines):
        for name in line.split(";"):
            numbers[plain(name.strip())] = number
    return numbers


@cache
def _by_start() -> dict[int, dict[str, list[str]]]:
    """The names by their first characters, so that few of them are looked for in a text.

    The key is how many characters those are: as many as tell, since nearly every text has an `as`
    or an `in`.
    """
    starts: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in _names():
        script = "latin" if name.isascii() else "chinese"
        length = min(len(name), _TELLING_START[script])
        starts[length][name[:length]].append(name)
    return starts


@cache
def _finder(name: str) -> re.Pattern[str]:
    if not name.isascii():
        return re.compile(re.escape(name))
    return re.compile(rf"(?<![a-z]){re.escape(name)}s?(?![a-z])")


def _in_text(text: str) -> list[str]:
    """The names that a levelled text holds, also within a word."""
    in_text: list[str] = []
    for length, names in _by_start().items():
        places = range(len(text) - length + 1)
        stretches = {text[place : place + length] for place in places}
        for start in names.keys() & stretches:
            in_text += [name for name in names[start] if name in text]
    return in_text


@lru_cache(maxsize=1024)
def drugs_in(text: str) -> dict[str, int]:
    """The names of drugs in a text, levelled, each with the number of the drug.

    The longest name counts; one in Latin letters is a whole word, or its plural.
    """
    rest = plain(text)
    numbers: dict[str, int] = {}
    for name in sorted(_in_text(rest), key=lambda name: (-len(name), name)):
        # What is found is cut out: a shorter name within it is not another drug.
        rest, times = _finder(name).subn(" ", rest)
        if times:
            numbers[name] = _names()[name]
    return numbers
