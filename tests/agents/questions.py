"""The labelled doctor's questions: those of some patients are for tuning, two sets about the others
are not.

The validation sets were held out once and have been looked at often, so they can no longer decide.
The held-out set was written from the records alone, by other hands than the module but after one
brief with the last of the questions in `training/questions`, and its labels were checked by second
readers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import yaml

from osler.records import Language

FOLDER = Path(__file__).parent / "questions"


class Part(StrEnum):
    """What a question is for, and the folder it stands in."""

    TUNING = "tuning"
    VALIDATION = "validation"
    HELD_OUT = "held_out"


@dataclass(frozen=True)
class Labelled:
    """A question with the entries it asks for."""

    record: str
    kind: str
    question: str
    entries: frozenset[str]
    also: frozenset[str]
    """Entries that are not wrong either."""
    part: Part

    @property
    def language(self) -> Language:
        return Language(self.record[-2:])


def labelled(*parts: Part) -> list[Labelled]:
    """Every question of these parts, or of all."""
    return [
        Labelled(
            row["record"],
            row["kind"],
            row["question"],
            frozenset(row["entries"]),
            frozenset(row.get("also") or ()),
            part,
        )
        for part in parts or Part
        for path in sorted((FOLDER / part).glob("*.yaml"))
        for row in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
