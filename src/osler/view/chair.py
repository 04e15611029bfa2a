"""The chair for a person, brought in when somebody wants it: most only look, and all the agents come with it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from osler.view.run_list import RunList

if TYPE_CHECKING:
    from osler.play.lobby import PlayLobby

ADDRESSES = ("/api/cases", "/api/play", "/api/play/{id}")


class PlayRole:
    """Answers what is asked about playing."""

    def __init__(self, shelf: RunList, backbones: Collection[str] = (), memories: Collection[str] = ()) -> None:
        """Take the runs, by whose keys a result is found, and what one may play with besides what is built in."""
        self._shelf, self._backbones, self._memories = shelf, backbones, memories
        self._table: PlayLobby | None = None
        self._router: Router | None = None
        self._bringing = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; the first to ask waits a moment longer."""
        async with self._bringing:
            if self._router is None:
                self._router = await asyncio.to_thread(self._bring)
        await self._router(scope, receive, send)

    def _bring(self) -> Router:
        from osler.play.lobby import PlayLobby
        from osler.view import play_routes

        self._table = PlayLobby(key_of=self._shelf.key_of, backbones=self._backbones, memories=self._memories)
        return Router(play_routes.routes(self._table))

    async def close(self) -> None:
        """Whoever still plays leaves in order."""
        if self._table is not None:
            await self._table.close()
