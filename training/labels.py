"""The data that the retrieval without a model is fitted on.

`asks/LANGUAGE.txt` has questions by the concept they ask for. `questions/LANGUAGE*.txt` has questions put to those
bundled records that are for tuning, by record, one a line: `question | entries asked for; ... | entries not wrong
either; ...`. `LANGUAGE_near.txt` is not learned from: nearly half of it asks for what the record just does not have.
"""

from __future__ import annotations

from pathlib import Path

from tests.agents.questions import Labelled, Part, labelled

from osler.language import Language

HERE = Path(__file__).parent


def asks(language: Language) -> list[tuple[str, str]]:
    """(question, concept)."""
    rows, concept = [], ""
    for line in (HERE / "asks" / f"{language.value}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            concept = line.removeprefix("# ").strip()
        elif line.strip():
            rows.append((line.strip(), concept))
    return rows


def by_hand(language: Language) -> list[Labelled]:
    """Every labelled question that may be learned from."""
    files = (f"{language.value}{kind}.txt" for kind in ("", "_twins", "_by_rules"))
    tuning = [row for row in labelled(Part.TUNING) if row.language is language]
    return [*tuning, *(row for name in files for row in written(name))]


def near_misses() -> list[Labelled]:
    """Not to be learned from: nearly half ask for what lies as close as can be to what the record has."""
    return [row for language in Language for row in written(f"{language.value}_near.txt")]


def written(name: str) -> list[Labelled]:
    """Those of one file."""
    rows, record = [], ""
    for line in (HERE / "questions" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            record = line.removeprefix("# ")
        elif line:
            question, entries, also = ([part.strip() for part in line.split("|")] + ["", ""])[:3]
            kind = "asked" if entries else "nothing"
            rows.append(Labelled(record, kind, question, _names(entries), _names(also), Part.TUNING))
    return rows


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(";") if name.strip())
