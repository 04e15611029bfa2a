"""Answers with their verdicts: what a judge is examined on.

Each pair was labelled twice by docs/judging.md, the second time without sight of the first label;
both are equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from osler.eval.judge import Kind
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records.schema import Diagnosis, Treatment

KINDS: tuple[Kind, ...] = ("diagnosis", "treatment")


@dataclass(frozen=True)
class LabelledPair:
    """A truth, an answer to it, and the verdict that is its label."""

    id: str
    kind: Kind
    language: Language
    truth: Diagnosis | Treatment
    diagnosis: str
    """The diagnosis that a treatment is for; empty for a diagnosis."""
    answer: str
    verdict: Verdict
    style: tuple[str, ...]
    """What makes it easy or hard: `denied`, `full`, `injected`."""


@cache
def labelled_pairs(language: Language) -> tuple[LabelledPair, ...]:
    """All pairs of a language that are part of the package."""
    folder = files("osler.eval.reader") / "labelled"
    texts = ((folder / f"{kind}_{language.value}.jsonl").read_text("utf-8") for kind in KINDS)
    return tuple(pair for text in texts for pair in _pairs(text))


def read_pairs(path: Path) -> list[LabelledPair]:
    """Pairs from a file of the same form."""
    return list(_pairs(path.read_text("utf-8")))


def _pairs(text: str) -> Iterator[LabelledPair]:
    for line in filter(None, text.splitlines()):
        row = json.loads(line)
        yield LabelledPair(
            id=row["id"],
            kind=row["kind"],
            language=Language(row["language"]),
            truth=_truth(row["kind"], row["truth"]),
            diagnosis=row["truth"].get("diagnosis", ""),
            answer=row["answer"],
            verdict=Verdict(row["verdict"]),
            style=tuple(row["style"]),
        )


def _truth(kind: Kind, fields: dict[str, Any]) -> Diagnosis | Treatment:
    model = Diagnosis if kind == "diagnosis" else Treatment
    return model.model_validate(
        {name: fields[name] for name in model.model_fields if name in fields}
    )
