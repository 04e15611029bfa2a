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
    """Match any of a list of cues, in one language or in both; case does not matter.

    Under `en` are whole words, under `en_pattern` and `zh` patterns as they are.
    """
    table = read(file)[key]
    found = []
    for one in [language] if language is not None else Language:
        if words := table.get("en") if one is Language.EN else None:
            found.append(rf"\b(?:{'|'.join(words)})\b")
        found += table.get("en_pattern" if one is Language.EN else "zh", [])
    return re.compile("|".join(found), re.IGNORECASE)


class Concept(NamedTuple):
    """One thing with all its names and the codes, classes or kinds it belongs to."""

    names: tuple[str, ...]
    kin: frozenset[str]


@cache
def concepts(file: str) -> tuple[Concept, ...]:
    """The things of one file of `words/`.

    `diseases` have an ICD-10 code each, `groups` the codes that they take in, `drugs` their ATC codes (a product of
    several drugs: `=` and each drug's name), `procedures` their kinds, `classes` the codes and kinds that they take in,
    and `symptoms` a kind: symptom, history or drug.
    """
    table = read(file)
    rows = [pair for line in (table if isinstance(table, list) else [table]) for pair in line.items()]
    if file in {"groups", "drugs", "drug_stems", "procedures"}:
        return tuple(Concept(split(names), _kin(kin)) for names, kin in rows)
    return tuple(
        Concept(split(names), _kin(key))
        for key, lines in rows
        for names in (lines if isinstance(lines, list) else [lines])
    )


def _kin(value: str) -> frozenset[str]:
    if value.startswith("="):
        return frozenset(f"={name.strip()}" for name in value[1:].split("+"))
    return frozenset(value.split())


def split(names: str) -> tuple[str, ...]:
    """The names of one line."""
    return tuple(name.strip() for name in names.split(";"))


def rows(name: str) -> list[list[str]]:
    """The rows of one table of `words/`, as their columns."""
    text = files("osler.eval").joinpath("words", f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]
