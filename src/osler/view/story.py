"""One consultation as the page tells it: turn by turn, without the truth and without a judge's word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from osler.eval.faithfulness import ReplyVerdict
from osler.language import Language
from osler.records.schema import PatientRecord
from osler.runs.events import Answered, Asked, Called, Event, Failed, Intervened, Recalled, Remembered, Retrieved
from osler.runs.transcript import Transcript, heard

HIDDEN = "•••"
"""Stands for a name of the diagnosis until the truth is revealed."""
_HEADER = frozenset(
    {
        *("case", "patient", "language", "specialty", "patient_backbone", "ram_backbone", "memory_backbone"),
        *("answer_tokens", "results", "trial", "turn_limit", "version"),
    }
)


def story(transcript: Transcript, record: PatientRecord, faults: Mapping[int, ReplyVerdict]) -> dict[str, Any]:
    """What happened, and what is wrong with the replies. Texts of prompts are left out; `call` has them."""
    numbered = list(enumerate(transcript.events))
    asked = {event.turn for event in transcript.of(Asked)}
    by_turn: dict[int, list[tuple[int, Event]]] = defaultdict(list)
    remembered: dict[int, list[Remembered]] = defaultdict(list)
    for number, event in numbered:
        if isinstance(event, Remembered):
            remembered[event.of].append(event)
        else:
            by_turn[event.turn].append((number, event))
    conclusion, failed = transcript.conclusion, next(iter(transcript.of(Failed)), None)
    return {
        "header": {
            **transcript.header.model_dump(mode="json", include=set(_HEADER)),
            **transcript.header.column.as_row(),
        },
        "about": {
            "age": record.age.label(record.language),
            "sex": record.sex.value,
            "complaint": record.complaint,
            "speaker": record.speaker.value,
        },
        "ending": transcript.ending.value,
        "turns": [
            _turn(turn, by_turn[turn], remembered[turn], record.language, faults.get(turn, ReplyVerdict()))
            for turn in sorted(asked)
        ],
        "closing": _closing([pair for turn in sorted(by_turn) if turn not in asked for pair in by_turn[turn]]),
        "conclusion": conclusion.model_dump(
            mode="json", include={"diagnosis", "treatment", "differential", "reasoning", "turn"}
        )
        if conclusion
        else None,
        "failed": failed.model_dump(mode="json", include={"kind", "message"}) if failed else None,
        "tokens": transcript.tokens(),
        "seconds": transcript.events[-1].at if transcript.events else 0.0,
    }


def call(transcript: Transcript, number: int) -> dict[str, Any] | None:
    """The exact prompt of a call and its answer; None where that event is no call."""
    if not 0 <= number < len(transcript.events):
        return None
    event = transcript.events[number]
    return (
        event.model_dump(mode="json", include={"messages", "answer", "thought"}) if isinstance(event, Called) else None
    )


def _turn(
    turn: int,
    events: list[tuple[int, Event]],
    remembered: list[Remembered],
    language: Language,
    faults: ReplyVerdict,
) -> dict[str, Any]:
    plain = [event for _, event in events]
    asked = next(event for event in plain if isinstance(event, Asked))
    answered = next((event for event in plain if isinstance(event, Answered)), None)
    retrieved = next((event for event in plain if isinstance(event, Retrieved)), None)
    return {
        "turn": turn,
        "question": heard(asked, language),
        "maker": asked.maker.value,
        "repeated": asked.repeated,
        "reply": answered.reply if answered else None,
        "reply_maker": answered.maker.value if answered else None,
        "results": retrieved.results if retrieved else "",
        "at": asked.at,
        "ledger": {
            "asked_for": list(retrieved.asked_for) if retrieved else [],
            "retrieved": [found.model_dump() for found in retrieved.entries] if retrieved else [],
            "disclosed": list(answered.disclosed) if answered else [],
            "leaks": [HIDDEN for _ in faults.leaks],
            "fabrications": [claim.quote for claim in faults.unsupported],
            "contradictions": list(faults.turned_round),
        },
        "memory": _memory(remembered),
        **_closing(events),
    }


def _closing(events: list[tuple[int, Event]]) -> dict[str, Any]:
    """What a turn has whether a question was asked in it or not."""
    recalled = next((event for _, event in events if isinstance(event, Recalled)), None)
    return {
        "recall": {
            "query": recalled.query,
            **recalled.recall.model_dump(mode="json", include={"text", "facts", "exchanges", "dropped"}),
        }
        if recalled
        else None,
        "interventions": [
            {"who": event.role.value, "kind": event.kind.value, "draft": event.draft, "reasons": list(event.reasons)}
            for _, event in events
            if isinstance(event, Intervened)
        ],
        "calls": [_call(number, event) for number, event in events if isinstance(event, Called)],
    }


def _memory(remembered: list[Remembered]) -> dict[str, Any] | None:
    if not remembered:
        return None
    change = remembered[-1].change
    return change.model_dump(mode="json", include={"group", "inserted", "merged", "superseded", "forgotten", "refused"})


def _call(number: int, event: Called) -> dict[str, Any]:
    told = {"model", "tokens_in", "tokens_out", "tokens_cached", "seconds", "attempts", "source", "failure", "unread"}
    return {"number": number, "role": event.role.value, **event.model_dump(mode="json", include=told)}
