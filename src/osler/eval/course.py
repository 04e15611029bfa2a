"""A consultation as its exchanges, and when each entry of the record came up in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from osler.eval.oracle import asks_for
from osler.records.schema import Entry, PatientRecord
from osler.runs.events import Answered, Asked, Maker, Retrieved, Thing
from osler.runs.transcript import Transcript


@dataclass(frozen=True)
class CourseExchange:
    """A question, the entries it brought, and the reply; none where the consultation broke off before it."""

    turn: int
    question: str
    maker: Maker
    """Of the question."""
    entries: tuple[Entry, ...]
    """What RAM brought, and so what the patient could answer from."""
    asked: tuple[str, ...]
    """Names of those that were asked for (`asked_for`)."""
    things: tuple[Thing, ...]
    """What was asked for, thing by thing, where a model read the question."""
    answer: Answered | None


@dataclass(frozen=True)
class Course:
    """What came up when."""

    exchanges: tuple[CourseExchange, ...]
    asked: dict[str, int]
    """For each entry that was asked for, by name, the turn in which it first was."""
    told: dict[str, int]
    """For each entry that was disclosed, the turn in which it first was."""

    @classmethod
    def of(cls, transcript: Transcript, record: PatientRecord) -> Course:
        """Read a transcript; names that the record does not have are passed over."""
        entries = {entry.name: entry for entry in record.entries}
        return cls._over(tuple(_exchanges(transcript, record)), entries)

    @property
    def own(self) -> Course:
        """What the doctor itself asked: without the questions of its strategy, and without silent turns."""
        return self._over(tuple(one for one in self.exchanges if one.maker.is_own), self.asked)

    @classmethod
    def _over(cls, exchanges: tuple[CourseExchange, ...], known: Collection[str]) -> Course:
        told = _first((one.turn, one.answer.disclosed) for one in exchanges if one.answer is not None)
        asked = _first((one.turn, one.asked) for one in exchanges)
        return cls(exchanges, _only(asked, known), _only(told, known))


def _exchanges(transcript: Transcript, record: PatientRecord) -> Iterator[CourseExchange]:
    """Events follow each other as asked, retrieved, answered; what lies between them is of no concern here."""
    asked: Asked | None = None
    found: Retrieved | None = None
    for event in transcript.events:
        if isinstance(event, Asked):
            if asked is not None:
                yield _exchange(record, asked, found)
            asked, found = event, None
        elif isinstance(event, Retrieved):
            found = event
        elif isinstance(event, Answered):
            yield _exchange(record, asked, found, event)
            asked, found = None, None
    if asked is not None:
        yield _exchange(record, asked, found)


def _exchange(
    record: PatientRecord, asked: Asked | None, found: Retrieved | None, answer: Answered | None = None
) -> CourseExchange:
    question, maker = (asked.question, asked.maker) if asked else ("", Maker.SILENT)
    turn = answer.turn if answer else asked.turn if asked else 0
    brought = {one.name for one in found.entries} if found else set[str]()
    return CourseExchange(
        turn,
        question,
        maker,
        entries=tuple(entry for entry in record.entries if entry.name in brought),
        asked=asked_for(record, question, found, answer),
        things=found.things if found else (),
        answer=answer,
    )


def asked_for(
    record: PatientRecord, question: str, found: Retrieved | None, answer: Answered | None
) -> tuple[str, ...]:
    """Names of the entries that a question asked for, as far as two readers agree.

    RAM brought them. Where a model is RAM, they are also told in the reply, or named in the question: a
    small model brings half of the record for any question, and that is not the doctor's merit.
    """
    told = answer.disclosed if answer else ()
    if found is None:
        return told
    brought = tuple(one.name for one in found.entries)
    if found.maker is Maker.RULES:
        return tuple(dict.fromkeys((*brought, *told)))
    if set(brought) <= set(told):
        return brought
    named = {entry.name for entry in record.entries if asks_for(question, entry, record.language)}
    return tuple(name for name in brought if name in told or name in named)


def _first(rows: Iterable[tuple[int, Iterable[str]]]) -> dict[str, int]:
    first: dict[str, int] = {}
    for turn, names in rows:
        for name in names:
            first.setdefault(name, turn)
    return first


def _only(turns: dict[str, int], known: Collection[str]) -> dict[str, int]:
    return {name: turn for name, turn in turns.items() if name in known}
