"""The replies of a consultation with what the patient had been given, and the verdict on a reply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from osler.eval.course import Course
from osler.eval.reply_parser import all_words
from osler.language import Language, Speaker
from osler.records.fields import Age
from osler.records.schema import Diagnosis, Entry, PatientRecord
from osler.runs.events import Thing


class ClaimKind(StrEnum):
    """What a claim is about."""

    NUMBER = "number"
    DRUG = "drug"
    SYMPTOM = "symptom"
    HISTORY = "history"
    TEST = "test"
    OTHER = "other"
    """A judge did not say, or it is none of these."""


@dataclass(frozen=True)
class UnsupportedClaim:
    """A claim in a reply that nothing the patient was given supports."""

    kind: ClaimKind
    quote: str


@dataclass(frozen=True)
class ReplyVerdict:
    """What is wrong with a reply; all empty if nothing is."""

    leaks: tuple[str, ...] = ()
    """Words that name the diagnosis, or describe it so that it is given away."""
    unsupported: tuple[UnsupportedClaim, ...] = ()
    """Claims that nothing the patient was given supports: the reply fabricates."""
    turned_round: tuple[str, ...] = ()
    """Names of the entries that the reply contradicts."""
    other_language: bool = False
    """A sentence is not in the consultation's language."""

    @property
    def is_untrue(self) -> bool:
        """Whether it fabricates, or contradicts an entry."""
        return bool(self.unsupported or self.turned_round)

    @property
    def is_faithful(self) -> bool:
        """Whether nothing is wrong."""
        return self == ReplyVerdict()


@dataclass(frozen=True)
class JudgedReply:
    """A reply with a fault, and its turn."""

    turn: int
    verdict: ReplyVerdict


@dataclass(frozen=True)
class ReplyContext:
    """What the patient had when it replied."""

    language: Language
    diagnosis: Diagnosis
    question: str = ""
    opening: str = ""
    """The words that the consultation began with."""
    entries: tuple[Entry, ...] = ()
    """Given for this question."""
    earlier: tuple[Entry, ...] = ()
    """Given for earlier questions: repeating them is not a fabrication."""
    earlier_questions: tuple[str, ...] = ()
    unrecorded: tuple[Thing, ...] = ()
    """Things that were asked for and that the record says nothing about."""
    told_earlier: tuple[str, ...] = ()
    """What earlier visits told about the questions so far."""
    speaker: Speaker = Speaker.PATIENT
    age: Age | None = None

    @cached_property
    def known(self) -> tuple[Entry, ...]:
        """All entries that were given so far, those of this question first."""
        return tuple({entry.name: entry for entry in (*self.entries, *self.earlier)}.values())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All texts that a reply may draw on."""
        said = (self.question, self.opening, *self.earlier_questions, *self.told_earlier)
        return (*said, *map(all_words, self.known))


class GivenReply(NamedTuple):
    """A reply and what it is compared with."""

    turn: int
    text: str
    context: ReplyContext


def replies_of(course: Course, record: PatientRecord) -> Iterator[GivenReply]:
    """Every reply of a consultation, in order."""
    earlier: dict[str, Entry] = {}
    questions: list[str] = []
    told_earlier: dict[str, None] = {}
    for one in course.exchanges:
        told_earlier |= dict.fromkeys(one.told_earlier)
        if one.answer is not None:
            context = ReplyContext(
                language=record.language,
                diagnosis=record.diagnosis,
                question=one.question,
                opening=record.complaint,
                entries=one.entries,
                earlier=tuple(earlier.values()),
                earlier_questions=tuple(questions),
                unrecorded=tuple(thing for thing in one.things if thing.unrecorded is not None),
                told_earlier=tuple(told_earlier),
                speaker=record.speaker,
                age=record.age,
            )
            yield GivenReply(one.turn, one.answer.reply, context)
        earlier |= {entry.name: entry for entry in one.entries}
        questions.append(one.question)
