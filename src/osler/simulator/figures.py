"""The figures of one consultation that tables need, counted once, so that no table has to read transcripts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from osler.events import Called, Failed, Maker
from osler.simulator.transcript import Transcript, total


@dataclass(frozen=True)
class Figures:
    """One row of a run."""

    ending: str
    diagnosis: str
    treatment: str
    turns: int
    repeats: int
    replies: int
    replaced: int
    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    seconds: float
    failure: str | None
    """The kind of what went wrong, where something did."""
    message: str | None

    @classmethod
    def of(cls, transcript: Transcript) -> Figures:
        """Count."""
        conclusion, replies, calls = transcript.conclusion, transcript.replies, transcript.of(Called)
        failed = next(iter(transcript.of(Failed)), None)
        answered = [call for call in calls if call.failure is None]
        costs = [call.cost for call in answered]
        unpriced = None in costs or bool(calls and not answered)
        return cls(
            ending=transcript.ending.value,
            diagnosis=conclusion.diagnosis if conclusion else "",
            treatment=conclusion.treatment if conclusion else "",
            turns=transcript.turns,
            repeats=transcript.repeats,
            replies=len(replies),
            replaced=sum(reply.maker is Maker.RULES for reply in replies),
            calls=len(calls),
            tokens_in=total(call.tokens_in for call in answered),
            tokens_out=total(call.tokens_out for call in answered),
            cost=None if unpriced else sum(one for one in costs if one is not None),
            seconds=transcript.events[-1].at if transcript.events else 0.0,
            failure=failed.kind if failed else None,
            message=failed.message if failed else None,
        )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the figures, in order."""
        return tuple(field.name for field in fields(cls))
