"""One consultation as it was: a header and its events."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from osler.language import Language, Speaker
from osler.memory.base import Turn
from osler.records.visits import clock
from osler.runs.events import Answered, Asked, Called, Concluded, Ending, Event, Retrieved, Visited
from osler.runs.plan import RULES, Cell, Column, ResultsFrom

E = TypeVar("E", bound=BaseModel)
N = TypeVar("N", int, float)


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
    patient_backbone: str
    ram_backbone: str = RULES
    memory_backbone: str = RULES
    """The model behind the memory; `rules` or `human`: it has none."""
    answer_tokens: int = 1000
    """Tokens one answer of a model could take."""
    results: ResultsFrom = ResultsFrom.PATIENT
    """Where the doctor read the results of tests and examinations."""
    trial: int = 1
    seed: int
    turn_limit: int
    date: datetime.date | None = None
    """The day of the consultation, if the memory heard earlier visits first."""
    version: str
    prompts: dict[str, str] | str
    """The prompt templates that it used, and the hash of each; in earlier versions one hash over all of a language."""

    @property
    def column(self) -> Column:
        """Which column of a table it belongs to."""
        return Column(self.backbone, self.strategy, self.memory, tuple(sorted(self.variants.items())))

    @property
    def parts(self) -> dict[str, Any]:
        """The models, the strategy and the memory of the consultation, by name."""
        return {
            "doctor": self.backbone,
            "strategy": self.strategy,
            "memory": self.memory,
            **self.variants,
            "patient": self.patient_backbone,
            "RAM": self.ram_backbone,
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
    def exchanges(self) -> dict[int, Turn]:
        """The turns that were answered, by number, as a memory is given them: those of earlier visits, too."""
        replies = {event.turn: event.reply for event in self.of(Answered)}
        results = {event.turn: event.results for event in self.of(Retrieved)}
        date = self.header.date
        return {event.turn: event.told for event in self.of(Visited)} | {
            asked.turn: Turn(
                number=asked.turn,
                question=asked.question,
                reply=replies[asked.turn],
                results=results.get(asked.turn, ""),
                differential=asked.differential,
                at=clock(date, asked.turn) if date else None,
            )
            for asked in self.of(Asked)
            if asked.turn in replies
        }

    def tokens(self) -> int | None:
        """Tokens of all calls; None as soon as one call did not tell."""
        return total(count for called in self.of(Called) for count in (called.tokens_in, called.tokens_out))


_SILENCE = {Language.EN: "(said nothing)", Language.ZH: "（没有说话）"}


def heard(asked: Asked, language: Language) -> str:
    """Return a question as a page shows it; for a doctor that said nothing, say so."""
    return asked.question or _SILENCE[language]


def total(counts: Iterable[N | None]) -> N | None:
    """A sum that is unknown when one part of it is."""
    every = list(counts)
    known = [count for count in every if count is not None]
    return sum(known) if len(known) == len(every) else None
