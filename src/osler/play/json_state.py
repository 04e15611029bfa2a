"""A session as plain data for the page. Before the end nothing in it tells the truth, or what the record is called."""

from __future__ import annotations

from typing import Any

from osler.agents.messages import Selection
from osler.agents.prompt_slots import notes
from osler.play.cases import Card, veiled
from osler.play.lobby import PlayLobby
from osler.play.result import Result
from osler.play.saving import run_name
from osler.play.session import PlaySession
from osler.records.schema import Entry
from osler.runs.events import Answered, Asked, Recalled, Remembered
from osler.runs.transcript import heard


def state(name: str, session: PlaySession, lobby: PlayLobby) -> dict[str, Any]:
    """What the page shows of a consultation."""
    assignment, record, events = session.assignment, session.assignment.record, session.journal.events
    recalled = [event for event in events if isinstance(event, Recalled)]
    asked = sum(isinstance(event, Asked) for event in events)
    return {
        "id": name,
        "seen": session.seen,
        "as": assignment.role.value,
        "case": {
            "id": veiled(record.id),
            "language": record.language.value,
            "age": record.age.label(record.language),
            "sex": record.sex.value,
            "complaint": record.complaint,
            "speaker": record.speaker.value,
        },
        "turn": session.journal.turn,
        "turns_left": assignment.turn_limit - asked,
        "waiting_for": "over" if session.over else "you" if session.before is not None else "other",
        "lines": lines(session),
        "known": known(session),
        "memory": [
            {"turn": event.of, **event.change.model_dump(include=_SHOWN)}
            for event in events
            if isinstance(event, Remembered)
        ],
        "recalled": recalled[-1].recall.model_dump(mode="json", include=_RECALL) if recalled else None,
        "failed": f"not kept: {session.not_kept}" if session.not_kept else session.failed,
        "result": _result(session, session.result, lobby) if session.over and session.result else None,
    }


_RECALL = {"facts", "exchanges"}
_SHOWN = {"group", "inserted", "superseded", "merged", "forgotten"}


def lines(session: PlaySession) -> list[dict[str, Any]]:
    """What was said so far."""
    said = []
    for event in session.journal.events:
        if isinstance(event, Asked):
            said.append({"turn": event.turn, "who": "doctor", "text": heard(event, session.assignment.record.language)})
        elif isinstance(event, Answered):
            said.append({"turn": event.turn, "who": "patient", "text": event.reply})
    return said


def known(session: PlaySession) -> list[dict[str, str]]:
    """What the record says about the question that the person is to answer; for a doctor nothing."""
    before = session.before
    if not isinstance(before, Selection):
        return []
    return [{"name": note.name, "told": note.told} for note in notes(before)]


def _result(session: PlaySession, result: Result, lobby: PlayLobby) -> dict[str, Any]:
    kept = session.kept
    return {
        "run": run_name(session.assignment.run) if kept else None,
        "key": lobby.key_of(kept.run) if kept else None,
        "cell": kept.cell if kept else None,
        "case": session.assignment.record.id,
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
