"""The routes of the page's server: runs are read in threads, and answered as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from osler.errors import UserError
from osler.view import run_data
from osler.view.change_poll import wait_for_change
from osler.view.maker_data import makers
from osler.view.responses import DAMAGED, UNREADABLE, error_response, handler, log_error, whole_number
from osler.view.run_list import RunList
from osler.view.table_query import FILTERS, Query

if TYPE_CHECKING:
    from osler.play.lobby import PlayLobby

STATIC = Path(__file__).parent / "static"


def application(listed: RunList, backbones: Collection[str] = (), memories: Collection[str] = ()) -> Starlette:
    """The page over some runs, where one can also play. Put `Access` before it.

    Args:
        listed: The runs.
        backbones: Models that a player may choose besides `rules`.
        memories: Memories that a player may choose besides those that are built in or registered.
    """

    def runs(_: Request) -> Any:
        told, broken = [], []
        for run in listed.all():
            try:
                told.append(run_data.run(run))
            except (*UNREADABLE, UserError) as error:
                line = DAMAGED if isinstance(error, UNREADABLE) else str(error)
                broken.append({"key": run.key, "name": run.name, "error": line})
        return {"runs": told, "broken": broken}

    def rows(request: Request) -> Any:
        run = listed.get(request.path_params["key"])
        stamp = run.stamp()
        with run.open() as file:
            judge = run_data.judge_of(file, request.query_params.get("judge"))
            return {**run_data.rows(file, _query(request, judge)), "stamp": stamp}

    def who_made(request: Request) -> Any:
        with listed.get(request.path_params["key"]).open() as file:
            return makers(file)

    def consultation(request: Request) -> Any:
        key, cell = request.path_params["key"], request.path_params["cell"]
        with listed.get(key).open() as file:
            return run_data.consultation(file, key, run_data.ended(file, cell))

    def call(request: Request) -> Any:
        with listed.get(request.path_params["key"]).open() as file:
            ended = run_data.ended(file, request.path_params["cell"])
        return run_data.exact_call(ended, request.path_params["number"])

    def truth(request: Request) -> Any:
        with listed.get(request.path_params["key"]).open() as file:
            return run_data.revealed(file, run_data.ended(file, request.path_params["cell"]))

    async def changes(request: Request) -> Any:
        return await wait_for_change(listed, request.query_params.get("since", ""))

    one = "/api/runs/{key}/rows/{cell:int}"
    play = _Play(listed, backbones, memories)
    routes = [
        Route("/api/runs", handler(runs)),
        Route("/api/runs/{key}/rows", handler(rows)),
        Route("/api/runs/{key}/makers", handler(who_made)),
        Route(one, handler(consultation)),
        Route(one + "/calls/{number:int}", handler(call)),
        Route(one + "/truth", handler(truth)),
        Route("/api/changes", handler(changes)),
        *(Route(address, play) for address in ("/api/cases", "/api/play", "/api/play/{id}")),
        Mount("/", StaticFiles(directory=STATIC, html=True, check_dir=False)),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await play.close()

    return Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _broken}, lifespan=lifespan)


class _Play:
    """Answers requests about playing. The agents are imported at the first one: most people only look at runs."""

    def __init__(self, listed: RunList, backbones: Collection[str], memories: Collection[str]) -> None:
        self._listed, self._backbones, self._memories = listed, backbones, memories
        self._lobby: PlayLobby | None = None
        self._router: Router | None = None
        self._loading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._loading:
            if self._router is None:
                self._router = await asyncio.to_thread(self._load)
        await self._router(scope, receive, send)

    def _load(self) -> Router:
        from osler.play.lobby import PlayLobby
        from osler.view.play_routes import routes

        self._lobby = PlayLobby(key_of=self._listed.key_of, backbones=self._backbones, memories=self._memories)
        return Router(routes(self._lobby))

    async def close(self) -> None:
        if self._lobby is not None:
            await self._lobby.close()


def _query(request: Request, judge: str) -> Query:
    asked = request.query_params
    return Query(
        judge=judge,
        search=asked.get("search", ""),
        patient=asked.get("patient", ""),
        among={name: tuple(values) for name in FILTERS if (values := [one for one in asked.getlist(name) if one])},
        sort=asked.get("sort") or "case",
        desc=asked.get("desc", "0") not in {"", "0", "false"},
        offset=whole_number(asked.get("offset"), 0, "offset"),
        limit=whole_number(asked.get("limit"), 100, "limit"),
    )


async def _refused(request: Request, error: Exception) -> Response:
    """An address or a method that does not exist."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    return error_response("there is nothing here; go back to the list of runs", status)


async def _broken(request: Request, error: Exception) -> Response:
    """A fault in Osler: logged here in one line, and sent to the client without detail."""
    log_error(request, error)
    return error_response("the server could not answer; try again", 500)
