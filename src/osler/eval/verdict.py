"""A judge's verdict on an answer, and which step decided it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How an answer compares with the true one."""

    CORRECT = "correct"
    PARTIAL = "partial"
    WRONG = "wrong"
    NONE = "none"
    """Nothing was answered."""
    UNPARSED = "unparsed"
    """Something was answered that could not be read."""
    UNSAFE = "unsafe"
    """A treatment that would harm this patient, whatever else it holds."""
    UNDECIDED = "undecided"
    """The rules cannot tell; a model judge or a person has to decide."""


@dataclass(frozen=True)
class Judgement:
    """A verdict with its grounds."""

    verdict: Verdict
    rung: str
    """The step that decided: name, icd, fuzzy, negated, none, …"""
    because: str
    """One short sentence for a reader."""
