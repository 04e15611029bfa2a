"""Requests to one server through a proxy: what `connections` does without one, over aiohttp."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

import aiohttp

from osler.models.connections import IDLE_SECONDS
from osler.models.http_answer import Said, TooLong
from osler.models.pace import Pace


class Proxied:
    """Requests to one address through a proxy."""

    def __init__(
        self, url: str, headers: Mapping[str, str], largest: int, *, proxy: str, pace: Pace, timeout: float
    ) -> None:
        """Name the address and the proxy; the rest is as `Connections` has it."""
        self._url, self._headers, self._largest, self._proxy = url, headers, largest, proxy
        self._pace, self._timeout = pace, timeout
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes, tokens: int) -> Said:
        """Send a body when it is its turn.

        Raises:
            TimeoutError: The answer was not whole in time.
            OSError: There is no connection, or it broke.
            aiohttp.ClientError: The same, by name.
        """
        await self._pace.turn(tokens)
        began, said = time.monotonic(), None
        try:
            async with asyncio.timeout(self._timeout):
                said = await self._posted(body)
        finally:
            self._pace.leave(began, said)
        return said

    async def _posted(self, body: bytes) -> Said:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                # How many calls are under way, and for how long, is decided elsewhere.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE_SECONDS),
                timeout=aiohttp.ClientTimeout(total=None),
                headers=self._headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                proxy=self._proxy,
            )
        async with self._session.post(self._url, data=body, allow_redirects=False) as response:
            said = b""
            async for chunk in response.content.iter_any():
                said += chunk
                if len(said) > self._largest:
                    raise TooLong("it sends more than any answer has")
            return Said(response.status, {name.lower(): value for name, value in response.headers.items()}, said)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None
