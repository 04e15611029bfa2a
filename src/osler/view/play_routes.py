"""The page's routes to play: start, look, move, leave. The lobby does the work; here is only its JSON."""

from __future__ import annotations

import json
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.routing import Route

from osler.errors import UserError
from osler.language import Language
from osler.play.json_state import card, state
from osler.play.lobby import PlayLobby
from osler.play.moves import LONGEST
from osler.play.request import PlayRequest, PlayRole
from osler.play.session import PlaySession
from osler.view.responses import NotFound, handler, whole_number

LONG_POLL = 20.0
"""Seconds to wait for news at most."""
PROMPTLY = 1.0
"""Seconds a move waits for its answer: who plays opposite the rules needs no second request."""
_LARGEST = 16 * LONGEST
"""Bytes of a request: two texts in any script, escaped as JSON may escape them."""

T = TypeVar("T", bound=BaseModel)


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Start(_Given):
    """What a page asks for."""

    role: Literal["doctor", "patient"]
    case: str | None = None
    language: Literal["en", "zh"] | None = None
    doctor: str = "rules"
    patient: str = "rules"
    memory: str = "tim"

    def request(self) -> PlayRequest:
        """The same for the lobby."""
        language = Language(self.language) if self.language else None
        return PlayRequest(PlayRole(self.role), self.case or None, language, self.doctor, self.patient, self.memory)


class Say(_Given):
    """A question or a reply."""

    say: str


class Conclude(_Given):
    """The doctor's end."""

    diagnosis: str
    treatment: str


def routes(lobby: PlayLobby) -> list[Route]:
    """The routes of one lobby, relative to wherever the page's server mounts them."""

    async def cases(request: Request) -> Any:
        language = request.query_params.get("language")
        shown = await lobby.cards()
        return {"cases": [card(one) for one in shown if language in (None, "", one.language.value)]}

    async def start(request: Request) -> Any:
        given = await _body(request)
        if isinstance(given, dict):
            given["role"] = given.pop("as", None)
        name, session = await lobby.start(_read(Start, given).request())
        await session.your_turn(PROMPTLY)
        return state(name, session, lobby)

    async def look(request: Request) -> Any:
        name, session = _session(request)
        await session.news(whole_number(request.query_params.get("seen"), -1, "seen"), LONG_POLL)
        return state(name, session, lobby)

    async def move(request: Request) -> Any:
        name, session = _session(request)
        given = await _body(request)
        if isinstance(given, dict) and "say" in given:
            session.say(_read(Say, given).say)
        else:
            end = _read(Conclude, given)
            session.conclude(end.diagnosis, end.treatment)
        await session.your_turn(PROMPTLY)
        return state(name, session, lobby)

    async def leave(request: Request) -> Any:
        name, _ = _session(request)
        await lobby.leave(name)
        return {"left": True}

    def _session(request: Request) -> tuple[str, PlaySession]:
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
    taken = b""
    async for part in request.stream():
        taken += part
        if len(taken) > _LARGEST:
            raise UserError("the request is too large", f"use at most {LONGEST:,} characters")
    try:
        return json.loads(taken)
    except (ValueError, RecursionError):
        raise UserError("the request is not JSON", "send one object") from None


def _read(form: type[T], given: Any) -> T:
    try:
        return form.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])).replace("role", "as") or "the request"
        raise UserError(f"{place}: {first['msg']}", "send what the page sends") from None
