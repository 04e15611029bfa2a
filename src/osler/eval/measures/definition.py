"""A measure: one number of a consultation, with all that tables and pages say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from osler import row_labels
from osler.language import Language
from osler.records.schema import PatientRecord
from osler.runs.scored import ScoredConsultation, ScoredPair
from osler.runs.transcript import Transcript
from osler.settings.names import ONE_STEP


class Unit(StrEnum):
    """What a measure is counted in."""

    SHARE = "share"
    """From 0 to 1, and shown in per cent."""
    COUNT = "count"
    RANK = "rank"
    TURN = "turn"
    """The number of a turn."""
    RATIO = "ratio"
    TOKENS = "tokens"
    USD = "USD"
    PRICE = "price"
    """In the currency of the price list that was given."""
    SECONDS = "seconds"


class Higher(StrEnum):
    """What a higher number means."""

    BETTER = "better"
    WORSE = "worse"
    NEITHER = "neither"
    """More of something that is neither good nor bad by itself."""


class Place(StrEnum):
    """Where a measure is shown."""

    SIMULATE = "simulate"
    """The table after `osler simulate`."""
    COMPARE = "compare"
    """`osler compare`, and `Run.compare`."""
    REPORT = "report"
    """The table of `osler report`."""
    PAGE = "page"
    """The page of one consultation in `osler view`."""
    SCORES = "scores"
    """The columns of `Run.scores`."""


EVERYWHERE = frozenset(Place)


class Label(NamedTuple):
    """The name of a measure for people."""

    en: str
    zh: str

    def of(self, language: Language) -> str:
        """The label in a language."""
        return self.zh if language is Language.ZH else self.en


ValueOf = Callable[[ScoredConsultation], float | None]
"""The number of one consultation. None leaves the consultation out of that figure alone."""
ValueOfPair = Callable[[ScoredPair], float | None]
"""The number of a pair of twins. None leaves the pair out of that figure alone."""
MeasuredIn = Callable[[Transcript, PatientRecord], float | None]
"""The same for what takes the transcript: counted when a consultation is scored, and stored."""

_DIGITS: Mapping[Unit, int] = {Unit.TOKENS: 0, Unit.USD: 4, Unit.RATIO: 2, Unit.SECONDS: 2}


@dataclass(frozen=True)
class Measure:
    """One number of a consultation."""

    name: str
    """In JSON and data frames; unique."""
    label: Label
    unit: Unit
    formula: str
    """What is counted of one consultation, in one sentence."""
    denominator: str
    """Which consultations a figure is about, or which of their parts, in one sentence."""
    higher: Higher = Higher.NEITHER
    value: ValueOf | None = None
    """How it is read; without it, the number that was stored under its name."""
    from_transcript: MeasuredIn | None = None
    """How it is counted from the transcript when the consultation is scored."""
    of_pair: ValueOfPair | None = None
    """How it is counted of a pair of twins, for a measure over pairs in place of consultations; it
    is shown only where a run holds pairs."""
    places: frozenset[Place] = EVERYWHERE
    totals_in: frozenset[Place] = frozenset()
    """Places that show the sum over a column's consultations in place of the mean."""
    decimals: int | None = None
    """Digits after the point in tables; None leaves that to the unit."""
    is_tested: bool = False
    """Whether differences between columns are tested: only what is 1 or 0 can be."""
    upper_bound_of: str | None = None
    """The measure that it is the upper bound of; left out of a table without undecided verdicts."""
    hides_zero: bool = False
    """Whether it is left out of a table in which no column has any of it."""
    is_of_replies: bool = False
    """A share of the replies that a model read, not of the consultations: its value is how many of
    them have the fault, and tables always show how many were read."""
    needs_reader: bool = False
    """Whether it is known only where a model read replies of the patient."""
    is_of_asking: bool = False
    """Whether it says how the doctor asked; a doctor who was told everything has none."""

    @property
    def is_share(self) -> bool:
        """Whether it is a share, shown in per cent with its interval; otherwise a mean or total."""
        return self.unit is Unit.SHARE

    @property
    def unit_of_one(self) -> Unit:
        """The unit of the number of one consultation: of replies, how many."""
        return Unit.COUNT if self.is_of_replies else self.unit

    @property
    def digits(self) -> int:
        """Digits after the point in tables."""
        return _DIGITS.get(self.unit, 1) if self.decimals is None else self.decimals

    def row_label(self, place: Place) -> str:
        """What a row of a table is called: the label, and how it was counted."""
        if self.is_share:
            return f"{self.label.en} %"
        return (row_labels.total if place in self.totals_in else row_labels.mean)(self.label.en)

    def of(self, consultation: ScoredConsultation) -> float | None:
        """The number of one consultation."""
        if self.value is not None:
            return self.value(consultation)
        return consultation.measures.number(self.name)

    def in_figures(self, consultation: ScoredConsultation) -> float | None:
        """The number as figures of a column count it."""
        if self.is_of_asking and consultation.column.memory == ONE_STEP:
            return None
        value = self.of(consultation)
        return None if value is None else float(value)
