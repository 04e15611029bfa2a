"""A transcript as rows of tables: one for the consultation, one per turn, or one per event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict

from osler.runs.events import Called, Failed, Role
from osler.runs.makers import Usage
from osler.runs.scored import Failure
from osler.runs.transcript import Transcript


class ResultRow(BaseModel):
    """The figures of one consultation, counted once, so that no table has to read transcripts."""

    model_config = ConfigDict(frozen=True, strict=True)

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
    failed_role: str | None
    """Who failed, if the consultation did."""
    failure: str | None
    """The kind of failure."""
    message: str | None
    place: str | None
    """Where in the code it failed, if that is known."""

    @classmethod
    def of(cls, transcript: Transcript) -> ResultRow:
        """Count."""
        conclusion = transcript.conclusion
        used = Usage.of(transcript.of(Called))
        failed = next(iter(transcript.of(Failed)), None)
        return cls(
            ending=transcript.ending.value,
            diagnosis=conclusion.diagnosis if conclusion else "",
            treatment=conclusion.treatment if conclusion else "",
            turns=transcript.turns,
            repeats=transcript.repeats,
            replies=len(transcript.replies),
            calls=used.calls,
            tokens_in=used.tokens_in,
            tokens_out=used.tokens_out,
            cost=used.cost,
            seconds=transcript.seconds,
            failed_role=failed.role.value if failed else None,
            failure=failed.kind if failed else None,
            message=failed.message if failed else None,
            place=failed.place if failed else None,
        )

    @property
    def failed(self) -> Failure | None:
        """Why the consultation failed, if it did."""
        if self.failure is None:
            return None
        role = Role(self.failed_role or Role.SIMULATOR)
        return Failure(role, self.failure, self.message or "", self.place)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the figures, in order."""
        return tuple(cls.model_fields)


def turn_rows(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """Return what happened in each turn that has a question.

    Turns of earlier visits have numbers below 1.
    """
    for turn in transcript.turn_views:
        if turn.asked is None and turn.visited is None:
            continue
        yield {
            **_consultation(transcript),
            "turn": turn.number,
            "visit": turn.visited.visit if turn.visited else None,
            "question": turn.question,
            "question_maker": turn.asked.maker.value if turn.asked else None,
            "repeated": bool(turn.asked and turn.asked.repeated),
            "asked_for": list(turn.asked_for),
            "handed_out": list(turn.retrieved_names),
            "retrieval_maker": turn.retrieved.maker.value if turn.retrieved else None,
            "reply": turn.reply,
            "reply_maker": turn.answered.maker.value if turn.answered else None,
            "disclosed": list(turn.disclosed),
            "recall": turn.recall.text if turn.recall else None,
            "interventions": [event.kind.value for event in turn.interventions],
            "calls": len(turn.calls),
            "tokens_in": turn.tokens_in,
            "tokens_out": turn.tokens_out,
        }


def event_rows(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """Every event, in order."""
    for event in transcript.events:
        yield {
            **_consultation(transcript),
            "turn": event.turn,
            "role": event.role.value,
            "type": event.type,
            "at": event.at,
            "event": event.model_dump(mode="json"),
        }


def _consultation(transcript: Transcript) -> dict[str, Any]:
    header = transcript.header
    return {"case": header.case, **header.column.as_row(), "trial": header.trial}
