"""A consultation turn by turn: the one place that gathers events into turns.

A page, a table or a measure that needs to know what happened in a turn reads its `TurnView`.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from osler.language import Language
from osler.memory.base import Change, Recall, Turn
from osler.records.visits import clock
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    Event,
    Failed,
    Intervened,
    JoinedStream,
    Learned,
    LessonsRecalled,
    Recalled,
    Remembered,
    Retrieved,
    Thing,
    Visited,
)

N = TypeVar("N", int, float)
_SILENCE = {Language.EN: "(said nothing)", Language.ZH: "（没有说话）"}


class NumberedCall(NamedTuple):
    """A call of a model, and the place of its event in the transcript."""

    number: int
    call: Called


@dataclass(frozen=True)
class TurnView:
    """What happened in one turn, and behind it.

    Turns of earlier visits have numbers below 1. The conclusion has a turn of its own, without a
    question.
    """

    number: int
    visited: Visited | None = None
    """The exchange of an earlier visit that the memory heard; such a turn has nothing else."""
    recalls: tuple[Recalled, ...] = ()
    """What the memory recalled before the doctor's move: once, or once more to conclude."""
    lessons: tuple[LessonsRecalled, ...] = ()
    asked: Asked | None = None
    retrieved: Retrieved | None = None
    answered: Answered | None = None
    remembered: Remembered | None = None
    """What the memory made of this exchange, though that happened beside the next question."""
    interventions: tuple[Intervened, ...] = ()
    calls: tuple[NumberedCall, ...] = ()
    concluded: Concluded | None = None
    joined: JoinedStream | None = None
    learned: Learned | None = None
    failed: Failed | None = None

    @property
    def question(self) -> str:
        """What the doctor asked, now or at an earlier visit; empty if it said nothing."""
        if self.visited is not None:
            return self.visited.told.question
        if self.asked:
            return self.asked.question
        return ""

    @property
    def reply(self) -> str | None:
        """What the patient replied; None if it did not come to a reply."""
        if self.visited is not None:
            return self.visited.told.reply
        if self.answered:
            return self.answered.reply
        return None

    @property
    def results(self) -> str:
        """The reports that were given to the doctor directly."""
        if self.visited is not None:
            return self.visited.told.results
        if self.retrieved:
            return self.retrieved.results
        return ""

    @property
    def asked_for(self) -> tuple[str, ...]:
        """Concepts and categories that were read from the question."""
        if self.retrieved:
            return self.retrieved.asked_for
        return ()

    @property
    def things(self) -> tuple[Thing, ...]:
        """The things that were asked for, one by one, if a model read the question."""
        return self.retrieved.things if self.retrieved else ()

    @property
    def retrieved_names(self) -> tuple[str, ...]:
        """The entries that were retrieved, by name."""
        if self.retrieved:
            return tuple(entry.name for entry in self.retrieved.entries)
        return ()

    @property
    def disclosed(self) -> tuple[str, ...]:
        """The names of those that the reply discloses."""
        if self.answered:
            return self.answered.disclosed
        return ()

    @property
    def recalled(self) -> Recalled | None:
        """What the doctor last had from its memory before its move."""
        if self.recalls:
            return self.recalls[-1]
        return None

    @property
    def recall(self) -> Recall | None:
        """The same without its query."""
        if self.recalled:
            return self.recalled.recall
        return None

    @property
    def change(self) -> Change | None:
        """What this exchange changed in the memory."""
        if self.remembered:
            return self.remembered.change
        return None

    @property
    def tokens_in(self) -> int | None:
        """Tokens that the calls of the turn read; None if one of them did not tell."""
        return total(numbered.call.tokens_in for numbered in self.calls)

    @property
    def tokens_out(self) -> int | None:
        """Tokens that they wrote; None if one of them did not tell."""
        return total(numbered.call.tokens_out for numbered in self.calls)

    def shown_question(self, language: Language) -> str:
        """The question as a page shows it; for a doctor that said nothing, it says so."""
        return self.question or _SILENCE[language]

    def exchange(self, date: datetime.date | None = None) -> Turn | None:
        """The turn as a memory is given it; None if nothing was asked or answered.

        Args:
            date: The day of the consultation, if the memory heard earlier visits first.
        """
        if self.visited is not None:
            return self.visited.told
        if self.asked is None or self.answered is None:
            return None
        return Turn(
            number=self.number,
            question=self.question,
            reply=self.answered.reply,
            results=self.results,
            differential=self.asked.differential,
            at=clock(date, self.number) if date else None,
        )


class EarlierVisit(NamedTuple):
    """What was said at one earlier visit, or in small talk after it."""

    number: int
    filler: bool
    """Small talk, of which the record says nothing."""
    exchanges: tuple[Turn, ...]


_LISTS: dict[type[Event], str] = {
    Recalled: "recalls",
    LessonsRecalled: "lessons",
    Intervened: "interventions",
}
"""Events that a turn may have several of."""
_SINGLE: dict[type[Event], str] = {
    Visited: "visited",
    Asked: "asked",
    Retrieved: "retrieved",
    Answered: "answered",
    Remembered: "remembered",
    Concluded: "concluded",
    JoinedStream: "joined",
    Learned: "learned",
    Failed: "failed",
}
"""Events that a turn has at most one of; the last one counts."""


def turn_views(events: Sequence[Event]) -> tuple[TurnView, ...]:
    """Gather the events of a consultation, or of one under way, into turns."""
    turns: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for number, event in enumerate(events):
        turn = turns[event.of if isinstance(event, Remembered) else event.turn]
        kind = type(event)
        if isinstance(event, Called):
            turn.setdefault("calls", []).append(NumberedCall(number, event))
        elif kind in _LISTS:
            turn.setdefault(_LISTS[kind], []).append(event)
        else:
            turn[_SINGLE[kind]] = event
    return tuple(
        TurnView(number, **{name: _frozen(value) for name, value in turn.items()})
        for number, turn in sorted(turns.items())
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return value


def earlier_visits(turns: Iterable[TurnView]) -> list[EarlierVisit]:
    """What was said before the consultation: visits, and small talk after each, in order."""
    visited = [turn.visited for turn in turns if turn.visited is not None]
    visits = []
    for (number, filler), events in groupby(visited, key=lambda event: (event.visit, event.filler)):
        visits.append(EarlierVisit(number, filler, tuple(event.told for event in events)))
    return visits


def total(counts: Iterable[N | None]) -> N | None:
    """A sum that is unknown when one part of it is."""
    numbers = list(counts)
    known = [number for number in numbers if number is not None]
    if len(known) == len(numbers):
        return sum(known)
    return None
