"""Labelled answers: what a judge should say of each, read with the models of the records."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, TypeAdapter

from osler.language import Language
from osler.records.fields import Frozen, Line
from osler.records.schema import Diagnosis, Treatment


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
    answer: str
    verdict: Verdict
    case: str
    """What makes the pair easy or hard; the README lists the tags."""
    why: Line
    unsure: bool = False
    """The label is a close call."""


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


@cache
def model_style_pairs(language: Language, half: Half) -> tuple[Pair, ...]:
    """The verbose and adversarial pairs of one file; none if the file is not there."""
    path = Path(__file__).parent / language.value / f"model_style_{half.value}.jsonl"
    if not path.exists():
        return ()
    rows = [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    return _FILE.validate_python([_pair(row) for row in rows])


def _pair(row: dict[str, Any]) -> dict[str, Any]:
    """A line of such a file as a pair: a treatment's line names the diagnosis, and its parts are
    plain names."""
    is_treatment = "diagnosis" in row
    truth = dict(row["truth"])
    if is_treatment:
        truth["parts"] = [
            {"name": part} if isinstance(part, str) else part for part in truth.get("parts", ())
        ]
    return {
        "kind": "treatment" if is_treatment else "diagnosis",
        "truth": truth,
        "case": "model style",
        **{name: row[name] for name in ("answer", "verdict", "why")},
        "unsure": row.get("unsure", False),
    }
