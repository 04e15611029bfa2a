"""Stops a whole run when an endpoint is down for good, instead of failing every consultation of it."""

from __future__ import annotations

from osler.errors import RunStopped
from osler.models.chat import ChatClient, ChatRequest, ClientWrapper
from osler.models.completion import Completion
from osler.models.errors import BackboneError, FailureKind

IN_A_ROW = 5
"""Calls that failed one after another, each with all its attempts, before an endpoint counts as down."""

_DOWN = frozenset(
    {
        FailureKind.UNREACHABLE,
        FailureKind.UNAUTHORIZED,
        FailureKind.UNKNOWN_MODEL,
        FailureKind.SERVER_ERROR,
        FailureKind.TIMEOUT,
        FailureKind.RATE_LIMITED,
        FailureKind.NOT_JSON,
    }
)
"""Failures that tell of the endpoint; an empty or refused answer tells of one prompt."""
_AT_ONCE = frozenset({FailureKind.UNREACHABLE, FailureKind.UNAUTHORIZED, FailureKind.UNKNOWN_MODEL})
"""Before the first answer one of these is enough: the address, the key or the name is wrong."""


class CircuitBreaker(ClientWrapper):
    """Passes calls on until the endpoint is down; then every call raises `RunStopped` without asking."""

    def __init__(self, inner: ChatClient, *, in_a_row: int = IN_A_ROW) -> None:
        """Watch one endpoint."""
        super().__init__(inner)
        self._in_a_row = in_a_row
        self._failed = 0
        self._ever_answered = False
        self._down: str | None = None

    async def complete(self, request: ChatRequest) -> Completion:
        """Pass the call on, and count failures in a row."""
        if self._down is not None:
            raise RunStopped("endpoint down", self._down)
        try:
            result = await self.inner.complete(request)
        except BackboneError as error:
            if self._is_down_after(error):
                self._down = str(error)
                raise RunStopped("endpoint down", self._down) from None
            raise
        self._failed, self._ever_answered = 0, True
        return result

    def _is_down_after(self, error: BackboneError) -> bool:
        if error.kind not in _DOWN:
            self._failed, self._ever_answered = 0, True  # it answered, only not usably
            return False
        self._failed += 1
        return self._failed >= self._in_a_row or (not self._ever_answered and error.kind in _AT_ONCE)
