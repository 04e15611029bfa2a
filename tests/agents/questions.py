"""The labelled doctor's questions: half of the patients are for tuning, the other half decides."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import yaml

from osler.records import Language

FOLDER = Path(__file__).parent / "questions"


@dataclass(frozen=True)
class Labelled:
    """A question with the entries it asks for."""

    record: str
    kind: str
    question: str
    entries: frozenset[str]
    also: frozenset[str]
    """Entries that are not wrong either."""

    @property
    def language(self) -> Language:
        return Language(self.record[-2:])

    @property
    def held_out(self) -> bool:
        """By patient, so that no wording about a patient is on both sides."""
        return hashlib.sha256(self.record[:-3].encode()).digest()[0] % 2 == 1


def labelled() -> list[Labelled]:
    """Every question of every file."""
    return [
        Labelled(
            row["record"], row["kind"], row["question"], frozenset(row["entries"]), frozenset(row.get("also") or ())
        )
        for path in sorted(FOLDER.glob("*.yaml"))
        for row in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
