"""The page's routes to play (start, look, move, leave), and a session as JSON.

Before the end, nothing in it reveals the true diagnosis or the record's id.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.routing import Route

from osler.agents.messages import Selection
from osler.agents.prompt_slots import notes
from osler.errors import UserError
from osler.language import Language
from osler.play.lobby import PlayLobby, veiled
from osler.play.played_runs import PlayRequest
from osler.play.session import LONGEST, PlaySession, Result
from osler.records.schema import Entry
from osler.runs.events import Role
from osler.runs.store import run_name
from osler.runs.turns import TurnView
from osler.view.consultation_data import about
from osler.view.responses import NotFound, handler, validated

LONG_POLL = 20.0
"""Seconds to wait for news at most."""
PROMPTLY = 1.0
"""Seconds a move waits for its answer: who plays opposite the rules needs no second request."""
_LARGEST = 16 * LONGEST
"""Bytes of a request: two texts in any script, escaped as JSON may escape them."""
_CHANGE = {"group", "inserted", "superseded", "merged", "forgotten"}


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Start(_Body):
    """What a page asks for."""

    role: Literal["doctor", "patient"] = Field(alias="as")
    case: str | None = None
    language: Literal["en", "zh"] | None = None
    doctor: str = "rules"
    patient: str = "rules"
    memory: str = "tim"


class Say(_Body):
    """A question or a reply."""

    say: str


class Conclude(_Body):
    """The doctor's conclusion."""

    diagnosis: str
    treatment: str


class Look(BaseModel):
    """What the page has seen."""

    seen: int = Field(-1, ge=-1)


def routes(lobby: PlayLobby) -> list[Route]:
    """The routes of one lobby."""

    async def cases(request: Request) -> Any:
        language = request.query_params.get("language")
        cards = [
            card for card in await lobby.cards() if language in (None, "", card.language.value)
        ]
        return {"cases": [card.model_dump(mode="json") for card in cards]}

    async def start(request: Request) -> Any:
        body = validated(Start, await _body(request))
        language = Language(body.language) if body.language else None
        play_request = PlayRequest(
            Role(body.role), body.case or None, language, body.doctor, body.patient, body.memory
        )
        name, session = await lobby.start(play_request)
        await session.your_turn(PROMPTLY)
        return state(name, session, lobby)

    async def look(request: Request) -> Any:
        name, session = find(request)
        await session.news(validated(Look, dict(request.query_params)).seen, LONG_POLL)
        return state(name, session, lobby)

    async def move(request: Request) -> Any:
        name, session = find(request)
        body = await _body(request)
        if isinstance(body, dict) and "say" in body:
            session.say(validated(Say, body).say)
        else:
            end = validated(Conclude, body)
            session.conclude(end.diagnosis, end.treatment)
        await session.your_turn(PROMPTLY)
        return state(name, session, lobby)

    async def leave(request: Request) -> Any:
        await lobby.leave(find(request)[0])
        return {"left": True}

    def find(request: Request) -> tuple[str, PlaySession]:
        name = request.path_params["id"]
        session = lobby.session(name)
        if session is None:
            raise NotFound("there is no such consultation any more", "start another")
        return name, session

    return [
        Route("/api/cases", handler(cases), methods=["GET"]),
        Route("/api/play", handler(start), methods=["POST"]),
        Route("/api/play/{id}", handler(look), methods=["GET"]),
        Route("/api/play/{id}", handler(move), methods=["POST"]),
        Route("/api/play/{id}", handler(leave), methods=["DELETE"]),
    ]


async def _body(request: Request) -> Any:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _LARGEST:
            raise UserError("the request is too large", f"use at most {LONGEST:,} characters")
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise UserError("the request is not JSON", "send one object") from None


def state(name: str, session: PlaySession, lobby: PlayLobby) -> dict[str, Any]:
    """Return what the page shows of a consultation."""
    assignment = session.assignment
    record = assignment.record
    language = record.language
    turns = session.turns
    entry_notes = notes(session.before) if isinstance(session.before, Selection) else ()
    changes = []
    for turn in turns:
        if turn.change:
            changes.append({"turn": turn.number, **turn.change.model_dump(include=_CHANGE)})
    recalls = [turn.recall for turn in turns if turn.recall]
    recalled = None
    if recalls:
        recalled = recalls[-1].model_dump(mode="json", include={"facts", "exchanges"})
    waiting_for = "you" if session.before is not None else "other"
    result = None
    if session.over:
        waiting_for = "over"
        if session.result:
            result = _result(session, session.result, lobby)
    return {
        "id": name,
        "seen": session.seen,
        "as": assignment.role.value,
        "case": {"id": veiled(record.id), "language": language.value, **about(record)},
        "turn": session.journal.turn,
        "turns_left": assignment.turn_limit - session.questions,
        "waiting_for": waiting_for,
        "lines": list(_lines(turns, language)),
        "known": [{"name": note.name, "told": note.told} for note in entry_notes],
        "memory": changes,
        "recalled": recalled,
        "failed": f"not kept: {session.not_kept}" if session.not_kept else session.failed,
        "result": result,
    }


def _lines(turns: Sequence[TurnView], language: Language) -> Iterator[dict[str, Any]]:
    """What was said so far."""
    for turn in turns:
        if turn.asked is not None:
            question = turn.shown_question(language)
            yield {"turn": turn.number, "who": turn.asked.role.value, "text": question}
        if turn.answered is not None:
            answered = turn.answered
            yield {"turn": turn.number, "who": answered.role.value, "text": answered.reply}


def _result(session: PlaySession, result: Result, lobby: PlayLobby) -> dict[str, Any]:
    stored = session.kept
    run = session.assignment.run
    record = session.assignment.record
    treatment = record.treatment
    unsafe = treatment.unsafe if treatment else ()
    return {
        "run": run_name(run) if stored else None,
        "key": lobby.key_of(run) if stored else None,
        "cell": stored.cell if stored else None,
        "case": record.id,
        "verdicts": [
            {"kind": verdict.kind, "verdict": verdict.verdict, "because": verdict.because}
            for verdict in result.verdicts
        ],
        "truth": {
            "diagnosis": record.diagnosis.name,
            "treatment": treatment.name if treatment else None,
            "unsafe": [{"name": harm.name, "because": harm.because} for harm in unsafe],
        },
        "missed": [
            *(_missed(entry, is_key=True) for entry in result.missed),
            *(_missed(entry, is_key=False) for entry in result.passed_over),
        ],
        "order": [step._asdict() for step in result.order],
    }


def _missed(entry: Entry, *, is_key: bool) -> dict[str, Any]:
    return {"name": entry.name, "part": entry.part.value, "key": is_key}
