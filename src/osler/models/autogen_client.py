"""AutoGen's chat clients as ours. For models, this is the only file that imports AutoGen.

AutoGen is in maintenance: what takes its place one day is adapted here. Vendors' SDKs are imported where they are
needed, since they take seconds.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    SystemMessage,
    UserMessage,
)
from pydantic import BaseModel

from osler.api_keys import ServerKey
from osler.models.chat import ChatClient, ChatMessage, ChatRequest
from osler.models.completion import Completion, check_usable, token_count, whole_characters
from osler.models.errors import BackboneError, backbone_error, not_json, too_late

SchemaArguments = Callable[[type[BaseModel]], dict[str, Any]]
"""The arguments of a call that ask for a JSON schema."""

_TEXT_ONLY = ModelInfo(
    vision=False,
    function_calling=False,
    json_output=True,
    family="unknown",
    structured_output=True,
    multiple_system_messages=False,
)
"""Given explicitly: AutoGen's own tables know neither new models nor other servers."""


class AutoGenClient(ChatClient):
    """Any AutoGen `ChatCompletionClient`."""

    def __init__(
        self,
        client: ChatCompletionClient,
        *,
        model: str,
        where: str,
        timeout: float,
        options: Mapping[str, Any],
        key: ServerKey | None = None,
        max_tokens_name: str = "max_tokens",
        schema_arguments: SchemaArguments | None = None,
        takes_schema: bool = True,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Adapt a client.

        Args:
            client: AutoGen's client, without retries of its own.
            model: The name that prices and transcripts know the model by.
            where: The model and its address, for messages.
            timeout: Seconds for an answer.
            options: The create arguments of every call.
            key: The key it sends, for the remedy when that is refused.
            max_tokens_name: What the longest answer is called among its create arguments.
            schema_arguments: How it is asked for a JSON schema; by default through AutoGen's `json_output`.
            takes_schema: Whether it takes one at all.
            close: Closes it, where its own `close` does not.
        """
        self.model, self.where, self.takes_schema = model, where, takes_schema
        self._client, self._timeout, self._key = client, timeout, key
        self._options = dict(options)
        self._max_tokens_name = max_tokens_name
        if "max_tokens" in self._options:
            self._options[max_tokens_name] = self._options.pop("max_tokens")
        self._schema_arguments = schema_arguments
        self._close = close or client.close

    async def complete(self, request: ChatRequest) -> Completion:
        """One call of AutoGen's client."""
        arguments: dict[str, Any] = dict(self._options)
        if request.max_tokens is not None:
            arguments[self._max_tokens_name] = request.max_tokens
        output: type[BaseModel] | None = None
        if request.schema is not None and self._schema_arguments is not None:
            arguments |= self._schema_arguments(request.schema)
        else:
            output = request.schema
        messages = [_autogen_message(message) for message in request.messages]
        try:
            async with asyncio.timeout(self._timeout):
                result = await self._client.create(messages, json_output=output, extra_create_args=arguments)
        except TimeoutError:
            failure = too_late(self.where, self._timeout)
        except Exception as error:
            failure = _clean(backbone_error(error, self.where, self._key))
        else:
            return check_usable(self._completion(result), self.where)
        raise failure  # outside of the except block: what it came from holds the request, and that the key

    async def close(self) -> None:
        """Close its connections."""
        await self._close()

    def _completion(self, result: CreateResult) -> Completion:
        """AutoGen says 0 for numbers it does not know; no prompt has 0 tokens, so 0 there means unknown."""
        if not isinstance(result.content, str):
            raise not_json(self.where, "a text")
        known = token_count(result.usage.prompt_tokens) is not None and result.usage.prompt_tokens > 0
        return Completion(
            content=whole_characters(result.content),
            finish_reason=result.finish_reason,
            thought=result.thought,
            model=self.model,
            tokens_in=result.usage.prompt_tokens if known else None,
            tokens_out=result.usage.completion_tokens if known else None,
        )


def adapt(client: object, *, name: str, timeout: float, options: Mapping[str, Any]) -> ChatClient | None:
    """The client that somebody else's class made, as ours; None where it is no chat client."""
    if isinstance(client, ChatClient):
        return client
    if not isinstance(client, ChatCompletionClient):
        return None
    takes_schema = bool(client.model_info.get("structured_output", False))
    return AutoGenClient(client, model=name, where=name, timeout=timeout, options=options, takes_schema=takes_schema)


def openai_client(**settings: Any) -> ChatCompletionClient:
    """AutoGen's client of OpenAI, and of servers that speak its protocol."""
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    _silence()
    return OpenAIChatCompletionClient(**settings, model_info=_TEXT_ONLY, include_name_in_message=False)


def azure_client(**settings: Any) -> ChatCompletionClient:
    """AutoGen's client of a deployment at Azure."""
    from autogen_ext.models.openai import AzureOpenAIChatCompletionClient

    _silence()
    return AzureOpenAIChatCompletionClient(**settings, model_info=_TEXT_ONLY, include_name_in_message=False)


def anthropic_client(**settings: Any) -> ChatCompletionClient:
    """AutoGen's client of Anthropic, which refuses JSON schemas."""
    from autogen_ext.models.anthropic import AnthropicChatCompletionClient

    return AnthropicChatCompletionClient(**settings, model_info=_TEXT_ONLY)


def ollama_client(model: str, client: Any) -> ChatCompletionClient:
    """AutoGen's client of Ollama, over one of Ollama's SDK: its public class takes an address and nothing else."""
    from autogen_ext.models.ollama._ollama_client import BaseOllamaChatCompletionClient

    _silence()
    made: ChatCompletionClient = BaseOllamaChatCompletionClient(
        client, create_args={"model": model}, model_info=_TEXT_ONLY
    )
    return made


def _silence() -> None:
    """A server that calls its model by a longer name is not worth a warning at every call."""
    warnings.filterwarnings("ignore", message="Resolved model mismatch")


def _autogen_message(message: ChatMessage) -> LLMMessage:
    role, content = message
    if role == "system":
        return SystemMessage(content=content)
    if role == "assistant":
        return AssistantMessage(content=content, source="assistant")
    return UserMessage(content=content, source="user")


def _clean(failure: BackboneError) -> BackboneError:
    failure.__cause__ = failure.__context__ = None
    return failure.with_traceback(None)
