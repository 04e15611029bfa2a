"""HTTP/1.1 to one server, as far as asking a model takes it: a request and its answer, one after the other.

A run asks millions of times, and what a general client prepares for each request (redirects, cookies, uploads,
decompression, tracing) takes several times as long as sending it and reading what comes. Where a proxy stands between,
`proxied` does the same through aiohttp.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections import deque
from collections.abc import Mapping
from typing import Protocol, cast
from urllib.parse import quote, urlsplit

from osler.agents.backbones.http_answer import Reading, Said

IDLE_SECONDS = 4.0
"""How long an unused connection is kept: shorter than servers do (vLLM: 5 s), so that none is used as it closes."""


class Poster(Protocol):
    """Whatever sends a body to the server and brings back what it says."""

    async def post(self, body: bytes) -> Said:
        """Send a body."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...


class Connections:
    """Connections to one address: as many as there are requests at a time, each used again and again."""

    def __init__(self, url: str, headers: Mapping[str, str], largest: int) -> None:
        """Name the address, what every request says, and the most bytes of an answer; nothing is opened yet."""
        parts = urlsplit(url)
        self._host, self._largest = parts.hostname or "", largest
        self._secure = parts.scheme == "https"
        self._port = parts.port or (443 if self._secure else 80)
        self._context: ssl.SSLContext | None = None
        netloc = parts.netloc if parts.netloc.isascii() else f"{self._host.encode('idna').decode()}:{self._port}"
        path = quote(parts.path, safe="/%:@!$&'()*+,;=~")
        told = (
            f"{name}: {value}" for name, value in {"Host": netloc, "Accept-Encoding": "identity", **headers}.items()
        )
        self._head = "\r\n".join((f"POST {path} HTTP/1.1", *told, "Content-Length: ")).encode("latin-1")
        self._free: deque[tuple[float, _Connection]] = deque()

    async def post(self, body: bytes) -> Said:
        """Send a body.

        Raises:
            OSError: There is no connection, it broke, or what came is no answer.
        """
        connection = self._kept() or await self._opened()
        try:
            said = await connection.ask(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))
        except BaseException:
            connection.drop()  # half an exchange cannot be gone on with
            raise
        if connection.is_open:
            self._free.append((time.monotonic(), connection))
        return said

    async def close(self) -> None:
        """Close what is open."""
        while self._free:
            self._free.pop()[1].drop()

    def _kept(self) -> _Connection | None:
        """The one used last; those that nobody has used for a while are closed."""
        while self._free and time.monotonic() - self._free[0][0] > IDLE_SECONDS:
            self._free.popleft()[1].drop()
        while self._free:
            connection = self._free.pop()[1]
            if connection.is_open:
                return connection
        return None

    async def _opened(self) -> _Connection:
        if self._secure and self._context is None:
            self._context = ssl.create_default_context()
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            lambda: _Connection(loop, self._largest), self._host, self._port, ssl=self._context
        )
        return connection


class _Connection(asyncio.Protocol):
    """One connection, with one request under way at most."""

    def __init__(self, loop: asyncio.AbstractEventLoop, largest: int) -> None:
        self._loop, self._largest = loop, largest
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Said] | None = None
        self._answer = Reading(largest)

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def ask(self, request: bytes) -> asyncio.Future[Said]:
        """What the server says to a request."""
        assert self._transport is not None
        self._answer, self._waiting = Reading(self._largest), self._loop.create_future()
        self._transport.write(request)
        return self._waiting

    def drop(self) -> None:
        """Let go of it, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other loops have transports of their own: uvloop's, which Ray's workers run where it is installed.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._waiting is None or self._waiting.done():
            self.drop()  # nobody asked: it must not be taken for the answer to the next request
            return
        try:
            said = self._answer.add(data)
        except ConnectionError as error:
            self._waiting.set_exception(error)
            return
        if said is not None:
            self._waiting.set_result(said)
            if not self._answer.may_go_on:
                self.drop()

    def connection_lost(self, error: Exception | None) -> None:
        if self._waiting is None or self._waiting.done():
            return
        said = self._answer.ended() if error is None else None
        if said is not None:
            self._waiting.set_result(said)
        else:
            self._waiting.set_exception(error or ConnectionResetError("it was closed before the answer was whole"))
