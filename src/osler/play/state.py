"""A seat as plain data for the page. Before the end nothing in it tells the truth, or what the record is called."""

from __future__ import annotations

from typing import Any

from osler.agents.notes import notes
from osler.agents.participant import Selection
from osler.play.cases import Card, veiled
from osler.play.keeping import run_name
from osler.play.result import Result
from osler.play.seat import Seat
from osler.play.table import PlayTable
from osler.records.schema import Entry
from osler.runs.events import Answered, Asked, Recalled, Remembered
from osler.runs.transcript import heard


def state(name: str, seat: Seat, table: PlayTable) -> dict[str, Any]:
    """What the page shows of a consultation."""
    sitting, record, events = seat.sitting, seat.sitting.record, seat.journal.events
    recalled = [event for event in events if isinstance(event, Recalled)]
    asked = sum(isinstance(event, Asked) for event in events)
    return {
        "id": name,
        "seen": seat.seen,
        "as": sitting.chair.value,
        "case": {
            "id": veiled(record.id),
            "language": record.language.value,
            "age": record.age.label(record.language),
            "sex": record.sex.value,
            "complaint": record.complaint,
            "speaker": record.speaker.value,
        },
        "turn": seat.journal.turn,
        "turns_left": sitting.turn_limit - asked,
        "waiting_for": "over" if seat.over else "you" if seat.before is not None else "other",
        "lines": lines(seat),
        "known": known(seat),
        "memory": [
            {"turn": event.of, **event.change.model_dump(include=_SHOWN)}
            for event in events
            if isinstance(event, Remembered)
        ],
        "recalled": recalled[-1].recall.model_dump(mode="json", include=_RECALL) if recalled else None,
        "failed": f"not kept: {seat.not_kept}" if seat.not_kept else seat.failed,
        "result": _result(seat, seat.result, table) if seat.over and seat.result else None,
    }


_RECALL = {"facts", "exchanges"}
_SHOWN = {"group", "inserted", "superseded", "merged", "forgotten"}


def lines(seat: Seat) -> list[dict[str, Any]]:
    """What was said so far."""
    said = []
    for event in seat.journal.events:
        if isinstance(event, Asked):
            said.append({"turn": event.turn, "who": "doctor", "text": heard(event, seat.sitting.record.language)})
        elif isinstance(event, Answered):
            said.append({"turn": event.turn, "who": "patient", "text": event.reply})
    return said


def known(seat: Seat) -> list[dict[str, str]]:
    """What the record says about the question that the person is to answer; for a doctor nothing."""
    before = seat.before
    if not isinstance(before, Selection):
        return []
    return [{"name": note.name, "told": note.told} for note in notes(before)]


def _result(seat: Seat, result: Result, table: PlayTable) -> dict[str, Any]:
    kept = seat.kept
    return {
        "run": run_name(seat.sitting.run) if kept else None,
        "key": table.key_of(kept.run) if kept else None,
        "cell": kept.cell if kept else None,
        "case": seat.sitting.record.id,
        "verdicts": [{"kind": said.kind, "verdict": said.verdict, "because": said.because} for said in result.verdicts],
        "truth": {"diagnosis": result.diagnosis, "treatment": result.treatment},
        "missed": [_missed(entry, key=True) for entry in result.missed]
        + [_missed(entry, key=False) for entry in result.passed_over],
        "order": [
            {"name": step.name, "should": step.rank, "asked_in_turn": step.turn, "after": list(step.after)}
            for step in result.order
        ],
    }


def _missed(entry: Entry, *, key: bool) -> dict[str, Any]:
    return {"name": entry.name, "part": entry.part.value, "key": key}


def card(shown: Card) -> dict[str, Any]:
    """A patient to choose, for the page."""
    return {
        "id": shown.name,
        "language": shown.language.value,
        "specialty": shown.specialty,
        "age": shown.age,
        "sex": shown.sex.value,
        "complaint": shown.complaint,
    }
