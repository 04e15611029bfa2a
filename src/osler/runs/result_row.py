"""The figures of one consultation that tables need, counted once, so that no table has to read transcripts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from osler.runs.events import Called, Failed
from osler.runs.makers import Usage
from osler.runs.transcript import Transcript


@dataclass(frozen=True)
class ResultRow:
    """One row of a run."""

    ending: str
    diagnosis: str
    treatment: str
    turns: int
    repeats: int
    replies: int
    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    seconds: float
    failure: str | None
    """The kind of what went wrong, where something did."""
    message: str | None

    @classmethod
    def of(cls, transcript: Transcript) -> ResultRow:
        """Count."""
        conclusion, replies, calls = transcript.conclusion, transcript.replies, transcript.of(Called)
        failed = next(iter(transcript.of(Failed)), None)
        used = Usage.of(calls)
        return cls(
            ending=transcript.ending.value,
            diagnosis=conclusion.diagnosis if conclusion else "",
            treatment=conclusion.treatment if conclusion else "",
            turns=transcript.turns,
            repeats=transcript.repeats,
            replies=len(replies),
            calls=used.calls,
            tokens_in=used.tokens_in,
            tokens_out=used.tokens_out,
            cost=used.cost,
            seconds=transcript.events[-1].at if transcript.events else 0.0,
            failure=failed.kind if failed else None,
            message=failed.message if failed else None,
        )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the figures, in order."""
        return tuple(field.name for field in fields(cls))
