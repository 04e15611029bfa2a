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
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast
from urllib.parse import quote, urlsplit

from osler.models.http_answer import Reading, Said
from osler.models.pace import Pace

IDLE_SECONDS = 4.0
"""How long an unused connection is kept: shorter than servers do (vLLM: 5 s), so that none is used as it closes."""


class Poster(Protocol):
    """Whatever sends a body to the server and brings back what it says."""

    async def post(self, body: bytes, tokens: int) -> Said:
        """Send a body of about that many tokens, when it is its turn."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...


@dataclass(eq=False)
class _Asked:
    """A request, and who waits for what the server says to it."""

    request: bytes
    said: asyncio.Future[Said]
    began: float | None = None
    """When its turn came; None before."""
    alarm: asyncio.TimerHandle | None = None
    opening: asyncio.Task[None] | None = None
    connection: _Connection | None = None
    """Where it was sent; None before."""
    over: bool = False


class _End(Protocol):
    def __call__(self, asked: _Asked, outcome: Said | Exception, *, goes_on: bool = False) -> None: ...


class Connections:
    """Connections to one address: as many as there are requests at a time, each used again and again.

    What comes next is sent as soon as an answer is whole, in the same moment and on the same connection, whatever else
    the loop has to do.
    """

    def __init__(self, url: str, headers: Mapping[str, str], largest: int, *, pace: Pace, timeout: float) -> None:
        """Name the address; nothing is opened yet.

        Args:
            url: Where requests go.
            headers: What every request says.
            largest: The most bytes of an answer.
            pace: Whose turn it is.
            timeout: Seconds for an answer. Waiting for a turn is not counted.
        """
        parts = urlsplit(url)
        self._host, self._largest = parts.hostname or "", largest
        self._pace, self._timeout = pace, timeout
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

    async def post(self, body: bytes, tokens: int) -> Said:
        """Send a body when it is its turn.

        Raises:
            TimeoutError: The answer was not whole in time.
            OSError: There is no connection, it broke, or what came is no answer.
        """
        request = b"%b%d\r\n\r\n%b" % (self._head, len(body), body)
        asked = _Asked(request, asyncio.get_running_loop().create_future())
        self._pace.enter(tokens, partial(self._begin, asked))
        try:
            return await asked.said
        finally:
            self._end(asked)  # for who gave up; an answer has ended it already

    async def close(self) -> None:
        """Close what is open."""
        while self._free:
            self._free.pop()[1].drop()

    def _begin(self, asked: _Asked) -> bool:
        if asked.said.done():
            return False
        loop = asked.said.get_loop()
        asked.began = time.monotonic()
        asked.alarm = loop.call_later(self._timeout, self._late, asked)
        connection = self._kept()
        if connection is not None:
            connection.send(asked)
        else:
            asked.opening = loop.create_task(self._open(asked))
        return True

    def _kept(self) -> _Connection | None:
        """The one used last; those that nobody has used for a while are closed."""
        while self._free and time.monotonic() - self._free[0][0] > IDLE_SECONDS:
            self._free.popleft()[1].drop()
        while self._free:
            connection = self._free.pop()[1]
            if connection.is_open:
                return connection
        return None

    async def _open(self, asked: _Asked) -> None:
        try:
            if self._secure and self._context is None:
                self._context = ssl.create_default_context()
            loop = asyncio.get_running_loop()
            _, connection = await loop.create_connection(
                lambda: _Connection(self._largest, self._end), self._host, self._port, ssl=self._context
            )
        except Exception as error:
            asked.opening = None
            self._end(asked, error)
            return
        asked.opening = None
        if asked.over:
            connection.drop()
        else:
            connection.send(asked)

    def _late(self, asked: _Asked) -> None:
        self._end(asked, TimeoutError())

    def _end(self, asked: _Asked, outcome: Said | Exception | None = None, *, goes_on: bool = False) -> None:
        """A request is over, if it was not before: tell who asked, and let the next one begin.

        Args:
            asked: The request.
            outcome: What the server said, or why it did not; None when nobody waits for it any more.
            goes_on: Whether its connection takes another request; half an exchange cannot be gone on with.
        """
        if asked.over:
            return
        asked.over = True
        for under_way in (asked.alarm, asked.opening):
            if under_way is not None:
                under_way.cancel()
        if not asked.said.done():
            if isinstance(outcome, Exception):
                asked.said.set_exception(outcome)
            elif outcome is not None:
                asked.said.set_result(outcome)
        if asked.connection is not None:
            if goes_on:
                self._free.append((time.monotonic(), asked.connection))
            else:
                asked.connection.drop()
        if asked.began is not None:
            self._pace.leave(asked.began, outcome if isinstance(outcome, Said) else None)


class _Connection(asyncio.Protocol):
    """One connection, with one request under way at most."""

    def __init__(self, largest: int, end: _End) -> None:
        self._largest, self._end = largest, end
        self._transport: asyncio.Transport | None = None
        self._asked: _Asked | None = None
        self._answer = Reading(largest)

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def send(self, asked: _Asked) -> None:
        """Ask the server; what it says comes to `end`."""
        assert self._transport is not None
        self._answer, self._asked, asked.connection = Reading(self._largest), asked, self
        self._transport.write(asked.request)

    def drop(self) -> None:
        """Let go of it, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other loops have transports of their own: uvloop's, which Ray's workers run where it is installed.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        asked = self._asked
        if asked is None or asked.over:
            self.drop()  # nobody asked: it must not be taken for the answer to the next request
            return
        try:
            said = self._answer.add(data)
        except ConnectionError as error:
            self._end(asked, error)
            return
        if said is not None:
            self._asked = None
            self._end(asked, said, goes_on=self._answer.may_go_on)

    def connection_lost(self, error: Exception | None) -> None:
        asked, self._asked = self._asked, None
        if asked is None or asked.over:
            return
        said = self._answer.ended() if error is None else None
        reset = ConnectionResetError("it was closed before the answer was whole")
        self._end(asked, said or error or reset)
