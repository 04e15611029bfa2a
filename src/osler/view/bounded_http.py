"""HTTP for a page that strangers may reach: nobody can keep its owner out by opening connections and saying nothing."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_WAITING = 64
"""Connections without a whole request that are kept. As many again may come in one go: a process can open that many."""
_UNFINISHED = {h11.IDLE, h11.SEND_BODY}
"""Where a client stands that has not sent a whole request."""


class BoundedHttp(H11Protocol):
    """One connection. A request has to be whole in time, headers and body.

    Of the connections from which a whole request is still to come, only the newest are kept: whoever connects and asks
    is answered, however many connect and do not.
    """

    seconds: ClassVar[float]
    """For a whole request, from its first byte or from the connection on."""
    waiting: ClassVar[dict[BoundedHttp, None]]
    """The connections of the same server from which a whole request is still to come, oldest first."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take what uvicorn gives."""
        super().__init__(*args, **options)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Somebody has connected."""
        super().connection_made(transport)
        self._set_deadline()
        self._look()

    def data_received(self, data: bytes) -> None:
        """Part of a request, or several."""
        if self._is_waiting:
            self._set_deadline()  # for the next request on a connection that was kept
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """A request was answered."""
        super().on_response_complete()  # which begins with the next request where it is already there
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        self.waiting.pop(self, None)
        self._drop_deadline()
        super().connection_lost(exc)

    @property
    def _is_waiting(self) -> bool:
        return self.conn.their_state in _UNFINISHED and not self.transport.is_closing()

    def _look(self) -> None:
        if not self._is_waiting:
            self.waiting.pop(self, None)
            self._drop_deadline()
        elif self not in self.waiting:
            self.waiting[self] = None
            if len(self.waiting) > MOST_WAITING:
                next(iter(self.waiting))._close()

    def _close(self) -> None:
        self.waiting.pop(self, None)
        self.transport.abort()

    def _set_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self._close)

    def _drop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def bounded_http(seconds_for_request: float) -> type[asyncio.Protocol]:
    """The protocol of one server."""

    class OfOneServer(BoundedHttp):
        seconds = seconds_for_request
        waiting: ClassVar[dict[BoundedHttp, None]] = {}

    return OfOneServer
