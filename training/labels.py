"""Questions labelled by hand for learning, beside those that the tests guard.

Most of them ask for a neighbour of what the record has: another test of the same organ, the other habit, a relative's
illness. Others ask for what is there, in words that it does not use (`training/questions/LANGUAGE.txt`). The rest are
what the doctor by rules asks, whose long questions name many things at once (`LANGUAGE_by_rules.txt`), and twins that
look alike, of which one asks for what the record has and the other for what it just does not (`LANGUAGE_twins.txt`). By
record, one a line: `question | entries asked for; ... | entries that are not wrong either; ...`.

A last set is not learned from: it measures how often a near miss is told from the thing (`LANGUAGE_near.txt`).
"""

from __future__ import annotations

from pathlib import Path

from tests.agents.questions import Labelled, Part, labelled

from osler.records import Language

FOLDER = Path(__file__).parent / "questions"


def by_hand() -> list[Labelled]:
    """Every labelled question that may be learned from, in both languages."""
    files = (f"{language.value}{kind}.txt" for kind in ("", "_twins") for language in Language)
    return [*guarded(), *(row for name in files for row in written(name)), *by_rules()]


def by_rules() -> list[Labelled]:
    """Those of them that the doctor by rules asks."""
    return [row for language in Language for row in written(f"{language.value}_by_rules.txt")]


def near_misses() -> list[Labelled]:
    """Not to be learned from: nearly half ask for what lies as close as can be to what the record has."""
    return [row for language in Language for row in written(f"{language.value}_near.txt")]


def guarded() -> list[Labelled]:
    """Those of the tests that are for tuning."""
    return labelled(Part.TUNING)


def written(name: str) -> list[Labelled]:
    """Those of one file."""
    rows, record = [], ""
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            record = line.removeprefix("# ")
        elif line:
            question, entries, also = ([part.strip() for part in line.split("|")] + ["", ""])[:3]
            kind = "asked" if entries else "nothing"
            rows.append(Labelled(record, kind, question, _names(entries), _names(also), Part.TUNING))
    return rows


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(";") if name.strip())
