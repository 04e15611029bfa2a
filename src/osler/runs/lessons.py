"""Lessons that a doctor keeps from earlier patients, as transcripts store them."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from osler.language import Language
from osler.memory.base import FrozenModel

EXPERIENCE, STAGE = "experience", "stage"
"""Names of the variants of a column: what the doctor is told after a case, and whether its cases
are held again."""


class Stage(StrEnum):
    """Which part of a stream a consultation belongs to."""

    LEARNING = "learning"
    """Lessons are kept from it."""
    TRANSFER = "transfer"
    """A patient after the last lesson: nothing is learned from it."""
    AGAIN = "again"
    """One of the first patients, held once more with all lessons but their own."""


class Lesson(FrozenModel):
    """What a doctor keeps from one patient."""

    case: str
    """The record it comes from."""
    language: Language
    when: str
    """When it applies, in words."""
    text: str
    """What to do or think of then."""
    findings: dict[str, bool] = Field(default_factory=dict)
    """The patient's findings, present or absent, by the names of the rules doctor; a model's lesson
    has none."""
    given: str = ""
    """The rules doctor's own diagnosis, by its id."""
    given_was: bool | None = None
    """Whether that was right; None if nobody said."""
    truth: str = ""
    """The true diagnosis by its id, if the doctor was told it and has it."""
    diagnosis: str = ""
    """The true diagnosis in the record's words, if the doctor was told it."""
    treatment: str = ""


class LessonFit(FrozenModel):
    """A lesson that was recalled, and how well it fits what is known of the patient."""

    lesson: Lesson
    fit: float
    nearness: float
    """How near the lesson's patient is to this one, from 0 to 1."""


class LessonRecall(FrozenModel):
    """The lessons that a doctor has for its next step."""

    text: str = ""
    """As a prompt has it; empty if there is none."""
    lessons: tuple[LessonFit, ...] = ()

    def __str__(self) -> str:
        """The text."""
        return self.text


class NearCase(FrozenModel):
    """An earlier case whose lessons were kept away."""

    case: str
    nearness: float
    same_patient: bool
