"""The replies of a consultation, each with what the patient had been given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from osler.eval.course import Course, own_words
from osler.language import Language, Speaker
from osler.records.fields import Age
from osler.records.schema import Diagnosis, Entry, PatientRecord, PersonSheet
from osler.runs.events import Thing


class SpokenExchange(NamedTuple):
    """A question and the reply to it."""

    question: str
    reply: str


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
    """Given for earlier questions, or from the start: telling them is not a fabrication."""
    said: tuple[SpokenExchange, ...] = ()
    """The exchanges before this one."""
    untold: tuple[Thing, ...] = ()
    """Things that were asked for so far and that no entry tells: the record is silent about them,
    or only implies them."""
    softened: frozenset[str] = frozenset()
    """Names of entries that the persona blurs or plays down."""
    told_earlier: tuple[str, ...] = ()
    """What earlier visits told about the questions so far."""
    speaker: Speaker = Speaker.PATIENT
    age: Age | None = None
    person: PersonSheet | None = None
    """What the patient knows of their own life."""

    @cached_property
    def known(self) -> tuple[Entry, ...]:
        """All entries that were given so far, those of this question first."""
        return tuple({entry.name: entry for entry in (*self.entries, *self.earlier)}.values())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All texts that the patient had, but for its own replies."""
        questions = (self.question, *(exchange.question for exchange in self.said))
        age = self.age.label(self.language) if self.age else ""
        sheet = self.person.lines.values() if self.person else ()
        return (
            *questions,
            self.opening,
            age,
            *self.told_earlier,
            *sheet,
            *map(_all_words, self.known),
        )


def _all_words(entry: Entry) -> str:
    return "\n".join((entry.name, *entry.aliases, own_words(entry), entry.when or ""))


class GivenReply(NamedTuple):
    """A reply and what it is compared with."""

    turn: int
    text: str
    context: ReplyContext


def replies_of(course: Course, record: PatientRecord) -> Iterator[GivenReply]:
    """Every reply of a consultation, in order.

    A patient that has the whole record is compared with the whole record.
    """
    earlier: dict[str, Entry] = {}
    if course.patient_has_record:
        earlier = {entry.name: entry for entry in record.entries}
    said: list[SpokenExchange] = []
    untold: dict[str, Thing] = {}
    told_earlier: dict[str, None] = {}
    for exchange in course.exchanges:
        told_earlier |= dict.fromkeys(exchange.told_earlier)
        untold |= {
            thing.name: thing for thing in exchange.things if thing.unrecorded or thing.implied
        }
        if exchange.answer is not None:
            context = ReplyContext(
                language=record.language,
                diagnosis=record.diagnosis,
                question=exchange.question,
                opening=record.complaint,
                entries=exchange.tellable,
                earlier=tuple(earlier.values()),
                said=tuple(said),
                untold=tuple(untold.values()),
                softened=frozenset(exchange.tellings),
                told_earlier=tuple(told_earlier),
                speaker=record.speaker,
                age=record.age,
                person=record.person,
            )
            yield GivenReply(exchange.turn, exchange.answer.reply, context)
        earlier |= {entry.name: entry for entry in exchange.tellable}
        said.append(
            SpokenExchange(exchange.question, exchange.answer.reply if exchange.answer else "")
        )
