"""What a judge says of an answer, and which step said it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How an answer stands to the truth."""

    CORRECT = "correct"
    PARTIAL = "partial"
    WRONG = "wrong"
    NONE = "none"
    """Nothing was answered."""
    UNPARSED = "unparsed"
    """Something was answered that could not be read."""
    UNSAFE = "unsafe"
    """A treatment that would harm this patient, whatever else it holds."""


@dataclass(frozen=True)
class Judgement:
    """A verdict with its grounds."""

    verdict: Verdict
    rung: str
    """The step that decided: name, icd, fuzzy, negated, none, …"""
    because: str
    """One short sentence for a reader."""
