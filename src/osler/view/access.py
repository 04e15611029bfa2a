"""Keep strangers out.

Check the token and the Host header, and limit connections that send no request.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
from collections.abc import Iterable
from typing import ClassVar

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src"
    " 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HOST = re.compile(r"\[?([^\[\]:/@]+|[\da-f:.]+\])(?::\d+)?")
MOST_WAITING = 64
"""Connections without a whole request that are kept. As many again may come in one go: a process
can open that many."""


class Access:
    """Middleware that takes the token off the path, and refuses other hosts and origins."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        """Guard an app with a token, the first part of every path, and the server's names.

        Plain IP addresses are always allowed: only a name can be made to point here by DNS.
        """
        self._app = app
        self._token = token
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it; every response carries the same headers."""
        if scope["type"] != "http":  # startup and shutdown; the server takes no websockets
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        status = self._refusal(scope)
        if status:
            await PlainTextResponse("", status, {"Connection": "close"})(scope, receive, guarded)
            return
        path = scope["path"].removeprefix(f"/{self._token}")
        inside = {**scope, "path": path, "raw_path": path.encode("utf-8", "surrogatepass")}
        await self._app(inside, receive, guarded)

    def _refusal(self, scope: Scope) -> int:
        """Return the status of a refusal, or 0 if the request is welcome."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin")
        if not self._is_own(host):
            return 403
        first, slash, _ = scope["path"].removeprefix("/").partition("/")
        if (
            not secrets.compare_digest(first.encode("utf-8", "replace"), self._token.encode())
            or not slash
        ):
            return 404
        foreign = origin is not None and origin not in (f"http://{host}", f"https://{host}")
        if foreign and scope["method"] not in {"GET", "HEAD"}:
            return 403
        return 0

    def _is_own(self, host: str) -> bool:
        found = _HOST.fullmatch(host.lower())
        name = found[1].rstrip("]") if found else ""
        try:
            return name in self._hosts or bool(ipaddress.ip_address(name))
        except ValueError:
            return False


class BoundedHttp(H11Protocol):
    """A connection that has to send a whole request in time.

    Of the connections that have not, only the newest are kept: whoever connects and asks is
    answered, however many connect and do not. Between requests, a connection is kept as long as
    uvicorn keeps it; `Access` closes those of strangers.
    """

    seconds: ClassVar[float]
    """For a whole request, headers and body, from the connection or from its first byte on."""
    waiting: ClassVar[dict[BoundedHttp, asyncio.TimerHandle]]
    """The server's connections from which a whole request is still to come, oldest first, with
    their deadlines."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Start the clock."""
        super().connection_made(transport)
        self._update()

    def data_received(self, data: bytes) -> None:
        """Stop the clock once the request is whole."""
        super().data_received(data)
        self._update()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        super().connection_lost(exc)

    def _update(self) -> None:
        if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY} or self.transport.is_closing():
            self._forget()
        elif self not in self.waiting:
            self.waiting[self] = self.loop.call_later(self.seconds, self._drop)
            if len(self.waiting) > MOST_WAITING:
                next(iter(self.waiting))._drop()

    def _drop(self) -> None:
        self._forget()
        self.transport.abort()

    def _forget(self) -> None:
        deadline = self.waiting.pop(self, None)
        if deadline:
            deadline.cancel()


def bounded_http(seconds: float) -> type[asyncio.Protocol]:
    """The protocol class of one server, with the seconds that a request may take to arrive."""
    return type("BoundedHttpOfOneServer", (BoundedHttp,), {"seconds": seconds, "waiting": {}})
