"""Keeps every call of one role of one consultation."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict

from osler.api_keys import scrub
from osler.errors import printable
from osler.models.chat import ChatClient, ChatRequest, ClientWrapper
from osler.models.completion import Completion, check_usable, unread_length
from osler.models.errors import BackboneError, FailureKind
from osler.models.prices import cost


class ModelCall(BaseModel):
    """What was asked for which role, and what came of it: a text, or an error."""

    model_config = ConfigDict(frozen=True)

    role: str
    model: str
    messages: tuple[tuple[str, str], ...]
    """The prompt as (role, content)."""
    text: str | None = None
    thought: str | None = None
    """What the model thought aloud before it spoke."""
    unread: int = 0
    """How many characters at the end of the text nobody reads: it is far longer than was allowed."""
    error: FailureKind | None = None
    error_line: str | None = None
    finish: str | None = None
    structured: bool = False
    """Whether a JSON schema was sent along."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    seconds: float
    attempts: int
    cost: float | None = None
    source: str = "model"
    """`model`, `cache`, or `earlier` in the same consultation before it was interrupted."""


class Recording(ClientWrapper):
    """A client that reports each call after it has ended, however it ended."""

    def __init__(self, inner: ChatClient, *, role: str, record: Callable[[ModelCall], None]) -> None:
        """Wrap the shared client of a backbone for one role."""
        super().__init__(inner)
        self._role = role
        self._record = record

    async def complete(self, request: ChatRequest) -> Completion:
        """Pass the call on and report it."""
        start = time.monotonic()
        common: dict[str, Any] = {
            "role": self._role,
            "model": self.model,
            "messages": request.messages,
            "structured": request.schema is not None,
        }
        try:
            done = check_usable(await self.inner.complete(request), self.where)
        except BaseException as error:
            self._record(ModelCall(**common, **_failure(error), seconds=time.monotonic() - start))
            raise
        success = {"text": done.content, "attempts": done.attempts, "source": done.source.value, **_answer(done)}
        unread = unread_length(done.content, request.max_tokens)
        self._record(ModelCall(**common, **success, unread=unread, seconds=time.monotonic() - start))
        return done

    async def close(self) -> None:
        """Leave the shared client open: whoever opened the backbone closes it."""


def _answer(done: Completion) -> dict[str, Any]:
    """What is known of an answer besides its text."""
    return {
        "thought": done.thought,
        "finish": done.finish_reason,
        "tokens_in": done.tokens_in,
        "tokens_out": done.tokens_out,
        "tokens_cached": done.tokens_cached,
        "cost": cost(done.model, done.tokens_in, done.tokens_out, done.tokens_cached),
    }


def _failure(error: BaseException) -> dict[str, Any]:
    if isinstance(error, BackboneError):
        given = _answer(error.answer) if error.answer is not None else {}
        return {"error": error.kind, "error_line": str(error), "attempts": error.attempts, **given}
    cancelled = isinstance(error, asyncio.CancelledError)
    line = "the call was cancelled" if cancelled else f"{type(error).__name__}: {printable(scrub(str(error)))}"
    return {"error": FailureKind.OTHER, "error_line": line, "attempts": 1}
