"""Texts that pages and terminals show, by language: one YAML file each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from osler.language import Language


def load_texts(language: Language, section: str) -> Mapping[str, str]:
    """The texts of one section of a language's file, by name."""
    texts: Mapping[str, str] = _file(language)[section]
    return texts


def label(value: StrEnum, language: Language) -> str:
    """The word for a category, status, sex, speaker, … in a language."""
    labels = _file(language)["record_labels"]
    word: str = labels[type(value).__name__.lower()][value.value]
    return word


@cache
def _file(language: Language) -> dict[str, Any]:
    text = (files(__name__) / f"{language.value}.yaml").read_text("utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 -- safe
    return data
