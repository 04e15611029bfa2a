"""The thesaurus as it is written: names of the things doctors ask about, and idioms that avoid them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

from osler.language import Language

NAMED = ("symptoms.yaml", "history.yaml", "further.yaml")
IDIOMS = "idioms.yaml"


def folder() -> Traversable:
    """Where its files are."""
    return files("osler.language.lexicon") / "thesaurus"


@cache
def load(name: str) -> Any:
    """What a file of it holds."""
    text = (folder() / name).read_text(encoding="utf-8")
    # Everything in these files is text; the base loader makes nothing else of it.
    return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506


def names(language: Language) -> list[tuple[str, str]]:
    """(phrase, concept)."""
    return [
        (phrase, concept["id"])
        for name in NAMED
        for concept in load(name)
        for phrase in (
            *((concept["id"].replace("-", " "),) if language is Language.EN else ()),
            *concept[language.value],
        )
    ]


def idioms(language: Language) -> list[tuple[str, str]]:
    """(phrase, concept)."""
    return [(phrase, thing) for thing, row in load(IDIOMS).items() for phrase in row[language.value]]
