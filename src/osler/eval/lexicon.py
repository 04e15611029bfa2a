"""The words a judge knows: read once from `words/`, every name in its normalised form."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml


@cache
def read(name: str) -> Any:
    """One file of `words/`, as YAML gives it."""
    text = files("osler.eval").joinpath("words", f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.CSafeLoader(text).get_single_data()


@cache
def cue(key: str) -> re.Pattern[str]:
    """A choice of patterns in `commitment.yaml`."""
    return re.compile("|".join(read("commitment")[key]), re.IGNORECASE)


def split(names: str) -> tuple[str, ...]:
    """The names of one line."""
    return tuple(name.strip() for name in names.split(";"))


class Concept(NamedTuple):
    """One thing with all its names and the codes or classes it belongs to."""

    names: tuple[str, ...]
    kin: frozenset[str]


@cache
def diseases() -> tuple[Concept, ...]:
    """Diseases, each with its ICD-10 code."""
    return tuple(Concept(split(names), frozenset({code})) for line in read("diseases") for code, names in line.items())


@cache
def groups() -> tuple[Concept, ...]:
    """Broader names, each with the codes it takes in."""
    return tuple(
        Concept(split(names), frozenset(codes.split())) for line in read("groups") for names, codes in line.items()
    )


@cache
def drugs() -> tuple[Concept, ...]:
    """Drugs and procedures, each with its classes."""
    lines = (*read("drugs"), *read("procedures"))
    return tuple(Concept(split(names), frozenset(kin.split())) for line in lines for names, kin in line.items())


@cache
def classes() -> tuple[Concept, ...]:
    """Classes of drugs, each with its key."""
    return tuple(Concept(split(names), frozenset({key})) for key, names in read("classes").items())
