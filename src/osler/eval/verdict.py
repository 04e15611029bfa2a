"""A judge's opinion on an answer: the verdict, and which step decided it."""

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
    """Nobody has read it, or a reader could not tell."""


@dataclass(frozen=True)
class Opinion:
    """A judge's opinion on one answer."""

    verdict: Verdict
    because: str = ""
    """One short sentence for a reader."""
    tokens: int | None = None
    """Tokens in and out, or None if they are unknown or no model was asked."""
    cost: float | None = None
    """Cost in USD, or None if it is unknown or no model was asked."""
    rung: str = "judge"
    """What decided: `exact`, `reader`, `judge`, or how a panel voted."""
