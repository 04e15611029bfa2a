"""Things of one kind, of which one is not the other: an ultrasound is no X-ray, a foot no hand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from osler.language import Language
from osler.language.lexicon.thesaurus import load

_TOKEN = re.compile(r"[a-z0-9][a-z0-9-]*")
_Name = tuple[tuple[str, ...], str, int]
"""What a thing is called, its kind, and which thing of it."""


def of_a_kind(text: str, language: Language) -> dict[str, set[int]]:
    """By kind the things that a text names; "PET-CT" is no CT."""
    row, called = _steps(text, language), _called(language)
    found: dict[str, set[int]] = {}
    if called.keys().isdisjoint(row):
        return found
    place = 0
    while place < len(row):
        for name, kind, thing in called.get(row[place], ()):
            if tuple(row[place : place + len(name)]) == name:
                found.setdefault(kind, set()).add(thing)
                place += len(name) - 1
                break
        place += 1
    return found


def _steps(text: str, language: Language) -> Sequence[str]:
    """Words, or characters where words are not split."""
    low = text.lower()
    return _TOKEN.findall(low) if language is Language.EN else low


@cache
def _called(language: Language) -> dict[str, list[_Name]]:
    """By their first word or character, the longest first."""
    names = [
        (tuple(_steps(name, language)), kind, place)
        for kind, rows in load("kinds.yaml").items()
        for place, row in enumerate(rows)
        for name in row[language.value]
    ]
    found: dict[str, list[_Name]] = defaultdict(list)
    for name in sorted(names, key=lambda name: -len(name[0])):
        found[name[0][0]].append(name)
    return dict(found)
