"""What a persona does to facts: which entries the patient forgets, blurs, plays down or denies.

The grid is drawn by seed when a consultation begins, so what is hidden is known. Asking again gets
further: what was denied is played down and then told, what was forgotten is remembered vaguely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from osler.records.schema import Category, Entry, PatientRecord, Status
from osler.runs.events import Telling
from osler.seeds import derive
from osler.settings.personas import HistoryRecall, Honesty, PersonaFactors

HISTORY = frozenset(
    {
        Category.SURGICAL_HISTORY,
        Category.MEDICATION_HISTORY,
        Category.ALLERGY,
        Category.MEDICAL_HISTORY,
        Category.FAMILY_HISTORY,
        Category.BIRTH_HISTORY,
        Category.MARITAL_CHILDBEARING,
        Category.MENSTRUAL_HISTORY,
    }
)
"""Categories that a poor recall acts on."""
HABITS = frozenset({Category.SOCIAL_HISTORY})
"""Categories that honesty acts on."""
_BLURRED_IF_VAGUE = 0.5
_FORGOTTEN_IF_POOR = 0.4
_BLURRED_IF_POOR = 0.8
"""Shares of the history; the last includes what is forgotten."""
_ASKED_AGAIN = {
    Telling.DENIED: Telling.PLAYED_DOWN,
    Telling.PLAYED_DOWN: Telling.PLAIN,
    Telling.FORGOTTEN: Telling.BLURRED,
}
_LARGEST = 2**63
"""What `derive` stays below."""


class Guard:
    """How a persona tells the entries of a record in one consultation, ask by ask."""

    def __init__(self, record: PatientRecord, factors: PersonaFactors, seed: int) -> None:
        """Draw the grid."""
        self.grid = grid_of(record, factors, seed)
        self._times_asked: Counter[str] = Counter()

    def tellings_of(self, names: Iterable[str]) -> dict[str, Telling]:
        """Return how these entries would now be told, those left out that are told plainly."""
        tellings: dict[str, Telling] = {}
        for name in names:
            telling = self.grid.get(name, Telling.PLAIN)
            for _ in range(self._times_asked[name]):
                telling = _ASKED_AGAIN.get(telling, telling)
            if telling is not Telling.PLAIN:
                tellings[name] = telling
        return tellings

    def note_asked(self, names: Iterable[str]) -> None:
        """Note that the doctor has asked for these entries."""
        self._times_asked.update(names)


def grid_of(record: PatientRecord, factors: PersonaFactors, seed: int) -> dict[str, Telling]:
    """Return the entries that are not told plainly when they are first asked for, by name."""
    grid: dict[str, Telling] = {}
    for entry in record.entries:
        # One number for each entry: what a vague recall blurs, a poor one blurs or forgets.
        number = derive(seed, entry.name, 1, "telling") / _LARGEST
        telling = _telling_of(entry, factors, number)
        if telling is not Telling.PLAIN:
            grid[entry.name] = telling
    return grid


def _telling_of(entry: Entry, factors: PersonaFactors, number: float) -> Telling:
    # What never was can neither be forgotten nor played down.
    if entry.status is not Status.PRESENT:
        return Telling.PLAIN
    if entry.category in HABITS:
        match factors.honesty:
            case Honesty.DENIES:
                return Telling.DENIED
            case Honesty.PLAYS_DOWN:
                return Telling.PLAYED_DOWN
            case Honesty.OPEN:
                return Telling.PLAIN
    if entry.category in HISTORY:
        if factors.recall is HistoryRecall.POOR and number < _FORGOTTEN_IF_POOR:
            return Telling.FORGOTTEN
        if factors.recall is HistoryRecall.POOR and number < _BLURRED_IF_POOR:
            return Telling.BLURRED
        if factors.recall is HistoryRecall.VAGUE and number < _BLURRED_IF_VAGUE:
            return Telling.BLURRED
    return Telling.PLAIN
