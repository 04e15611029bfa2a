"""A consultation as its exchanges, and when each entry of the record came up in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from osler.events import Answered, Asked, Maker, Retrieved, Thing
from osler.records.schema import Entry, PatientRecord
from osler.simulator.transcript import Transcript


@dataclass(frozen=True)
class Exchange:
    """A question, the entries it asked for, and the reply; none where the consultation broke off before it."""

    turn: int
    question: str
    maker: Maker
    """Of the question."""
    entries: tuple[Entry, ...]
    things: tuple[Thing, ...]
    """What was asked for, thing by thing, where a model read the question."""
    answer: Answered | None


@dataclass(frozen=True)
class Course:
    """What came up when."""

    exchanges: tuple[Exchange, ...]
    asked: dict[str, int]
    """For each entry that was retrieved or disclosed, by name, the turn in which it first was."""
    told: dict[str, int]
    """For each entry that was disclosed, the turn in which it first was."""

    @classmethod
    def of(cls, transcript: Transcript, record: PatientRecord) -> Course:
        """Read a transcript; names that the record does not have are passed over."""
        entries = {entry.name: entry for entry in record.entries}
        return cls._over(tuple(_exchanges(transcript, entries)), entries)

    @property
    def own(self) -> Course:
        """What the doctor itself asked: without the questions of its strategy, and without silent turns."""
        return self._over(tuple(one for one in self.exchanges if one.maker.is_own), self.asked)

    @classmethod
    def _over(cls, exchanges: tuple[Exchange, ...], known: Collection[str]) -> Course:
        told = _first((one.turn, one.answer.disclosed) for one in exchanges if one.answer is not None)
        asked = _first((one.turn, [entry.name for entry in one.entries]) for one in exchanges)
        both = {name: min(told.get(name, turn), turn) for name, turn in {**told, **asked}.items()}
        return cls(exchanges, _only(both, known), _only(told, known))


def _exchanges(transcript: Transcript, entries: dict[str, Entry]) -> Iterator[Exchange]:
    """Events follow each other as asked, retrieved, answered; what lies between them is of no concern here."""
    asked: Asked | None = None
    found: tuple[Entry, ...] = ()
    things: tuple[Thing, ...] = ()
    for event in transcript.events:
        if isinstance(event, Asked):
            if asked is not None:
                yield _exchange(asked, found, things)
            asked, found, things = event, (), ()
        elif isinstance(event, Retrieved):
            found = tuple(entries[one.name] for one in event.entries if one.name in entries)
            things = event.things
        elif isinstance(event, Answered):
            yield _exchange(asked, found, things, event)
            asked, found, things = None, (), ()
    if asked is not None:
        yield _exchange(asked, found, things)


def _exchange(
    asked: Asked | None, found: tuple[Entry, ...], things: tuple[Thing, ...], answer: Answered | None = None
) -> Exchange:
    question, maker = (asked.question, asked.maker) if asked else ("", Maker.SILENT)
    turn = answer.turn if answer else asked.turn if asked else 0
    return Exchange(turn, question, maker, found, things, answer)


def _first(rows: Iterable[tuple[int, Iterable[str]]]) -> dict[str, int]:
    first: dict[str, int] = {}
    for turn, names in rows:
        for name in names:
            first.setdefault(name, turn)
    return first


def _only(turns: dict[str, int], known: Collection[str]) -> dict[str, int]:
    return {name: turn for name, turn in turns.items() if name in known}
