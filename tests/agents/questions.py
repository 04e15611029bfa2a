"""The labelled doctor's questions: those of some patients are for tuning, those of the others decide."""

from __future__ import annotations

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
    held_out: bool
    """Of a patient whose questions were not used for tuning."""

    @property
    def language(self) -> Language:
        return Language(self.record[-2:])


def labelled() -> list[Labelled]:
    """Every question of every file."""
    return [
        Labelled(
            row["record"],
            row["kind"],
            row["question"],
            frozenset(row["entries"]),
            frozenset(row.get("also") or ()),
            held_out=path.parent.name == "held_out",
        )
        for path in sorted(FOLDER.rglob("*.yaml"))
        for row in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
