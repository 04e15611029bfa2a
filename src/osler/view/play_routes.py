"""The page's way to a chair: start, look, move, leave. All of it is a table's; here is only its JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from osler.errors import UserError
from osler.language import Language
from osler.play.json_state import card, state
from osler.play.lobby import LobbyFull, PlayLobby
from osler.play.moves import LONGEST, MoveRefused
from osler.play.request import PlayRequest, PlayRole
from osler.play.session import PlaySession
from osler.view.replies import failure, reply

LONG_POLL = 20.0
"""Seconds to wait for news at most."""
PROMPTLY = 1.0
"""Seconds a move waits for its answer: who plays opposite the rules needs no second request."""
_LARGEST = 16 * LONGEST
"""Bytes of a request: two texts in any script, escaped as JSON may escape them."""

Handler = Callable[[Request], Awaitable[Response]]
T = TypeVar("T", bound=BaseModel)


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Start(_Given):
    """What a page asks for."""

    chair: Literal["doctor", "patient"]
    case: str | None = None
    language: Literal["en", "zh"] | None = None
    doctor: str = "rules"
    patient: str = "rules"
    memory: str = "tim"

    def wish(self) -> PlayRequest:
        """The same as a wish."""
        language = Language(self.language) if self.language else None
        return PlayRequest(PlayRole(self.chair), self.case or None, language, self.doctor, self.patient, self.memory)


class Say(_Given):
    """A question or a reply."""

    say: str


class Conclude(_Given):
    """The doctor's end."""

    diagnosis: str
    treatment: str


class _NotThere(UserError):
    """No such seat."""


def routes(table: PlayLobby) -> list[Route]:
    """The addresses of one table, relative to wherever the page's server mounts them."""

    async def cases(request: Request) -> Response:
        language = request.query_params.get("language")
        shown = await table.cards()
        return reply({"cases": [card(one) for one in shown if language in (None, "", one.language.value)]})

    async def start(request: Request) -> Response:
        given = await _body(request)
        if isinstance(given, dict):
            given["chair"] = given.pop("as", None)
        name, seat = await table.sit(_read(Start, given).wish())
        await seat.your_turn(PROMPTLY)
        return _shown(name, seat)

    async def look(request: Request) -> Response:
        name, seat = _seat(request)
        await seat.news(_number(request.query_params.get("seen", "-1")), LONG_POLL)
        return _shown(name, seat)

    async def move(request: Request) -> Response:
        name, seat = _seat(request)
        given = await _body(request)
        if isinstance(given, dict) and "say" in given:
            seat.say(_read(Say, given).say)
        else:
            end = _read(Conclude, given)
            seat.conclude(end.diagnosis, end.treatment)
        await seat.your_turn(PROMPTLY)
        return _shown(name, seat)

    async def leave(request: Request) -> Response:
        name, _ = _seat(request)
        await table.leave(name)
        return reply({"left": True})

    def _seat(request: Request) -> tuple[str, PlaySession]:
        name = request.path_params["id"]
        seat = table.at(name)
        if seat is None:
            raise _NotThere("there is no such consultation any more", "start another")
        return name, seat

    def _shown(name: str, seat: PlaySession) -> Response:
        return reply(state(name, seat, table))

    return [
        Route("/api/cases", _answering(cases), methods=["GET"]),
        Route("/api/play", _answering(start), methods=["POST"]),
        Route("/api/play/{id}", _answering(look), methods=["GET"]),
        Route("/api/play/{id}", _answering(move), methods=["POST"]),
        Route("/api/play/{id}", _answering(leave), methods=["DELETE"]),
    ]


def _answering(handler: Handler) -> Handler:
    """What a player can mend is answered with one line and a status that says whose turn it is to mend it."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except _NotThere as error:
            status, line = 404, str(error)
        except MoveRefused as error:
            status, line = 409, str(error)
        except LobbyFull as error:
            status, line = 429, str(error)
        except UserError as error:
            status, line = 400, str(error)
        except ClientDisconnect:
            return Response(status_code=400)
        return failure(line, status)

    return answer


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
        place = ".".join(map(str, first["loc"])).replace("chair", "as") or "the request"
        raise UserError(f"{place}: {first['msg']}", "send what the page sends") from None


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UserError(f"seen={text[:20]!r} is not a number", "leave it out") from None
