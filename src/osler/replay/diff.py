"""Two consultations of one patient, laid side by side by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from osler.errors import UserError
from osler.runs.events import Answered, Asked, Concluded
from osler.runs.store import StoredVerdict
from osler.runs.transcript import Transcript


@dataclass(frozen=True)
class Side:
    """One of the two, with what distinguishes it and what the ladder said of it."""

    run: str
    transcript: Transcript
    verdicts: Sequence[StoredVerdict] = ()


@dataclass(frozen=True)
class Row:
    """One turn of both; None where a side has no such turn."""

    turn: int
    left: tuple[str, str] | None
    """Question and reply."""
    right: tuple[str, str] | None

    @property
    def parts_at(self) -> str | None:
        """What differs first in this turn; None when nothing does."""
        if self.left is None or self.right is None:
            return "length"
        if self.left[0] != self.right[0]:
            return "question"
        return "reply" if self.left[1] != self.right[1] else None


@dataclass(frozen=True)
class Parting:
    """Where two consultations first say something else."""

    turn: int
    what: str
    """`question`, `reply`, `length` (one asks, the other concludes), `conclusion` or `ending`."""


def rows(left: Transcript, right: Transcript) -> list[Row]:
    """All turns of both."""
    one, two = _turns(left), _turns(right)
    return [Row(turn, one.get(turn), two.get(turn)) for turn in sorted({*one, *two})]


def parting(left: Transcript, right: Transcript) -> Parting | None:
    """The first difference in what is said; None when there is none."""
    for row in rows(left, right):
        if row.parts_at:
            return Parting(row.turn, row.parts_at)
    last = max(left.turns, right.turns) + 1
    if _conclusion(left) != _conclusion(right):
        return Parting(last, "conclusion")
    return Parting(last, "ending") if left.ending != right.ending else None


def only(one: Transcript, other: Transcript) -> list[str]:
    """The entries that one doctor was told of and the other was not, in their order."""
    told = {name for event in other.of(Answered) for name in event.disclosed}
    return [name for name in dict.fromkeys(_disclosed(one)) if name not in told]


def same_patient(left: Transcript, right: Transcript) -> None:
    """Refuse what cannot be compared.

    Raises:
        UserError: The two are of different patients.
    """
    if left.header.patient != right.header.patient:
        raise UserError(
            f"{left.header.case!r} and {right.header.case!r} are different patients",
            "give two consultations of the same one",
        )


def _turns(transcript: Transcript) -> dict[int, tuple[str, str]]:
    replies = {event.turn: event.reply for event in transcript.of(Answered)}
    return {event.turn: (event.question, replies.get(event.turn, "")) for event in transcript.of(Asked)}


def _conclusion(transcript: Transcript) -> tuple[str, str] | None:
    said: Concluded | None = transcript.conclusion
    return (said.diagnosis, said.treatment) if said else None


def _disclosed(transcript: Transcript) -> list[str]:
    return [name for event in transcript.of(Answered) for name in event.disclosed]
