"""The messages between the participants of a consultation."""

from __future__ import annotations

import datetime

from pydantic import BaseModel, ConfigDict, Field

from osler.language import Language, Speaker
from osler.memory.base import Recall
from osler.records.schema import Entry, Persona, PersonSheet, Sex
from osler.records.visits import PastExchange, clock
from osler.runs.events import Maker, Telling, Thing
from osler.runs.lessons import LessonRecall
from osler.settings.personas import PersonaFactors


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class Case(_Message):
    """What a doctor may know before the first question."""

    language: Language
    age: str
    years: float = 40.0
    sex: Sex
    complaint: str
    speaker: Speaker
    persona: Persona = Persona.PLAIN
    factors: PersonaFactors | None = None
    """The persona that the run sets; None: as the record has it."""
    patient_bias: str | None = None
    today: datetime.date | None = None
    """The day of the consultation, if the patient has been here before."""
    visited: tuple[datetime.date, ...] = ()
    """The days of earlier visits."""

    def at(self, turn: int) -> datetime.datetime | None:
        """When a turn of the consultation is; None without a calendar."""
        return clock(self.today, turn) if self.today else None


class Briefing(_Message):
    """All that the doctor has when it decides on its next step."""

    case: Case
    turn: int
    turns_left: int
    """Questions it may still ask; 0 means it must conclude now."""
    question: str = ""
    """Its last question; empty on the first turn, and after a turn in which it said nothing."""
    reply: str
    """The patient's last reply.

    It is the opening complaint on the first turn, and empty after a turn without a question.
    """
    results: str = ""
    """Reports that the doctor was given with the last reply, in the record's words."""
    recall: Recall = Recall()
    """What its memory recalled of earlier turns; a prompt has it as text."""
    lessons: LessonRecall = LessonRecall()
    """What it recalls of earlier patients; empty without experience."""


class Question(_Message):
    """One question to the patient, and how it came about."""

    text: str
    """Empty if the doctor said nothing."""
    maker: Maker = Maker.RULES
    differential: tuple[str, ...] = ()
    """What it thinks of, the likeliest first; its memory is given this with the turn."""


class Exchange(_Message):
    """A question and the reply to it."""

    question: str
    reply: str


class Enquiry(_Message):
    """A question on its way to the record, with what was said before it."""

    text: str
    conversation: tuple[Exchange, ...] = ()
    """The exchanges so far, in order."""

    @property
    def before(self) -> Exchange | None:
        """The exchange before the question: it tells what "it" is in "and does it itch?"."""
        return self.conversation[-1] if self.conversation else None


class Conclusion(_Message):
    """How a doctor ends."""

    diagnosis: str
    treatment: str
    differential: tuple[str, ...] = ()
    reasoning: str = ""
    codes: tuple[tuple[str, ...], ...] = ()
    """The ICD-10 codes of the diagnosis and of each of the differential.

    Rules give them; a model gives none.
    """
    steps: tuple[tuple[str, ...], ...] = ()
    """What the plan consists of, each step by all its names, where rules made it.

    It is judged by them.
    """
    in_part: tuple[str, ...] = ()
    """Names of what these steps give only in part."""


class ReadyToConclude(_Message):
    """The doctor has asked enough, and is next asked to conclude, with `turns_left` 0."""


class Selection(_Message):
    """The doctor's question with the entries it asks for: all that the patient may answer from."""

    case: Case
    question: str
    entries: tuple[Entry, ...]
    scores: tuple[float, ...] = ()
    asked_for: tuple[str, ...] = ()
    things: tuple[Thing, ...] = ()
    """The things that were asked for, one by one, if a model read the question; by rules only those
    that the person sheet tells."""
    maker: Maker = Maker.RULES
    """Who chose the entries."""
    results: str = ""
    """Reports that are given to the doctor directly; the patient does not report them."""
    reported: tuple[str, ...] = ()
    """Names of the entries whose reports these are."""
    earlier: tuple[str, ...] = ()
    """Names of the entries that were told at an earlier visit.

    Nobody tells or reports them again.
    """
    past: tuple[PastExchange, ...] = ()
    """Exchanges of earlier visits about what was asked for, as far as no entry tells it now."""
    past_again: tuple[PastExchange, ...] = ()
    """Exchanges of earlier visits that the patient tells once more."""
    told_again: tuple[str, ...] = ()
    """Names of entries that were told at an earlier visit and are told once more."""
    tellings: dict[str, Telling] = Field(default_factory=dict)
    """How the patient's persona tells entries that it does not tell plainly, by name."""
    person: PersonSheet | None = None
    """What the patient knows of their own life."""
    conversation: tuple[Exchange, ...] = ()
    """The exchanges before the question, in order."""

    @property
    def known(self) -> tuple[Entry, ...]:
        """The entries that the patient reports."""
        elsewhere = {*self.reported, *self.earlier, *self.hidden}
        return tuple(entry for entry in self.entries if entry.name not in elsewhere)

    @property
    def hidden(self) -> frozenset[str]:
        """The names of the entries that the persona does not tell."""
        return frozenset(name for name, telling in self.tellings.items() if telling.is_hidden)


class Reply(_Message):
    """What the patient said, and how it came about."""

    text: str
    maker: Maker
