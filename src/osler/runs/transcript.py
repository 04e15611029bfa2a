"""One consultation as it was: a header and its events."""

from __future__ import annotations

import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from osler.language import Language, Speaker
from osler.memory.base import Turn
from osler.runs.events import Answered, Asked, Called, Concluded, Ending, Event
from osler.runs.plan import Cell, Column
from osler.runs.turns import TurnView, total, turn_views
from osler.settings.names import OSLER, RULES, ResultsFrom
from osler.settings.stored import setting_text

E = TypeVar("E", bound=BaseModel)


class Header(BaseModel):
    """What a consultation was run with."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    case: str
    """The record's id."""
    patient: str
    language: Language
    specialty: str | None = None
    speaker: Speaker = Speaker.PATIENT
    """Who answers for the patient."""
    about: str = ""
    """What the memory's model is told of the patient before the first question."""
    backbone: str
    """The doctor's."""
    strategy: str = ""
    """How the doctor's model works; `rules` and people have none."""
    memory: str
    variants: dict[str, str] = {}
    """What else sets its column apart."""
    settings: dict[str, Any] = {}
    """The settings of its column that decide results, by the names that a run file has."""
    trial: int = 1
    seed: int
    turn_limit: int
    date: datetime.date | None = None
    """The day of the consultation, if the memory heard earlier visits first."""
    version: str
    prompts: dict[str, str] = {}
    """The prompt templates that it used, and the hash of each."""

    @property
    def patient_backbone(self) -> str:
        """The patient's model."""
        return str(self.settings.get("patient_backbone", RULES))

    @property
    def patient_agent(self) -> str:
        """How the patient's model is played."""
        return str(self.settings.get("patient_agent", OSLER))

    @property
    def own_prompts(self) -> dict[str, str]:
        """The texts of prompts that stood in place of Osler's, by the names of their templates."""
        return dict(self.settings.get("prompts") or {})

    @property
    def ram_backbone(self) -> str:
        """The model that retrieved from the record."""
        return str(self.settings.get("ram_backbone", RULES))

    @property
    def memory_backbone(self) -> str:
        """The model behind the memory; `rules` or `human`: it has none."""
        return str(self.settings.get("memory_backbone") or self.backbone)

    @property
    def results(self) -> ResultsFrom:
        """Where the doctor read the results of tests and examinations."""
        return ResultsFrom(self.settings.get("results", ResultsFrom.PATIENT))

    @property
    def column(self) -> Column:
        """Which column of a table it belongs to."""
        return Column(
            self.backbone, self.strategy, self.memory, tuple(sorted(self.variants.items()))
        )

    @property
    def parts(self) -> dict[str, Any]:
        """The models, the strategy and the memory of the consultation, by name."""
        # A variant is named once, and the usual patient not at all.
        is_usual = self.patient_agent == OSLER or "patient_agent" in self.variants
        return {
            "doctor": self.backbone,
            "strategy": self.strategy,
            "memory": self.memory,
            **self.variants,
            "patient": self.patient_backbone,
            "patient agent": "" if is_usual else self.patient_agent,
            "RAM": self.ram_backbone,
            "prompts": setting_text(self.settings, "prompts") if self.own_prompts else "",
            "trial": self.trial,
        }

    @property
    def made_with(self) -> str:
        """The same in one line."""
        return " · ".join(f"{name} {value}" for name, value in self.parts.items() if value)

    @property
    def cell(self) -> Cell:
        """Which consultation of a run's plan it is."""
        return Cell(self.case, self.column, self.trial)


class Transcript(BaseModel):
    """A finished consultation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    header: Header
    ending: Ending
    events: tuple[Event, ...]

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def conclusion(self) -> Concluded | None:
        """The doctor's ending, if it gave one."""
        return next(iter(self.of(Concluded)), None)

    @property
    def turns(self) -> int:
        """Questions that were asked."""
        return len(self.of(Asked))

    @property
    def repeats(self) -> int:
        """Questions that asked again for what had been asked."""
        return sum(event.repeated for event in self.of(Asked))

    @property
    def replies(self) -> list[Answered]:
        """The patient's replies."""
        return self.of(Answered)

    @property
    def seconds(self) -> float:
        """How long it took, from its beginning to its last event."""
        if self.events:
            return self.events[-1].at
        return 0.0

    @property
    def turn_views(self) -> tuple[TurnView, ...]:
        """What happened turn by turn, those of earlier visits first."""
        return turn_views(self.events)

    @property
    def exchanges(self) -> dict[int, Turn]:
        """The turns that were answered, by number, as a memory is given them.

        Turns of earlier visits are among them.
        """
        exchanges = {}
        for turn in self.turn_views:
            exchange = turn.exchange(self.header.date)
            if exchange is not None:
                exchanges[turn.number] = exchange
        return exchanges

    def tokens(self) -> int | None:
        """Tokens of all calls; None as soon as one call did not tell."""
        return total(
            count for called in self.of(Called) for count in (called.tokens_in, called.tokens_out)
        )
