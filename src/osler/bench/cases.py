"""What a data set becomes: the conversations of one person, and questions about them with their gold turns."""

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
    """What is asked of the thing, if the data says it: questions of one relation have answers of one kind."""
    asked_after: int | None = None
    """The last turn before the question; None means that it is asked at the end."""

    @property
    def wanted(self) -> tuple[str, ...]:
        """The parts of the gold answer."""
        return self.parts or ((self.answer,) if self.answer else ())

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
        kept = sorted(draws.sample(range(len(self.questions)), questions))
        return replace(self, questions=tuple(self.questions[place] for place in kept))


class Said(NamedTuple):
    """One message of a conversation."""

    speaker: str
    text: str


@dataclass
class TurnWriter:
    """Pairs messages into turns: one message and the reply of another speaker; a message without one is a reply."""

    turns: list[Turn] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)

    def session(self, messages: Sequence[Said], at: datetime | None = None) -> list[int]:
        """Add a session; return for each message the number of its turn."""
        self.sessions.append(len(self.turns) + 1)
        numbers: list[int] = []
        while len(numbers) < len(messages):
            first, *rest = messages[len(numbers) : len(numbers) + 2]
            pair = [first, *rest] if rest and rest[0].speaker != first.speaker else [first._replace(text=""), first]
            numbers += [len(self.turns) + 1] * (2 if pair[0] is first else 1)
            self._add(pair[0], pair[1], at)
        return numbers

    def _add(self, said: Said, reply: Said, at: datetime | None) -> None:
        self.turns.append(
            Turn(
                number=len(self.turns) + 1,
                question=said.text,
                reply=reply.text,
                asked_by=said.speaker,
                said_by=reply.speaker,
                at=at,
            )
        )


def text_of(turn: Turn) -> str:
    """What was said in a turn, as one text."""
    return f"{turn.question}\n{turn.reply}"


def by_data(cases: Iterable[BenchCase]) -> dict[str, list[BenchCase]]:
    """The cases by data set, in their order."""
    found: dict[str, list[BenchCase]] = {}
    for case in cases:
        found.setdefault(case.data, []).append(case)
    return found
