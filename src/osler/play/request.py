"""What a player asks for, and the consultation that they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from osler.language import Language
from osler.records.schema import PatientRecord
from osler.runs.events import Role
from osler.runs.plan import HUMAN, PLAIN, RULES, Cell, Column, Plan, Settings, default_ram


@dataclass(frozen=True)
class PlayRequest:
    """What a player asks for."""

    role: Role
    """The person's: doctor or patient."""
    case: str | None = None
    language: Language | None = None
    doctor: str = RULES
    """Who plays opposite a patient."""
    patient: str = RULES
    """Who plays opposite a doctor."""
    memory: str = "tim"
    strategy: str = PLAIN
    """Of a model opposite a patient."""
    seed: int = 0
    out: str | Path | None = None
    """The run; None: the first of `play-doctor`, `play-doctor-2`, … that has these settings or is new."""
    preferred: Language | None = None
    """The language of a patient who is drawn, if the pool has any; a case or a language that is named comes first."""

    @property
    def opposite(self) -> str:
        """The backbone opposite the person."""
        return self.patient if self.role is Role.DOCTOR else self.doctor

    @property
    def column(self) -> Column:
        """The doctor and its memory, as a transcript names them."""
        return Column.of(HUMAN if self.role is Role.DOCTOR else self.doctor, self.strategy, self.memory)

    @property
    def settings(self) -> Settings:
        """Of the run that it belongs to."""
        patient = self.patient if self.role is Role.DOCTOR else HUMAN
        return Settings(patient_backbone=patient, ram_backbone=default_ram(patient), seed=self.seed)


@dataclass(frozen=True)
class PlayAssignment:
    """One consultation to be played."""

    role: Role
    record: PatientRecord
    cell: Cell
    settings: Settings
    run: Path

    @property
    def turn_limit(self) -> int:
        """How many questions the doctor may ask."""
        return self.settings.turn_limit(self.record, self.cell.column.memory)


@dataclass(frozen=True, kw_only=True)
class OneCellPlan(Plan):
    """A run's plan for a single consultation, and none of the trials before it."""

    cell: Cell

    def cells(self, record: PatientRecord) -> Iterator[Cell]:
        """The one."""
        yield self.cell
