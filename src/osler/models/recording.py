"""Keeps every call of one role of one consultation."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage
from autogen_core.tools import Tool, ToolSchema

from osler.errors import printable
from osler.models.completion import Completion, usable_text
from osler.models.errors import BackboneError, FailureKind, scrub
from osler.models.model_call import ModelCall
from osler.models.prices import cost
from osler.models.wrapper import JsonOutput, ToolChoice, Wrapper, plain


class Recording(Wrapper):
    """A client that reports each call after it has ended, however it ended."""

    def __init__(self, inner: ChatCompletionClient, *, role: str, record: Callable[[ModelCall], None]) -> None:
        """Wrap the shared client of a backbone for one role."""
        super().__init__(inner)
        self._role = role
        self._record = record

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: ToolChoice = "auto",
        json_output: JsonOutput = None,
        extra_create_args: Mapping[str, Any] = {},
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        """Pass the call on and report it."""
        start = time.monotonic()
        common: dict[str, Any] = {
            "role": self._role,
            "model": self.model,
            # Taken before the call: agents go on appending to the list they pass.
            "messages": tuple(plain(message) for message in messages),
            "structured": "response_format" in extra_create_args or bool(json_output),
        }
        try:
            result = await self.inner.create(
                messages,
                tools=tools,
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=extra_create_args,
                cancellation_token=cancellation_token,
            )
            done = Completion.of(result, self.model)
            if isinstance(done.content, str):
                usable_text(done, self.where)
        except BaseException as error:
            failure = _failure(error, self.model)
            self._record(ModelCall(**common, **failure, seconds=time.monotonic() - start))
            raise
        seconds = time.monotonic() - start
        self._record(ModelCall(**common, **_success(done), seconds=seconds))
        return done

    async def close(self) -> None:
        """Leave the shared client open: whoever opened the backbone closes it."""


def _success(done: Completion) -> dict[str, Any]:
    text = done.content if isinstance(done.content, str) else " ".join(str(call) for call in done.content)
    return {"text": text, "attempts": done.attempts, "source": done.source.value, **_answer(done)}


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


def _failure(error: BaseException, model: str) -> dict[str, Any]:
    if isinstance(error, BackboneError):
        given = _answer(Completion.of(error.answer, model)) if error.answer is not None else {}
        return {"error": error.kind, "error_line": str(error), "attempts": error.attempts, **given}
    cancelled = isinstance(error, asyncio.CancelledError)
    line = "the call was cancelled" if cancelled else f"{type(error).__name__}: {printable(scrub(str(error)))}"
    return {"error": FailureKind.OTHER, "error_line": line, "attempts": 1}
