"""Cue words as data: one file per language and kind, and the patterns that find them in a text.

A line holds cues between commas; what follows `#` is a comment. A line may open with the name of a group and a colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from osler.language.base import Language

_COMMA = re.compile(r"[,，]")


@cache
def groups(kind: str, language: Language) -> Mapping[str, tuple[str, ...]]:
    """The cues of one kind by their group; those of a line without a name are in the group ``""``."""
    text = (files("osler.language.cues") / language.value / f"{kind}.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        name, colon, listed = line.partition("#")[0].rpartition(":")
        group = name.strip() if colon else ""
        found[group] = found.get(group, ()) + tuple(filter(None, map(str.strip, _COMMA.split(listed))))
    return found


@cache
def cues(kind: str, language: Language) -> tuple[str, ...]:
    """All cues of one kind."""
    return tuple(dict.fromkeys(cue for listed in groups(kind, language).values() for cue in listed))


def any_of(listed: Iterable[str], language: Language) -> str:
    """A pattern for any of these: whole words in English, characters in Chinese; the longest first."""
    ordered = sorted(set(listed), key=lambda cue: (-len(cue), cue))
    each = "|".join(re.escape(cue).replace(r"\ ", r"\s+") for cue in ordered) or "(?!)"
    return rf"(?<![\w'-])(?:{each})(?![\w-])" if language is Language.EN else f"(?:{each})"


@cache
def pattern(kind: str, language: Language) -> str:
    """A pattern for any cue of one kind, to build others from."""
    return any_of(cues(kind, language), language)


@cache
def finder(kind: str, language: Language) -> re.Pattern[str]:
    """Finds a cue of one kind; case does not count."""
    return re.compile(pattern(kind, language), re.IGNORECASE)
