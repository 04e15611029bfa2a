"""The base of clients that add one thing to another client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage, ModelInfo, RequestUsage
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

ToolChoice = Tool | Literal["auto", "required", "none"]
JsonOutput = bool | type[BaseModel] | None
Call = Callable[[], Awaitable[CreateResult]]
"""A call that is ready to be made."""
ASSUMED_CONTEXT = 8192
"""What `remaining_tokens` counts down from: no server says how long its context is."""


_ROLES = {"SystemMessage": "system", "UserMessage": "user", "AssistantMessage": "assistant"}


def estimated_tokens(messages: Sequence[LLMMessage]) -> int:
    """About how many tokens the messages have: four Latin characters or one other character make a token.

    An estimate on purpose: an exact count would download tiktoken's data, and be wrong for most models anyway.
    """
    total = 0
    for message in messages:
        text = plain(message)[1]
        latin = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
        total += 4 + (latin + 3) // 4 + len(text) - latin
    return total


def plain(message: LLMMessage) -> tuple[str, str]:
    """A message as (role, content), both text."""
    role = _ROLES.get(message.type, "tool")
    if isinstance(message.content, str):
        return role, message.content
    return role, "\n".join(part if isinstance(part, str) else _part(part) for part in message.content)


def _part(part: object) -> str:
    return part.model_dump_json() if isinstance(part, BaseModel) else f"[{type(part).__name__}]"


class Client(ChatCompletionClient):
    """The methods of a client that are the same for all of ours; one that answers has to write only `create`."""

    model: str
    """The name that prices and transcripts know the model by."""

    where: str
    """The model and its address, as messages to the user name it."""

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: ToolChoice = "auto",
        json_output: JsonOutput = None,
        extra_create_args: Mapping[str, Any] = {},
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The answer in one piece: half an answer could be neither retried nor recorded."""
        result = await self.create(
            messages,
            tools=tools,
            tool_choice=tool_choice,
            json_output=json_output,
            extra_create_args=extra_create_args,
            cancellation_token=cancellation_token,
        )
        if isinstance(result.content, str):
            yield result.content
        yield result

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()) -> int:
        """An estimate by length, see `estimated_tokens`."""
        return estimated_tokens(messages)

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()) -> int:
        """What an assumed context of 8192 tokens leaves, by the same estimate."""
        return ASSUMED_CONTEXT - estimated_tokens(messages)

    @property
    def capabilities(self) -> ModelInfo:
        """The same as `model_info`, under AutoGen's older name."""
        return self.model_info


class Wrapper(Client):
    """Passes everything on to `inner`; a subclass overrides the one thing it adds."""

    def __init__(self, inner: ChatCompletionClient) -> None:
        """Wrap a client."""
        self.inner = inner
        self.model = getattr(inner, "model", "unknown")
        self.where = getattr(inner, "where", self.model)
        self.innermost: ChatCompletionClient = getattr(inner, "innermost", inner)
        """The client under all wrappers, which is one object however many consultations share it."""

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
        """Pass the call on, through what this wrapper adds."""

        async def call() -> CreateResult:
            return await self.inner.create(
                messages,
                tools=tools,
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=extra_create_args,
                cancellation_token=cancellation_token,
            )

        return await self.around(call, messages, extra_create_args)

    async def around(self, call: Call, messages: Sequence[LLMMessage], options: Mapping[str, Any]) -> CreateResult:
        """What a wrapper adds around a call; by itself, nothing."""
        return await call()

    async def close(self) -> None:
        """Close the inner client."""
        await self.inner.close()

    def actual_usage(self) -> RequestUsage:
        """The usage the inner client counted."""
        return self.inner.actual_usage()

    def total_usage(self) -> RequestUsage:
        """The usage the inner client counted."""
        return self.inner.total_usage()

    @property
    def model_info(self) -> ModelInfo:
        """What the inner client says about its model."""
        return self.inner.model_info


def innermost(client: ChatCompletionClient) -> ChatCompletionClient:
    """The client under all wrappers, or the client itself."""
    return client.innermost if isinstance(client, Wrapper) else client
