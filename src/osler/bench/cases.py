"""What a data set becomes: conversations of a person, and questions with their gold turns."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from osler.language import Language
from osler.memory.base import Turn


class QuestionKind(StrEnum):
    """What answering takes."""

    SINGLE = "single"
    """One turn tells it."""
    MULTI = "multi"
    """Several turns tell it together."""
    TEMPORAL = "temporal"
    """When something was."""
    UPDATE = "update"
    """What holds now, after it has changed."""
    OPEN = "open"
    """Something that has to be concluded from what was said."""
    UNANSWERABLE = "unanswerable"
    """Nothing that was said answers it; the right answer is that it is not known."""


@dataclass(frozen=True)
class BenchQuestion:
    """One question about a person's conversations."""

    text: str
    answer: str = ""
    """The gold answer; empty if the data has none."""
    parts: tuple[str, ...] = ()
    """What a right answer contains, each by itself; empty if the answer is one whole."""
    turns: frozenset[int] = frozenset()
    """The gold turns; empty if they are not known."""
    kind: QuestionKind = QuestionKind.SINGLE
    relation: str = ""
    """What is asked of the thing, if the data says it.

    Questions of one relation have answers of one kind."""
    asked_after: int | None = None
    """The last turn before the question; None means that it is asked at the end."""

    @property
    def wanted(self) -> tuple[str, ...]:
        """The parts of the gold answer."""
        if self.parts or not self.answer:
            return self.parts
        return (self.answer,)

    def with_turns(self, turns: Iterable[int]) -> BenchQuestion:
        """The question with other gold turns."""
        return replace(self, turns=frozenset(turns))


@dataclass(frozen=True)
class BenchCase:
    """The conversations of one person, and what is asked about them."""

    person: str
    """Unique in its data set."""
    data: str
    """The data set, as the table names it: `gvd en`."""
    language: Language
    turns: tuple[Turn, ...]
    """In their order, numbered from 1; a turn's date is that of its session."""
    questions: tuple[BenchQuestion, ...]
    sessions: tuple[int, ...] = (1,)
    """The number of the first turn of each session."""
    left_out: int = 0
    """Questions of the data that are not asked, since no turn answers them."""

    def sampled(self, questions: int | None, draws: random.Random) -> BenchCase:
        """The case with so many of its questions, drawn, in their order."""
        if questions is None or questions >= len(self.questions):
            return self
        places = sorted(draws.sample(range(len(self.questions)), questions))
        return replace(self, questions=tuple(self.questions[place] for place in places))


class Message(NamedTuple):
    """One message of a conversation."""

    speaker: str
    text: str


@dataclass
class TurnWriter:
    """Pairs messages into turns: a message, and the reply of another speaker if it has one.

    A message without a reply becomes the reply of a turn without a question.
    """

    turns: list[Turn] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)

    def session(self, messages: Sequence[Message], at: datetime | None = None) -> list[int]:
        """Add a session; return for each message the number of its turn."""
        self.sessions.append(len(self.turns) + 1)
        numbers: list[int] = []
        while len(numbers) < len(messages):
            place = len(numbers)
            message = messages[place]
            following = messages[place + 1] if place + 1 < len(messages) else None
            if following is not None and following.speaker != message.speaker:
                number = self._add(message, following, at)
                numbers += [number, number]
            else:
                number = self._add(message._replace(text=""), message, at)
                numbers.append(number)
        return numbers

    def _add(self, question: Message, reply: Message, at: datetime | None) -> int:
        """Add a turn; return its number."""
        number = len(self.turns) + 1
        turn = Turn(
            number=number,
            question=question.text,
            reply=reply.text,
            asked_by=question.speaker,
            said_by=reply.speaker,
            at=at,
        )
        self.turns.append(turn)
        return number


def text_of(turn: Turn) -> str:
    """What was said in a turn, as one text."""
    return f"{turn.question}\n{turn.reply}"


def by_data(cases: Iterable[BenchCase]) -> dict[str, list[BenchCase]]:
    """The cases by data set, in their order."""
    groups: dict[str, list[BenchCase]] = {}
    for case in cases:
        groups.setdefault(case.data, []).append(case)
    return groups
