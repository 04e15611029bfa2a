"""Counts the requests that are in flight, and sends no more once a run is to stop.

A request that was sent is paid for, so a run that stops waits for its answer; one that was not sent costs nothing.
"""

from __future__ import annotations

from osler.errors import RunStopped
from osler.models.chat import ChatClient, ChatRequest, ClientWrapper
from osler.models.completion import Completion


class InFlight:
    """The requests of all backbones in this process."""

    def __init__(self) -> None:
        """Nothing was sent yet."""
        self.count = 0
        self._stopped: RunStopped | None = None

    def stop(self, reason: RunStopped) -> None:
        """Send no more requests."""
        self._stopped = self._stopped or reason

    def check(self) -> None:
        """Raise `RunStopped` when no more requests may be sent."""
        if self._stopped is not None:
            raise RunStopped(self._stopped.kind, self._stopped.message)


class CountingClient(ClientWrapper):
    """A client that counts its requests while they are in flight."""

    def __init__(self, inner: ChatClient, requests: InFlight) -> None:
        """Wrap the client that sends."""
        super().__init__(inner)
        self._requests = requests

    async def complete(self, request: ChatRequest) -> Completion:
        """Send the request, unless the run is to stop."""
        self._requests.check()
        self._requests.count += 1
        try:
            return await self.inner.complete(request)
        finally:
            self._requests.count -= 1
