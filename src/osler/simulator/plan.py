"""What a run consists of: records × doctor backbones × memories × trials, and what all its consultations share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from osler.errors import UserError
from osler.ranking import CLOSE
from osler.records.schema import PatientRecord

RULES, HUMAN = "rules", "human"
ONE_STEP = "one-step"
"""The memory of a doctor who is told the whole record and asks nothing: the ceiling."""
WITHOUT_MODEL = frozenset({RULES, HUMAN})
LARGEST_PLAN = 1_000_000
"""Consultations of a run: planning so many takes minutes, and nobody has held them."""
_FEW, _MOST_COUNTED = 1_000, 10_000


@dataclass(frozen=True)
class Limits:
    """The most that may be used; None: no limit."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def __bool__(self) -> bool:
        """Whether there is any limit."""
        return any(value is not None for value in (self.tokens, self.cost, self.seconds))


class ResultsFrom(StrEnum):
    """Where the doctor reads the results of tests and examinations."""

    PATIENT = "patient"
    """The patient tells them."""
    REPORT = "report"
    """RAM hands them to the doctor in the record's words."""


@dataclass(frozen=True)
class Settings:
    """What all consultations of a run share. What is here decides results, so it cannot change within a run."""

    patient_backbone: str = RULES
    seed: int = 0
    guards: bool = True
    turns: int | None = None
    """Questions a doctor may ask; None: the record's expected rounds times the factor."""
    turn_factor: float = 1.5
    budget: int = 2000
    """Tokens of recall in the doctor's prompt."""
    answer_tokens: int = 1000
    """Tokens one answer of a model may take, its thinking included."""
    results: ResultsFrom = ResultsFrom.PATIENT
    ram_backbone: str | None = None
    """The model that finds what a question asks for in the record; None or `rules`: no model does."""
    memory_backbone: str | None = None
    """The model behind the memories; None: the doctor's own."""
    temperature: float = 0.0
    limits: Limits = field(default_factory=Limits)
    """Of one consultation."""

    def turn_limit(self, record: PatientRecord, memory: str = "") -> int:
        """How many questions the doctor of this patient may ask."""
        if memory == ONE_STEP:
            return 0
        if self.turns is not None:
            return self.turns
        # Fifty rounds times 1.1 are 55, though the product of the floats is a little more.
        return math.ceil(record.expected_rounds * self.turn_factor - CLOSE)

    def as_json(self) -> dict[str, Any]:
        """As plain data, in words of the command line."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Settings:
        """What `as_json` wrote."""
        results = ResultsFrom(data.get("results", ResultsFrom.PATIENT))
        return cls(**{**data, "results": results, "limits": Limits(**data["limits"])})


@dataclass(frozen=True)
class Cell:
    """One consultation of a run's plan."""

    case: str
    backbone: str
    memory: str
    trial: int


@dataclass(frozen=True)
class Plan:
    """Every consultation that a run shall hold."""

    records: Iterable[PatientRecord]
    backbones: tuple[str, ...] = (RULES,)
    memories: tuple[str, ...] = ("raw",)
    trials: int = 1
    settings: Settings = field(default_factory=Settings)

    def cells(self, record: PatientRecord) -> Iterator[Cell]:
        """The consultations of one patient."""
        for backbone in dict.fromkeys(self.backbones):
            for memory in dict.fromkeys(self.memories):
                for trial in range(1, self.trials + 1):
                    yield Cell(record.id, backbone, memory, trial)

    @property
    def each(self) -> int:
        """How many consultations each patient has."""
        return len(set(self.backbones)) * len(set(self.memories)) * self.trials

    def check_size(self) -> None:
        """Refuse a plan that is too large, before anything is written.

        Records are counted only where each has many consultations: reading a large pool twice takes long, and
        `RunWriter.extend` counts as it goes.

        Raises:
            UserError: The plan is too large.
        """
        if self.each > _FEW:
            records = sum(1 for _ in islice(iter(self.records), _MOST_COUNTED))
            if records * self.each > LARGEST_PLAN:
                raise self.too_large(records)

    def too_large(self, records: int) -> UserError:
        """The error of a plan with at least so many records."""
        sizes = f"{records:,} records × {len(set(self.backbones))} backbones × {len(set(self.memories))} memories"
        return UserError(
            f"the plan has {records * self.each:,} consultations ({sizes} × {self.trials:,} trials),"
            f" and a run holds at most {LARGEST_PLAN:,}",
            "give fewer --trials, or fewer records with --limit",
        )

    @property
    def models(self) -> set[str]:
        """The specs of all models that take part."""
        settings = self.settings
        others = (settings.patient_backbone, settings.memory_backbone, settings.ram_backbone)
        return {*self.backbones, *(spec for spec in others if spec)} - WITHOUT_MODEL
