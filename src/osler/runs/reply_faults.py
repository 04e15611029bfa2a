"""What is wrong with a patient's replies, as a run stores it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

READ_FAULTS = ("leaks", "fabrications", "contradictions", "other_language")
"""What a model alone can say of a reply, by the names of `ReplyFaults`."""


@dataclass(frozen=True)
class ReplyFaults:
    """The faults of one reply, each in the reply's own words; all empty if it has none."""

    names_diagnosis: tuple[str, ...] = ()
    """Listed names of the diagnosis that stand in it. This and the next are counted in every
    reply."""
    unknown_digits: tuple[str, ...] = ()
    """Digits that stand in nothing the patient had."""
    leaks: tuple[str, ...] = ()
    """Words that give the diagnosis away. This and what follows is what a model says that read the
    reply."""
    fabrications: tuple[str, ...] = ()
    """Claims that nothing the patient was given supports."""
    contradictions: tuple[str, ...] = ()
    """Claims that say the opposite of an entry, each with the entry's name."""
    other_language: tuple[str, ...] = ()
    """Sentences that are not in the consultation's language."""

    @property
    def is_none(self) -> bool:
        """Whether the reply has no fault."""
        return self == ReplyFaults()


@dataclass(frozen=True)
class FaultyReply:
    """A reply with a fault, by its turn."""

    turn: int
    faults: ReplyFaults


class PatientReading(BaseModel):
    """What a model said of the replies of one consultation that were drawn for it."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    drawn: tuple[int, ...]
    """Turns of the replies that it was asked about."""
    unread: tuple[int, ...] = ()
    """Those of them for which its answer could not be used; they are in no count."""
    faulty: tuple[FaultyReply, ...] = ()

    @property
    def read(self) -> int:
        """How many replies it read."""
        return len(self.drawn) - len(self.unread)

    def count(self, kind: str) -> int:
        """Replies with that kind of fault, one of `READ_FAULTS`."""
        return sum(bool(getattr(reply.faults, kind)) for reply in self.faulty)
