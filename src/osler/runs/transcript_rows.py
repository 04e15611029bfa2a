"""A transcript as rows of tables: one for the consultation, one per turn, or one per event."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict

from osler.runs.events import Answered, Asked, Called, Event, Failed, Intervened, Recalled, Retrieved, Visited
from osler.runs.makers import Usage
from osler.runs.transcript import Transcript, total


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
    failure: str | None
    """The kind of failure, if there was one."""
    message: str | None

    @classmethod
    def of(cls, transcript: Transcript) -> ResultRow:
        """Count."""
        conclusion, used = transcript.conclusion, Usage.of(transcript.of(Called))
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
            seconds=transcript.events[-1].at if transcript.events else 0.0,
            failure=failed.kind if failed else None,
            message=failed.line if failed else None,
        )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the figures, in order."""
        return tuple(cls.model_fields)


def turn_rows(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """Return what happened in each turn that has a question; turns of earlier visits have numbers below 1."""
    turns: dict[int, dict[type[Event], list[Any]]] = defaultdict(lambda: defaultdict(list))
    for event in transcript.events:
        turns[event.turn][type(event)].append(event)
    for number, events in turns.items():
        asked, retrieved, answered, recalled = (
            next(iter(events[kind]), None) for kind in (Asked, Retrieved, Answered, Recalled)
        )
        past: Visited | None = next(iter(events[Visited]), None)
        if asked is None and past is None:
            continue
        told = past.told if past else None
        yield {
            **_consultation(transcript),
            "turn": number,
            "visit": past.visit if past else None,
            "question": asked.question if asked else told and told.question,
            "question_maker": asked.maker.value if asked else None,
            "repeated": bool(asked and asked.repeated),
            "asked_for": list(retrieved.asked_for) if retrieved else [],
            "handed_out": [entry.name for entry in retrieved.entries] if retrieved else [],
            "retrieval_maker": retrieved.maker.value if retrieved else None,
            "reply": answered.reply if answered else told and told.reply,
            "reply_maker": answered.maker.value if answered else None,
            "disclosed": list(answered.disclosed) if answered else [],
            "recall": recalled.recall.text if recalled else None,
            "interventions": [event.kind.value for event in events[Intervened]],
            "calls": len(events[Called]),
            "tokens_in": total(call.tokens_in for call in events[Called]),
            "tokens_out": total(call.tokens_out for call in events[Called]),
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
