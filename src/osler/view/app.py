"""The routes of the page's server."""

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
from osler.runs.store import RunFile
from osler.runs.store.run_table import FILTERS, TableQuery
from osler.view import consultation_data, run_data
from osler.view.responses import DAMAGED, UNREADABLE, handler, json_response, log_error, validated
from osler.view.run_list import RunList

if TYPE_CHECKING:
    from osler.play.lobby import PlayLobby

STATIC = Path(__file__).parent / "static"
_CONSULTATION = "/api/runs/{key}/rows/{cell:int}"


def application(
    listed: RunList, backbones: Collection[str] = (), memories: Collection[str] = ()
) -> Starlette:
    """The page over some runs, to play on with some more backbones and memories.

    Put `Access` before it.
    """
    runs = _Runs(listed)
    play = _Play(listed, backbones, memories)
    routes = [
        Route("/api/runs", handler(runs.listing)),
        Route("/api/runs/{key}/rows", handler(runs.rows)),
        Route("/api/runs/{key}/makers", handler(runs.makers)),
        Route(_CONSULTATION, handler(runs.consultation)),
        Route(f"{_CONSULTATION}/calls/{{number:int}}", handler(runs.call)),
        Route(f"{_CONSULTATION}/truth", handler(runs.truth)),
        Route("/api/changes", handler(runs.changes)),
        *(Route(address, play) for address in ("/api/cases", "/api/play", "/api/play/{id}")),
        Mount("/", StaticFiles(directory=STATIC, html=True, check_dir=False)),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await play.close()

    errors = {HTTPException: _not_found, Exception: _internal_error}
    return Starlette(routes=routes, exception_handlers=errors, lifespan=lifespan)


class _Runs:
    """Answers requests about runs."""

    def __init__(self, listed: RunList) -> None:
        self._listed = listed

    def listing(self, _: Request) -> Any:
        shown = []
        broken = []
        for run in self._listed.all():
            try:
                shown.append(run_data.run(run))
            except (*UNREADABLE, UserError) as error:
                line = DAMAGED if isinstance(error, UNREADABLE) else str(error)
                broken.append({"key": run.key, "name": run.name, "error": line})
        return {"runs": shown, "broken": broken}

    def rows(self, request: Request) -> Any:
        run = self._listed.get(request.path_params["key"])
        asked = request.query_params
        stamp = run.stamp()
        with run.open() as file:
            named = {name: asked[name] for name in TableQuery.model_fields if asked.get(name)}
            named["judge"] = named.get("judge") or run_data.judge_of(file)
            among = {
                name: values
                for name in FILTERS
                if (values := list(filter(None, asked.getlist(name))))
            }
            return {
                **run_data.table(file, validated(TableQuery, {**named, "among": among})),
                "stamp": stamp,
            }

    def makers(self, request: Request) -> Any:
        with self._open(request) as file:
            return run_data.makers(file)

    def consultation(self, request: Request) -> Any:
        with self._open(request) as file:
            ended = consultation_data.ended(file, request.path_params["cell"])
            return consultation_data.consultation(file, request.path_params["key"], ended)

    def call(self, request: Request) -> Any:
        with self._open(request) as file:
            ended = consultation_data.ended(file, request.path_params["cell"])
        return consultation_data.exact_call(ended, request.path_params["number"])

    def truth(self, request: Request) -> Any:
        with self._open(request) as file:
            return consultation_data.truth(
                file, consultation_data.ended(file, request.path_params["cell"])
            )

    async def changes(self, request: Request) -> Any:
        return await self._listed.wait_for_change(request.query_params.get("since", ""))

    def _open(self, request: Request) -> RunFile:
        return self._listed.get(request.path_params["key"]).open()


class _Play:
    """Answers requests about playing.

    The agents are imported at the first one: most people only look at runs.
    """

    def __init__(
        self, listed: RunList, backbones: Collection[str], memories: Collection[str]
    ) -> None:
        self._listed = listed
        self._backbones = backbones
        self._memories = memories
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

        self._lobby = PlayLobby(
            key_of=self._listed.key_of, backbones=self._backbones, memories=self._memories
        )
        return Router(routes(self._lobby))

    async def close(self) -> None:
        if self._lobby is not None:
            await self._lobby.close()


async def _not_found(request: Request, error: Exception) -> Response:
    """An address or a method that does not exist."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    return json_response({"error": "there is nothing here; go back to the list of runs"}, status)


async def _internal_error(request: Request, error: Exception) -> Response:
    """A fault in Osler: logged here in one line, and sent to the client without detail."""
    log_error(request, error)
    return json_response({"error": "the server could not answer; try again"}, 500)
