"""A thought: the smallest unit that Think-in-Memory stores."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from osler.memory.base import FrozenModel


class ThoughtStatus(StrEnum):
    """The state of a thought. Only active ones are recalled; nothing is ever destroyed."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    """A newer thought says otherwise."""
    MERGED = "merged"
    """Another thought holds it and more."""
    FORGOTTEN = "forgotten"


class ThoughtKind(StrEnum):
    """What a thought is about. All but the last are protected: recalled first, never dropped without a successor."""

    ALLERGY = "allergy"
    MEDICINE = "medicine"
    PREGNANCY = "pregnancy"
    CONDITION = "condition"
    """An illness or a past dependence that decides which treatment is safe; only a model marks it."""
    OTHER = "other"


PATIENT = frozenset({"patient", "患者"})
"""The subject of a thought about the patient."""


class Draft(FrozenModel):
    """A thought as it is formed, before it has a place in the space."""

    subject: str
    relation: str
    """In the affirmative, if rules formed it; a model says a denial in its own words."""
    object: str
    sentence: str = ""
    """The words it rests on."""
    asked: str = ""
    """What was asked, if a thought answers it without naming it: `a 15 mm stone` of a scan."""
    negated: bool = False
    certainty: float = Field(default=1.0, ge=0.0, le=1.0)
    is_doctors: bool = False
    """Whether the doctor thought it; else it is what the patient said."""
    reported: str = ""
    """When the thing happened, as it was said: `three days ago`."""
    is_by_model: bool = False
    """Whether a model formed it; else rules did."""
    kind: ThoughtKind = ThoughtKind.OTHER
    """As a model marks it; without a model, found by the words for allergies, medicines and pregnancy."""
    inferred: bool = False
    """Whether nobody said it and a model concluded it."""

    @property
    def is_protected(self) -> bool:
        """Whether a treatment depends on it."""
        return self.kind is not ThoughtKind.OTHER

    @property
    def triple(self) -> str:
        """Subject, relation and object in a row."""
        parts = (self.subject, self.relation, self.object)
        return " ".join(parts if all(parts) else filter(None, parts))


class Thought(Draft):
    """A stored thought: where it comes from and its state."""

    id: int
    turn: int
    """The turn it comes from; of a merged thought, the newest of its parts."""
    also: tuple[int, ...] = ()
    """Other turns in which it was said: the same words may answer more than one question."""
    parts: tuple[int, ...] = ()
    """The thoughts it was merged from."""
    status: ThoughtStatus = ThoughtStatus.ACTIVE
    by: int | None = None
    """The thought that took its place."""
    because: str = ""
    """Why it is no longer active."""

    @property
    def turns(self) -> tuple[int, ...]:
        """Every turn in which it was said."""
        return tuple(sorted({self.turn, *self.also})) if self.also else (self.turn,)
