"""One consultation of a run with its result, its verdicts and its measures: what tables read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from osler.language import Language
from osler.runs.events import Ending, Role
from osler.runs.lessons import Stage
from osler.runs.makers import Makers
from osler.runs.plan import Cell, Column
from osler.runs.reply_faults import PatientReading

DIAGNOSIS, TREATMENT = "diagnosis", "treatment"
"""The two parts of a conclusion that judges give a verdict on."""


class CellState(StrEnum):
    """The state of a consultation of the plan."""

    TODO = "todo"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Failure:
    """Why a consultation ended without an answer."""

    role: Role
    """Who failed."""
    kind: str
    """As `osler runs failures` counts it."""
    message: str
    place: str | None = None
    """Where in the code it went wrong, as `file:line in function`, if it was a fault in code."""

    @property
    def line(self) -> str:
        """What went wrong and where."""
        if self.place:
            return f"{self.message} ({self.place})"
        return self.message


@dataclass(frozen=True)
class StoredVerdict:
    """A judge's verdict on one part of an ending."""

    kind: str
    """`diagnosis` or `treatment`."""
    verdict: str
    rung: str
    """The step of its reasoning that decided."""
    because: str
    rank: int | None = None
    """Rank of the first right diagnosis among those that the doctor named, its own first."""
    tokens: int | None = None


@dataclass(frozen=True)
class StoredExplanation:
    """Why one consultation was lost."""

    cause: str
    lost_at: int | None
    """The turn where it was lost, if one can be named."""
    missing: tuple[str, ...]
    """Names of the entries that were missing."""
    line: str
    """What was missing, in one line."""
    verdict: str = ""
    """The judge's verdict that it explains."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What it was found with; with other settings it is looked for again."""
    steps: tuple[dict[str, Any], ...] = ()
    """The steps that were asked, in order: `step`, and for each of its `trials` the diagnosis and
    its verdict."""


@dataclass(frozen=True)
class StoredMeasures:
    """How a consultation went, as it was measured from its transcript."""

    version: str = ""
    """The version of the measures; empty for a consultation that was not measured."""
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    """The numbers by name; None means that nothing can be said, never zero."""
    makers: Makers = field(default_factory=Makers)
    stage: Stage | None = None
    """Which part of a stream of cases it belongs to; None for one that stands alone."""
    unpriced: tuple[str, ...] = ()
    """Tests without a price, by name."""

    def __bool__(self) -> bool:
        """Whether it was measured."""
        return bool(self.version)

    def number(self, name: str) -> float | None:
        """One number; None if it is not known, or this run has no such measure."""
        return self.numbers.get(name)


@dataclass(frozen=True)
class TwinPair:
    """Two records of a run that differ in one deciding fact."""

    base: str
    """The id of the record that the other is the twin of."""
    twin: str
    differs_in: frozenset[str]
    """`diagnosis` and `treatment`, as far as no answer is right for both."""


@dataclass(frozen=True)
class ScoredConsultation:
    """A consultation that has ended, with the verdicts of one judge.

    Its transcript is not read for it, so that a table over many consultations reads little.
    """

    number: int
    """Its number in the plan of its run."""
    cell: Cell
    patient: str
    language: Language
    specialty: str | None
    state: CellState
    """`done` or `failed`."""
    ending: Ending
    failure: Failure | None
    diagnosis: str
    """The doctor's conclusion; empty if there is none."""
    treatment: str
    turns: int
    repeats: int
    replies: int
    calls: int
    """Calls of models; this and the next three as if no answer were shared. `makers.usage` has them
    by seat."""
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    seconds: float
    """From its beginning to its end."""
    tokens_paid: int
    """What was spent on it in all attempts."""
    cost_paid: float | None
    at: str
    """When it ended."""
    judge: str
    """Whose verdicts these are."""
    verdicts: Mapping[str, StoredVerdict]
    """By kind; empty if it failed, or this judge has not judged it."""
    measures: StoredMeasures
    explanation: StoredExplanation | None = None
    """Why it was lost, if that was explained for this judge."""
    patient_ruler: str | None = None
    """The model whose reading of the replies this is; None if no model read replies of the run."""
    reading: PatientReading | None = None
    """What that model said; None if it read none of this consultation."""
    pair: TwinPair | None = None
    """The pair that its record belongs to, if both are in the run."""

    @property
    def case(self) -> str:
        """The record's id."""
        return self.cell.case

    @property
    def column(self) -> Column:
        """The column that it belongs to."""
        return self.cell.column

    @property
    def trial(self) -> int:
        """Which trial of this case and column it is."""
        return self.cell.trial

    @property
    def is_failed(self) -> bool:
        """Whether it ended without an answer, so that it is in no score."""
        return self.state is CellState.FAILED

    @property
    def is_judged(self) -> bool:
        """Whether the judge has given a verdict on its diagnosis."""
        return DIAGNOSIS in self.verdicts

    @property
    def makers(self) -> Makers:
        """Who made its questions, replies, retrievals and thoughts, and what they used."""
        return self.measures.makers

    @property
    def cause(self) -> str | None:
        """Why it was lost, if that was explained."""
        if self.explanation:
            return self.explanation.cause
        return None

    @property
    def judge_tokens(self) -> int:
        """Tokens of the verdicts."""
        return sum(verdict.tokens or 0 for verdict in self.verdicts.values())

    def verdict(self, kind: str) -> str | None:
        """The word of the verdict on its diagnosis or treatment; None if there is none."""
        stored = self.verdicts.get(kind)
        if stored:
            return stored.verdict
        return None

    @property
    def diagnosis_rank(self) -> int | None:
        """Rank of the first right diagnosis; None unless the judge read the differential."""
        stored = self.verdicts.get(DIAGNOSIS)
        if stored:
            return stored.rank
        return None

    @property
    def replies_read(self) -> int:
        """How many of its replies the model read."""
        if self.reading:
            return self.reading.read
        return 0

    def faulty_replies(self, kind: str) -> int:
        """How many of these have a fault of that kind, one of `READ_FAULTS`."""
        if self.reading:
            return self.reading.count(kind)
        return 0


@dataclass(frozen=True)
class ScoredPair:
    """Two consultations of one column and trial, with a record and its twin.

    Both ended with an answer.
    """

    base: ScoredConsultation
    twin: ScoredConsultation

    @property
    def differs_in(self) -> frozenset[str]:
        """Whether the right diagnosis differs, the right treatment, or both."""
        return self.twin.pair.differs_in if self.twin.pair else frozenset()
