"""The drugs that a text names, by generic name or brand, in either language."""

from __future__ import annotations

import re
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
def _pattern() -> re.Pattern[str]:
    """The longest name at each place; one in Latin letters is a whole word, or its plural."""
    names = sorted(_names(), key=len, reverse=True)
    latin = "|".join(re.escape(name) for name in names if name.isascii())
    chinese = "|".join(re.escape(name) for name in names if not name.isascii())
    return re.compile(rf"(?<![a-z])(?:({latin})s?)(?![a-z])|({chinese})")


@lru_cache(maxsize=1024)
def drugs_in(text: str) -> dict[str, int]:
    """The names of drugs in a text, levelled, each with the number of the drug."""
    found = (hit[1] or hit[2] for hit in _pattern().finditer(plain(text)))
    return {name: _names()[name] for name in found}
