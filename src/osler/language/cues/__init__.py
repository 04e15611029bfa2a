"""Cue words as data: one file per language and kind, one cue a line, and the patterns that find them in a text."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from osler.language.base import Language


@cache
def cues(kind: str, language: Language) -> tuple[str, ...]:
    """The cues of one kind, longest first, so that a longer one is never taken for a shorter one."""
    text = (files("osler.language.cues") / language.value / f"{kind}.txt").read_text(encoding="utf-8")
    listed = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(sorted(dict.fromkeys(filter(None, listed)), key=lambda cue: (-len(cue), cue)))


@cache
def finder(kind: str, language: Language) -> re.Pattern[str]:
    """Finds a cue of one kind: whole words in English, characters in Chinese."""
    listed = "|".join(map(re.escape, cues(kind, language)))
    edge = r"(?<![\w'-]){}(?![\w-])" if language is Language.EN else "{}"
    return re.compile(edge.format(f"(?:{listed})"), re.IGNORECASE)
