"""Tries a call again where that may help."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage
from autogen_core.tools import Tool, ToolSchema

from osler.models.completion import Completion
from osler.models.errors import BackboneError, backbone_error
from osler.models.wrapper import JsonOutput, ToolChoice, Wrapper
from osler.waiting import LONGEST_PAUSE, retry_after

FIRST_PAUSE = 0.5

Sleep = Callable[[float], Awaitable[None]]


def generator(purpose: str) -> random.Random:
    """A generator of its own for one purpose; no global one is touched."""
    return random.Random(int.from_bytes(sha256(purpose.encode()).digest()))  # noqa: S311 -- jitter is no secret


class Retrying(Wrapper):
    """Bounded attempts with exponential backoff and full jitter; every error comes out as a `BackboneError`."""

    def __init__(
        self,
        inner: ChatCompletionClient,
        *,
        retries: int = 4,
        rng: random.Random | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Wrap a client.

        Args:
            inner: The client that does the calls, each for no longer than it may take.
            retries: How often a failed call is tried again.
            rng: Where the jitter comes from.
            sleep: How to pause; tests give one that does not.
        """
        super().__init__(inner)
        self._retries = retries
        self._rng = rng or generator(f"retry {self.where}")
        self._sleep = sleep

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
        """Call until it succeeds, fails for good, or the attempts are used up."""

        async def call() -> CreateResult:
            return await self.inner.create(
                messages,
                tools=tools,
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=extra_create_args,
                cancellation_token=cancellation_token,
            )

        attempt = 1
        while True:
            outcome = await self._outcome(call)
            if isinstance(outcome, CreateResult):
                done = Completion.of(outcome, self.model)
                return done if attempt == done.attempts else done.model_copy(update={"attempts": attempt})
            if not outcome.worth_retry or attempt > self._retries:
                outcome.attempts = attempt
                raise outcome  # outside of the except block, which would hang its exception on this one again
            await self._sleep(self._pause(attempt, outcome))
            attempt += 1

    async def _outcome(self, call: Callable[[], Awaitable[CreateResult]]) -> CreateResult | BackboneError:
        try:
            return await call()
        except Exception as error:
            failure = backbone_error(error, self.where)
            if failure is None:
                raise
            # What it came from holds the request, and that the key: nothing of it may hang on the error.
            failure.__cause__ = failure.__context__ = None
            return failure.with_traceback(None)

    def _pause(self, attempt: int, failure: BackboneError) -> float:
        asked = retry_after(failure.retry_after)
        if asked is not None:
            return min(asked, LONGEST_PAUSE)
        return self._rng.uniform(0, min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE))
