"""The data that the retrieval without a model is fitted on.

`asks/LANGUAGE.txt` has questions by the concept they ask for. `questions/LANGUAGE*.txt` has
questions put to those bundled records that are for tuning, by record, one a line: `question |
entries asked for; ... | entries not wrong either; ...`. `LANGUAGE_near.txt` is not learned from:
nearly half of it asks for what the record just does not have.
"""

from __future__ import annotations

from pathlib import Path

from tests.agents.questions import Labelled, Part, labelled

from osler.language import Language

HERE = Path(__file__).parent


def asks(language: Language) -> list[tuple[str, str]]:
    """(question, concept)."""
    rows = []
    concept = ""
    text = (HERE / "asks" / f"{language.value}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("# "):
            concept = line.removeprefix("# ").strip()
        elif line.strip():
            rows.append((line.strip(), concept))
    return rows


def by_hand(language: Language) -> list[Labelled]:
    """Every labelled question that may be learned from."""
    rows = [row for row in labelled(Part.TUNING) if row.language is language]
    for kind in ("", "_twins", "_by_rules"):
        rows += read_questions(f"{language.value}{kind}.txt")
    return rows


def near_misses() -> list[Labelled]:
    """Questions not to be learned from: nearly half ask for what the record just does not have."""
    rows = []
    for language in Language:
        rows += read_questions(f"{language.value}_near.txt")
    return rows


def read_questions(name: str) -> list[Labelled]:
    """The questions of a file."""
    rows = []
    record = ""
    for line in (HERE / "questions" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            record = line.removeprefix("# ")
        elif line:
            # Both lists of entries may be left out.
            parts = [part.strip() for part in line.split("|")]
            question, entries, also = [*parts, "", ""][:3]
            kind = "asked" if entries else "nothing"
            row = Labelled(record, kind, question, _names(entries), _names(also), Part.TUNING)
            rows.append(row)
    return rows


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(";") if name.strip())
