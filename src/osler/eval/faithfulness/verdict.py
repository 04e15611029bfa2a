"""What a ruler is shown of a reply, and what it says of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from osler.language import Language, Speaker
from osler.records.fields import Age
from osler.records.schema import Diagnosis, Entry
from osler.runs.events import Thing


class ClaimKind(StrEnum):
    """What a claim is about."""

    NUMBER = "number"
    DRUG = "drug"
    SYMPTOM = "symptom"
    HISTORY = "history"
    TEST = "test"
    OTHER = "other"
    """A ruler did not say, or it is none of these."""


@dataclass(frozen=True)
class Claim:
    """Something a reply says that nothing handed over supports."""

    kind: ClaimKind
    quote: str


@dataclass(frozen=True)
class ReplyContext:
    """What the patient had when it replied."""

    language: Language
    diagnosis: Diagnosis
    question: str = ""
    opening: str = ""
    """The words that the consultation began with."""
    entries: tuple[Entry, ...] = ()
    """Handed over for this question."""
    earlier: tuple[Entry, ...] = ()
    """Handed over for earlier questions: to repeat them is no fabrication."""
    earlier_questions: tuple[str, ...] = ()
    unrecorded: tuple[Thing, ...] = ()
    """Things that were asked for and that the record says nothing about."""
    speaker: Speaker = Speaker.PATIENT
    age: Age | None = None

    @property
    def known(self) -> tuple[Entry, ...]:
        """All entries that were handed over so far, those of this question first."""
        return tuple(dict.fromkeys((*self.entries, *self.earlier)))


@dataclass(frozen=True)
class ReplyVerdict:
    """What is wrong with a reply; nothing where all is empty."""

    leaks: tuple[str, ...] = ()
    """Words that name the diagnosis, or describe it so that it is given away."""
    unsupported: tuple[Claim, ...] = ()
    """Claims that nothing handed over supports: the reply fabricates."""
    turned_round: tuple[str, ...] = ()
    """Entries of which the reply says the opposite, by name."""
    other_language: bool = False
    """A sentence is not in the consultation's language."""

    @property
    def is_faithful(self) -> bool:
        """Whether nothing is wrong."""
        return self == ReplyVerdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ReplyVerdict:
        """As it was stored."""
        claims = tuple(Claim(ClaimKind(one["kind"]), str(one["quote"])) for one in data["unsupported"])
        return cls(tuple(data["leaks"]), claims, tuple(data["turned_round"]), bool(data["other_language"]))


@dataclass(frozen=True)
class JudgedReply:
    """The reply of a turn that something is wrong with."""

    turn: int
    verdict: ReplyVerdict


def by_turn(faults: Iterable[Mapping[str, Any]]) -> dict[int, ReplyVerdict]:
    """Stored verdicts, by the turn of the reply."""
    return {int(one["turn"]): ReplyVerdict.from_json(one["verdict"]) for one in faults}
