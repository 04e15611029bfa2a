"""Who may ask: only who has the token, under the server's own name. All else learns nothing."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_READING = {"GET", "HEAD"}


class Access:
    """Stands before the app, and takes the token off the address."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str], *, any_address: int | None = None) -> None:
        """Guard an app.

        Args:
            app: What is guarded.
            token: The first part of every address.
            hosts: Names with ports that the server answers to.
            any_address: The port of a server that listens on every address: any plain address is then its own, since
                only names can be made to point somewhere else.
        """
        self._app, self._token, self._hosts, self._port = app, token, frozenset(hosts), any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse without detail; every answer carries the same headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refused = self._refused(scope)
        if refused:
            await PlainTextResponse("", status_code=refused)(scope, receive, guarded)
            return
        start = f"/{self._token}"
        inside = {**scope, "path": scope["path"][len(start) :], "root_path": scope.get("root_path", "")}
        inside["raw_path"] = inside["path"].encode("utf-8", "surrogatepass")
        await self._app(inside, receive, guarded)

    def _refused(self, scope: Scope) -> int:
        headers = Headers(scope=scope)
        if not self._is_own(headers.get("host", "")):
            return 403
        first, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not secrets.compare_digest(first.encode("utf-8", "replace"), self._token.encode()) or not slash:
            return 404
        origin = headers.get("origin")
        if scope["method"] not in _READING and origin is not None:
            scheme, _, host = origin.partition("://")
            if scheme not in {"http", "https"} or not self._is_own(host) or host != headers.get("host"):
                return 403
        return 0

    def _is_own(self, host: str) -> bool:
        if host.lower() in self._hosts:
            return True
        if self._port is None:
            return False
        name, _, port = host.rpartition(":")
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return port == str(self._port)
