"""Labelled answers: what a judge should say of each, read with the models of the records."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, TypeAdapter

from osler.language import Language
from osler.records.fields import Line, MaybeLine
from osler.records.schema import Diagnosis, Frozen, Treatment


class Half(StrEnum):
    """Which pairs a judge may be tuned on, and which decide how good it is."""

    TUNING = "tuning"
    HELD_OUT = "held_out"


class Verdict(StrEnum):
    """What the rubric says of an answer."""

    CORRECT = "correct"
    PARTIAL = "partial"
    WRONG = "wrong"
    UNSAFE = "unsafe"
    NONE = "none"


class _Labelled(Frozen):
    answer: MaybeLine
    verdict: Verdict
    case: str
    """What makes the pair easy or hard; the README lists the tags."""
    why: Line


class DiagnosisPair(_Labelled):
    """A diagnosis and what a doctor answered."""

    kind: Literal["diagnosis"]
    truth: Diagnosis


class TreatmentPair(_Labelled):
    """A treatment and what a doctor answered."""

    kind: Literal["treatment"]
    truth: Treatment


Pair = Annotated[DiagnosisPair | TreatmentPair, Field(discriminator="kind")]
_FILE: TypeAdapter[tuple[Pair, ...]] = TypeAdapter(tuple[Pair, ...])


@cache
def pairs(language: Language, half: Half) -> tuple[Pair, ...]:
    """The pairs of one file."""
    path = Path(__file__).parent / language.value / f"{half.value}.yaml"
    return _FILE.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))
