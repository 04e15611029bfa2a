"""The plan of a run: records × columns × trials, and what all its consultations share."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Self

from osler.errors import UserError
from osler.records.schema import PatientRecord
from osler.runs.lessons import EXPERIENCE, STAGE, Stage
from osler.seeds import derive
from osler.settings.names import PLAIN, RULES, WITHOUT_MODEL, Feedback, Variants
from osler.settings.run_settings import RunSettings

LARGEST_PLAN = 1_000_000
"""Maximum consultations of a run: planning so many takes minutes, and nobody has run them."""


COLUMN = ("backbone", "strategy", "memory", "variants")
"""What a column is made of, as tables and JSON name it."""


@dataclass(frozen=True, order=True)
class Column:
    """What defines a doctor: all consultations that share it are in one column of every table."""

    backbone: str
    strategy: str
    """How the doctor's model works; empty for `rules` and people, who have their own way."""
    memory: str
    variants: Variants = ()
    """What else sets this column apart."""

    @classmethod
    def of(
        cls, backbone: str, strategy: str, memory: str, variants: Mapping[str, str] | None = None
    ) -> Self:
        """A column as a plan has it: only a model has a strategy."""
        own = "" if backbone in WITHOUT_MODEL else strategy
        return cls(backbone, own, memory, tuple(sorted((variants or {}).items())))

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Read a row of a run file or a table; a ValueError if it is damaged."""
        backbone, strategy, memory, text = (row[name] for name in COLUMN)
        if not all(isinstance(value, str) for value in (backbone, strategy, memory, text)):
            raise ValueError("a name that is no text")
        variants = json.loads(text)
        if not isinstance(variants, dict):
            raise ValueError("variants that are no map")
        return cls(
            backbone,
            strategy,
            memory,
            tuple(sorted((name, str(value)) for name, value in variants.items())),
        )

    def as_row(self) -> dict[str, str]:
        """The fields of a row, the variants as JSON.

        One text for one map, so that equal columns are equal rows.
        """
        told = json.dumps(
            dict(self.variants), ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
        return dict(zip(COLUMN, (self.backbone, self.strategy, self.memory, told), strict=True))

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {**self.as_row(), "variants": dict(self.variants)}

    def variant(self, name: str) -> str | None:
        """The value of one of its variants."""
        return dict(self.variants).get(name)

    def with_variant(self, name: str, value: str | None) -> Self:
        """The same column with another value of a variant; None: without it."""
        others = {one: known for one, known in self.variants if one != name}
        return replace(
            self, variants=tuple(sorted((others | ({name: value} if value else {})).items()))
        )

    def __str__(self) -> str:
        """In one line, every name whole."""
        return " ".join(
            filter(None, (self.backbone, self.strategy, self.memory, *told_variants(self.variants)))
        )


def chosen_columns(
    columns: Collection[Column],
    memories: Collection[str] | None,
    strategies: Collection[str] | None,
) -> set[Column]:
    """Return the columns with these memories and strategies; without names, all.

    Raises:
        UserError: No column has a memory or strategy of that name.
    """
    chosen = set(columns)
    for what, named in (("memory", memories), ("strategy", strategies)):
        there = {getattr(column, what) for column in columns}
        for name in named or ():
            if name not in there:
                known = ", ".join(sorted(there - {""})) or "none"
                raise UserError(f"the run has no {what} {name!r}", f"it has {known}")
        chosen = {column for column in chosen if not named or getattr(column, what) in named}
    return chosen


def told_variants(variants: Variants) -> list[str]:
    """Variants as tables show them."""
    return [f"{name}={value}" for name, value in variants]


@dataclass(frozen=True)
class Cell:
    """One consultation of a run's plan."""

    case: str
    column: Column
    trial: int

    def __str__(self) -> str:
        """As messages name it."""
        return f"{self.case} {self.column} trial {self.trial}"


@dataclass(frozen=True)
class Selector:
    """Which consultations of a run are selected; None means any."""

    case: str | None = None
    """A record's id, or its patient's."""
    backbone: str | None = None
    strategy: str | None = None
    memory: str | None = None
    trial: int | None = None
    variants: str | None = None
    """As tables show them: `experience=truth`."""


@dataclass(frozen=True)
class Plan:
    """All consultations that a run should have."""

    records: Iterable[PatientRecord]
    backbones: tuple[str, ...] = (RULES,)
    memories: tuple[str, ...] = ("raw",)
    strategies: tuple[str, ...] = (PLAIN,)
    trials: int = 1
    settings: RunSettings = field(default_factory=RunSettings)
    experience: tuple[Feedback, ...] = ()
    """What the doctors are told after a case, a column each; empty: every consultation stands
    alone."""
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Settings in which columns differ, by their options' names, with the values as columns name
    them."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Each column once, in the order they were named: the product of all that differs."""
        axes = dict(self.axes)
        if self.experience:
            axes = {EXPERIENCE: tuple(feedback.value for feedback in self.experience), **axes}
        variants = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
        columns = [
            Column.of(*doctor, own)
            for doctor in product(self.backbones, self.strategies, self.memories)
            for own in variants
        ]
        return tuple(dict.fromkeys(columns))

    def cells(self, record: PatientRecord) -> Iterator[Cell]:
        """The consultations of one patient."""
        for column in self.columns:
            for trial in range(1, self.trials + 1):
                yield Cell(record.id, column, trial)

    def held_again(self, cases: Iterable[str]) -> Iterator[Cell]:
        """The consultations that test retention: the first cases of each stream, once more."""
        known = list(cases) if self.experience and self.settings.retention else []
        for trial in range(1, self.trials + 1):
            for case in stream_order(known, self.settings.seed, trial)[: self.settings.retention]:
                for column in self.columns:
                    yield Cell(case, column.with_variant(STAGE, Stage.AGAIN), trial)

    @property
    def each(self) -> int:
        """How many consultations each patient has."""
        return len(self.columns) * self.trials

    @property
    def too_large(self) -> UserError:
        """The error of a plan with more consultations than a run holds."""
        sizes = f"{len(self.columns)} columns × {self.trials:,} trials of each record"
        return UserError(
            f"the plan has more than {LARGEST_PLAN:,} consultations ({sizes}), which is the most"
            " that a run holds",
            "give fewer --trials, or fewer records with --limit",
        )


def stream_order(cases: Iterable[str], seed: int, trial: int) -> list[str]:
    """Return the cases in the order in which a doctor sees them.

    The seed decides it, the same for every column.
    """
    return sorted(cases, key=lambda case: derive(seed, case, trial, "stream"))


def models_of(columns: Iterable[Column], settings: RunSettings) -> set[str]:
    """The specs of all models that take part in consultations of these columns."""
    models: set[str] = set()
    for column in columns:
        own = settings.for_column(column)
        seats = (column.backbone, own.patient_backbone, own.memory_backbone, own.ram_backbone)
        models |= {spec for spec in (*seats, own.feedback_judge) if spec is not None}
    return models - WITHOUT_MODEL


def default_patient(backbones: Iterable[str]) -> str:
    """Return the default patient of these doctors: their model, if there is exactly one.

    Raises:
        UserError: There are several: all doctors of a table have to face the same patient.
    """
    models = list(dict.fromkeys(spec for spec in backbones if spec not in WITHOUT_MODEL))
    if len(models) > 1:
        raise UserError(
            f"the doctors have {len(models)} models, so the patient's is not clear",
            "name it with --patient: one of them, another model, or rules",
        )
    if models:
        return models[0]
    return RULES


def default_ram(patient: str) -> str:
    """Return the default RAM: the patient's model, or rules if it has none."""
    if patient in WITHOUT_MODEL:
        return RULES
    return patient
