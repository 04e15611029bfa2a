"""Cue words as data: one file per language and kind, and the patterns that find them in a text.

A line holds cues between commas; what follows `#` is a comment. A line may open with the name of a
group and a colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain

from osler.language.base import Language

_COMMA = re.compile(r"[,，]")


@cache
def groups(kind: str, language: Language) -> Mapping[str, tuple[str, ...]]:
    """The cues of one kind by their group.

    Those of a line without a name are in the group ``""``.
    """
    path = files("osler.language.cues") / language.value / f"{kind}.txt"
    by_group: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        without_comment = line.partition("#")[0]
        name, colon, rest = without_comment.rpartition(":")
        group = name.strip() if colon else ""
        listed = [cue.strip() for cue in _COMMA.split(rest)]
        by_group[group] = (*by_group.get(group, ()), *filter(None, listed))
    return by_group


@cache
def cues(kind: str, language: Language) -> tuple[str, ...]:
    """All cues of one kind."""
    return tuple(dict.fromkeys(chain.from_iterable(groups(kind, language).values())))


def any_of(listed: Iterable[str], language: Language) -> str:
    """A pattern for any of these: whole words in English, characters in Chinese.

    The longest first, as a regular expression takes the first alternative that fits. Without any,
    the pattern finds nothing.
    """
    ordered = sorted(set(listed), key=lambda cue: (-len(cue), cue))
    escaped = [re.escape(cue).replace(r"\ ", r"\s+") for cue in ordered]
    alternatives = "|".join(escaped) or "(?!)"
    if language is Language.ZH:
        return f"(?:{alternatives})"
    return rf"(?<![\w'-])(?:{alternatives})(?![\w-])"


@cache
def pattern(kind: str, language: Language) -> str:
    """A pattern for any cue of one kind, to build others from."""
    return any_of(cues(kind, language), language)


@cache
def finder(kind: str, language: Language) -> re.Pattern[str]:
    """Finds a cue of one kind; case does not count."""
    return re.compile(pattern(kind, language), re.IGNORECASE)
