"""A transcript as rows of a table: one per turn, or one per event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel

from osler.runs.events import Answered, Asked, Called, Event, Intervened, Recalled, Retrieved
from osler.runs.transcript import Transcript, total

E = TypeVar("E", bound=BaseModel)


def turn_rows(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """What happened in each turn that has a question."""
    turns: dict[int, list[Event]] = {}
    for event in transcript.events:
        turns.setdefault(event.turn, []).append(event)
    for number, events in turns.items():
        asked = _first(events, Asked)
        if asked is None:
            continue
        retrieved, answered, recalled = _first(events, Retrieved), _first(events, Answered), _first(events, Recalled)
        calls = [event for event in events if isinstance(event, Called)]
        yield {
            **_consultation(transcript),
            "turn": number,
            "question": asked.question,
            "question_maker": asked.maker.value,
            "repeated": asked.repeated,
            "asked_for": list(retrieved.asked_for) if retrieved else [],
            "handed_out": [entry.name for entry in retrieved.entries] if retrieved else [],
            "retrieval_maker": retrieved.maker.value if retrieved else None,
            "reply": answered.reply if answered else None,
            "reply_maker": answered.maker.value if answered else None,
            "disclosed": list(answered.disclosed) if answered else [],
            "recall": recalled.recall.text if recalled else None,
            "interventions": [event.kind.value for event in events if isinstance(event, Intervened)],
            "calls": len(calls),
            "tokens_in": total(call.tokens_in for call in calls),
            "tokens_out": total(call.tokens_out for call in calls),
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


def _first(events: list[Event], kind: type[E]) -> E | None:
    return next((event for event in events if isinstance(event, kind)), None)
