"""The words that judges and measures know: vocabularies and cues, read once from `words/`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from osler.language import Language


@cache
def read(name: str) -> Any:
    """One file of `words/`, as YAML gives it."""
    text = files("osler.eval").joinpath("words", f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.CSafeLoader(text).get_single_data()


@cache
def cue(file: str, key: str, language: Language | None = None) -> re.Pattern[str]:
    """Any of a list of cues, in one language or in both; case does not matter.

    What stands under `en` are whole words, under `en_pattern` and `zh` patterns as they are.
    """
    table = read(file)[key]
    found = []
    for one in [language] if language is not None else Language:
        if words := table.get("en") if one is Language.EN else None:
            found.append(rf"\b(?:{'|'.join(words)})\b")
        found += table.get("en_pattern" if one is Language.EN else "zh", [])
    return re.compile("|".join(found), re.IGNORECASE)


def split(names: str) -> tuple[str, ...]:
    """The names of one line."""
    return tuple(name.strip() for name in names.split(";"))


class Concept(NamedTuple):
    """One thing with all its names and the codes, classes or kinds it belongs to."""

    names: tuple[str, ...]
    kin: frozenset[str]


@cache
def diseases() -> tuple[Concept, ...]:
    """Diseases, each with its ICD-10 code."""
    return tuple(Concept(split(names), frozenset({code})) for line in read("diseases") for code, names in line.items())


@cache
def groups() -> tuple[Concept, ...]:
    """Broader names, each with the codes it takes in."""
    return _with_kin("groups")


@cache
def drugs() -> tuple[Concept, ...]:
    """Drugs, each with its classes."""
    return _with_kin("drugs")


@cache
def procedures() -> tuple[Concept, ...]:
    """Procedures, each with its classes."""
    return _with_kin("procedures")


@cache
def classes() -> tuple[Concept, ...]:
    """Classes of drugs, each with its key."""
    return tuple(Concept(split(names), frozenset({key})) for key, names in read("classes").items())


@cache
def symptoms() -> tuple[Concept, ...]:
    """What a patient may say to have or take, each with its kind: symptom, history or drug."""
    return tuple(
        Concept(split(names), frozenset({kind})) for kind, lines in read("symptoms").items() for names in lines
    )


def _with_kin(file: str) -> tuple[Concept, ...]:
    return tuple(Concept(split(names), frozenset(kin.split())) for line in read(file) for names, kin in line.items())
