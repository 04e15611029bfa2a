"""The server's addresses: each reads one run, in a thread of its own, and answers with plain data."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from osler.errors import UserError, printable
from osler.view import run_data
from osler.view.chair import ADDRESSES, PlayRole
from osler.view.change_poll import wait_for_change
from osler.view.maker_data import makers
from osler.view.replies import failure, reply
from osler.view.run_data import UNREADABLE
from osler.view.run_list import Missing, RunList
from osler.view.table_query import FILTERS, Query

STATIC = Path(__file__).parent / "static"
_DAMAGED = "this cannot be read; the run file is damaged, or another version of Osler wrote it"


def application(shelf: RunList, chair: PlayRole) -> Starlette:
    """The page over some runs, with a chair for a person. Put `Access` before it."""

    def runs(_: Request) -> Response:
        told, broken = [], []
        for shown in shelf.all():
            try:
                told.append(run_data.run(shown))
            except (*UNREADABLE, UserError) as error:
                line = _DAMAGED if isinstance(error, UNREADABLE) else str(error)
                broken.append({"key": shown.key, "name": shown.name, "error": line})
        return reply({"runs": told, "broken": broken})

    def rows(request: Request) -> Response:
        shown = shelf.get(request.path_params["key"])
        stamp = shown.stamp()
        with shown.open() as file:
            told = run_data.rows(file, _query(request, run_data.judge_of(file, request.query_params.get("judge"))))
        return reply({**told, "stamp": stamp})

    def story(request: Request) -> Response:
        key, cell = request.path_params["key"], request.path_params["cell"]
        with shelf.get(key).open() as file:
            return reply(run_data.consultation(file, key, run_data.hold(file, cell)))

    def call(request: Request) -> Response:
        with shelf.get(request.path_params["key"]).open() as file:
            held = run_data.hold(file, request.path_params["cell"])
        return reply(run_data.exact_call(held, request.path_params["number"]))

    def truth(request: Request) -> Response:
        with shelf.get(request.path_params["key"]).open() as file:
            return reply(run_data.revealed(file, run_data.hold(file, request.path_params["cell"])))

    def who_made(request: Request) -> Response:
        with shelf.get(request.path_params["key"]).open() as file:
            return reply(makers(file))

    async def changes(request: Request) -> Response:
        return reply(await wait_for_change(shelf, request.query_params.get("since", "")))

    one = "/api/runs/{key}/rows/{cell:int}"
    routes = [
        Route("/api/runs", _answer(runs)),
        Route("/api/runs/{key}/rows", _answer(rows)),
        Route("/api/runs/{key}/makers", _answer(who_made)),
        Route(one, _answer(story)),
        Route(one + "/calls/{number:int}", _answer(call)),
        Route(one + "/truth", _answer(truth)),
        Route("/api/changes", changes),
        *(Route(address, chair) for address in ADDRESSES),
        Mount("/", StaticFiles(directory=STATIC, html=True, check_dir=False)),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await chair.close()

    refusals = {HTTPException: _refused, Exception: _broken}
    return Starlette(routes=routes, exception_handlers=refusals, lifespan=lifespan)


def _answer(reading: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """A handler that reads in a thread, and tells failures as one line."""

    def guarded(request: Request) -> Response:
        try:
            return reading(request)
        except (Missing, OverflowError) as error:
            return failure(str(error) if isinstance(error, Missing) else "there is no such number", 404)
        except UNREADABLE as error:  # damage first: its line names the file's path, which is nobody's business here
            _note(request, error)
            return failure(_DAMAGED, 500)
        except UserError as error:
            return failure(str(error), 400)

    async def handler(request: Request) -> Response:
        return await run_in_threadpool(guarded, request)

    return handler


def _query(request: Request, judge: str) -> Query:
    asked = request.query_params
    return Query(
        judge=judge,
        search=asked.get("search", ""),
        patient=asked.get("patient", ""),
        among={name: tuple(values) for name in FILTERS if (values := [one for one in asked.getlist(name) if one])},
        sort=asked.get("sort") or "case",
        desc=asked.get("desc", "0") not in {"", "0", "false"},
        offset=_number(asked.get("offset"), 0, "offset"),
        limit=_number(asked.get("limit"), 100, "limit"),
    )


def _number(text: str | None, usual: int, name: str) -> int:
    if not text:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise UserError(f"{name} is no number", "give a whole number that is not negative")
    return int(text)


async def _refused(request: Request, error: Exception) -> Response:
    """An address or a method that there is not."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    return failure("there is nothing here; go back to the list of runs", status)


async def _broken(request: Request, error: Exception) -> Response:
    """A fault of ours: told here in one line, and to the client without detail."""
    _note(request, error)
    return failure("the server could not answer; try again", 500)


def _note(request: Request, error: Exception) -> None:
    """One line for whoever runs the server."""
    line = f"osler: {type(error).__name__} ({error}) at {request.scope['path']}"
    print(printable(line[:300]), file=sys.stderr)  # noqa: T201
