"""Interviews between doctors and people who act patients, as the doctor's turns with replies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from osler.language import Language

_STAGE_DIRECTION = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]|【[^【】]*】|<[^<>]*>")


class Side(StrEnum):
    """Who speaks in an interview."""

    DOCTOR = "doctor"
    PATIENT = "patient"


class SpokenTurn(NamedTuple):
    """What one side said before the other spoke again."""

    speaker: Side
    text: str


class HumanExchange(NamedTuple):
    """A doctor's turn and the reply to it."""

    question: str
    reply: str


@dataclass(frozen=True)
class Interview:
    """One interview of a human doctor with a person who acts the patient."""

    id: str
    language: Language
    exchanges: tuple[HumanExchange, ...]
    record: str = ""
    """The record of the case, where the interview names it."""

    @property
    def case(self) -> str:
        """The name by which its record is found."""
        return self.record or self.id


def speech(text: str) -> str:
    """What is said in a turn: without stage directions, which stand in brackets."""
    # Once more while there are any: brackets may stand in brackets.
    while (without := _STAGE_DIRECTION.sub(" ", text)) != text:
        text = without
    return " ".join(text.split())


def exchanges_of(turns: Iterable[SpokenTurn]) -> tuple[HumanExchange, ...]:
    """Pair the doctor's turns with the replies.

    Turns of one side that follow each other are one turn. A doctor's turn without a reply, as at
    the end, and what a patient says before the first question are left out.
    """
    exchanges: list[HumanExchange] = []
    question: list[str] = []
    reply: list[str] = []

    def close() -> None:
        if question and reply:
            exchanges.append(HumanExchange(" ".join(question), " ".join(reply)))

    for turn in turns:
        text = speech(turn.text)
        if not text:
            continue
        if turn.speaker is Side.PATIENT:
            if question:
                reply.append(text)
            continue
        if reply:
            close()
            question, reply = [], []
        question.append(text)
    close()
    return tuple(exchanges)
