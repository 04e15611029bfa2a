"""A fact: the smallest unit that memories form, store, rank, tell and recall."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from osler.language.words import plain
from osler.memory.core.frozen_model import FrozenModel


class FactStatus(StrEnum):
    """The state of a stored fact. Only active facts are recalled; nothing is ever destroyed."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    """A newer fact says otherwise."""
    MERGED = "merged"
    """Another fact holds it and more."""
    FORGOTTEN = "forgotten"


class FactKind(StrEnum):
    """What a fact is about.

    The first four are protected: recalled first, never dropped without a successor. Only a model
    marks what is `condition`, `open`, `deciding` or `trivial`.
    """

    ALLERGY = "allergy"
    MEDICINE = "medicine"
    PREGNANCY = "pregnancy"
    CONDITION = "condition"
    """An illness or a past dependence that decides which treatment is safe."""
    OPEN = "open"
    """Something of earlier that is under way, and whose outcome nobody has told yet."""
    DECIDING = "deciding"
    """A finding that the diagnosis hangs on more than on others."""
    OTHER = "other"
    TRIVIAL = "trivial"
    """Personal talk on which neither a diagnosis nor a treatment depends."""


PROTECTED = (FactKind.ALLERGY, FactKind.MEDICINE, FactKind.PREGNANCY, FactKind.CONDITION)
"""What a treatment depends on, in the order in which a recall tells it."""
PATIENT = frozenset({"patient", "患者"})
"""The subject of a fact about the patient."""
FactKey = tuple[str | float, ...]
"""What a fact says, to compare it with another one."""


class Fact(FrozenModel):
    """One fact, from the answer that it is formed of to the recall that tells it."""

    subject: str
    """What it is about: `patient` or `患者`, a relative, or a thing that was measured."""
    relation: str
    """What holds between them, in the affirmative if rules formed it: `has`, `takes`, `shows`; a
    model says a denial in its own words."""
    object: str
    denied: bool = False
    """Whether it is not so."""
    turn: int = 0
    """The turn it comes from; of a merged fact, the newest of its parts."""
    at: datetime | None = None
    """When it was said, in a recall, if the turn has a time."""
    score: float = 1.0
    """How well it fits the query of a recall; all equal if the memory does not rank its facts."""
    kind: FactKind = FactKind.OTHER
    """As a model marks it; without a model, found by the words for allergies, medicines and
    pregnancy."""
    reported: str = ""
    """When the thing happened, as it was said: `three days ago`."""
    asked: str = ""
    """What was asked, if a fact answers it without naming it: `a 15 mm stone` of a scan."""
    sentence: str = ""
    """The words it rests on."""
    certainty: float = Field(default=1.0, ge=0.0, le=1.0)
    is_doctors: bool = False
    """Whether the doctor thought it; else it is what the patient said."""
    is_by_model: bool = False
    """Whether a model formed it; else rules did."""
    inferred: bool = False
    """Whether nobody said it and a model concluded it."""
    unknown: bool = False
    """Whether it only says that something is not known."""
    id: int = 0
    """Its number in a memory, from 1; 0 before it is stored."""
    also: tuple[int, ...] = ()
    """Other turns in which it was said: the same words may answer more than one question."""
    parts: tuple[int, ...] = ()
    """The facts it was merged from."""
    status: FactStatus = FactStatus.ACTIVE
    by: int | None = None
    """The fact that took its place."""
    because: str = ""
    """Why it is no longer active."""

    @model_serializer(mode="wrap")
    def _without_defaults(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Most fields of most facts have their defaults: runs and stores leave them out."""
        fields = type(self).model_fields
        return {
            name: value
            for name, value in dump(self).items()
            if name in _ALWAYS or getattr(self, name) != fields[name].default
        }

    @property
    def is_protected(self) -> bool:
        """Whether a treatment depends on it."""
        return self.kind in PROTECTED

    @property
    def triple(self) -> str:
        """Subject, relation and object in a row."""
        parts = (self.subject, self.relation, self.object)
        return " ".join(parts if all(parts) else filter(None, parts))

    @property
    def key(self) -> FactKey:
        """All that it says, without the sentence it rests on.

        Two facts with the same key are one fact.
        """
        words = (self.subject, self.relation, self.object, self.asked, self.reported)
        marks = (self.denied, self.certainty, self.kind, self.inferred, self.unknown)
        return (*map(plain, words), *marks)

    @property
    def opposite(self) -> Fact:
        """The same fact, denied if this one is affirmed and affirmed if this one is denied."""
        return self.model_copy(update={"denied": not self.denied})

    @property
    def turns(self) -> tuple[int, ...]:
        """Every turn in which it was said."""
        return tuple(sorted({self.turn, *self.also})) if self.also else (self.turn,)


_ALWAYS = frozenset({"subject", "relation", "object", "denied", "turn", "at", "score"})
"""Fields that are written even with their defaults: what a recalled fact is read by."""
