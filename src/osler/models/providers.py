"""`openai:`, `azure:`, `anthropic:`, `gemini:`, `ollama:` and plug-ins, through AutoGen's clients.

For models, the only file that imports AutoGen (now in maintenance mode), so replacing it means
changing this file. SDK retries are off; `retry` handles them. SDKs are imported when needed,
because importing any of them takes seconds.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import warnings
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
    SystemMessage,
    UserMessage,
)
from pydantic import BaseModel

from osler.api_keys import AZURE_VERSION, PROVIDERS, ServerKey, is_loopback, key_for, provider_url
from osler.errors import UserError
from osler.models.chat import (
    ChatClient,
    ChatMessage,
    ChatRequest,
    ClientWrapper,
    response_format,
    strict_schema,
)
from osler.models.completion import Completion
from osler.models.errors import BackboneError, backbone_error, not_json, own_client_error
from osler.models.neutral import neutral_options
from osler.models.spec import PLUGIN_GROUP, Spec, check_parameters, checked_url
from osler.plugins import load_plugin, plugin_factory, plugin_names

if TYPE_CHECKING:
    import httpx

_WANTED = (
    "check its parameters, as in `package.module:Class model=NAME`; it makes AutoGen's"
    " ChatCompletionClient or osler.models.ChatClient"
)
_USUAL_AZURE_VERSION = "2024-10-21"
_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
_ANTHROPIC_PARAMETERS = frozenset(
    {"max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "metadata", "thinking"}
)
_SET_BY_OSLER = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "n",
        "response_format",
        "functions",
        "function_call",
        "tools",
        "tool_choice",
        "audio",
        "modalities",
    }
)
_SAMPLING = ("temperature", "max_tokens", "seed")
"""Parameters of a call, not of the client: also those of a plugin are sent with every request."""
_REASONING = re.compile(r"o\d|gpt-5")
"""OpenAI's reasoning models, which refuse any sampling but their own."""
_TEXT_ONLY = ModelInfo(
    vision=False, function_calling=False, json_output=True, family="unknown", structured_output=True
)
"""Given explicitly: AutoGen's own tables know neither new models nor other servers."""


@dataclass(eq=False)
class AutoGenClient(ChatClient):
    """Any AutoGen `ChatCompletionClient`, without retries of its own."""

    client: ChatCompletionClient
    model: str
    where: str
    timeout: float
    """Seconds for an answer."""
    options: Mapping[str, Any]
    """The create arguments of every call."""
    key: ServerKey | None = None
    """The key it sends, for the remedy when that is refused."""
    max_tokens_name: str = "max_tokens"
    """Name of the create argument for the maximum tokens."""
    schema_arguments: Callable[[type[BaseModel]], dict[str, Any]] | None = None
    """The create arguments that ask for a JSON schema; by default AutoGen's `json_output` does."""
    takes_schema: bool = True
    close_with: Callable[[], Awaitable[None]] | None = None
    """Closes it, if its own `close` does not."""
    is_own_code: bool = False
    """Whether the client is a class of your own, whose faults are told with their place."""

    async def complete(self, request: ChatRequest) -> Completion:
        """One call of AutoGen's client."""
        messages = [_autogen_message(message) for message in request.messages]
        arguments = self._arguments(request)
        json_output = None if self.schema_arguments is not None else request.schema
        response: dict[str, Any] = {}
        _RESPONSE.set(response)
        try:
            async with asyncio.timeout(self.timeout):
                result = await self.client.create(
                    messages, json_output=json_output, extra_create_args=arguments
                )
        except Exception as error:
            failure = self._failure(error)
        else:
            return self._completion(result, response)
        # Outside of the `except`: the exception holds the request, and with it the key.
        raise failure

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        """The create arguments of a request."""
        arguments = dict(self.options)
        default = arguments.pop("max_tokens", None)
        max_tokens = request.max_tokens or default
        if max_tokens is not None:
            arguments[self.max_tokens_name] = max_tokens
        if request.schema is not None and self.schema_arguments is not None:
            arguments |= self.schema_arguments(request.schema)
        return arguments

    def _failure(self, error: Exception) -> BackboneError:
        if self.is_own_code:
            failure = own_client_error(error, self.where, self.timeout)
        else:
            failure = backbone_error(error, self.where, self.timeout, self.key)
        failure = failure.with_traceback(None)
        failure.__cause__ = failure.__context__ = None
        return failure

    async def close(self) -> None:
        """Close its connections."""
        await (self.close_with or self.client.close)()

    def _completion(self, result: CreateResult, response: Mapping[str, Any]) -> Completion:
        if not isinstance(result.content, str):
            raise not_json(self.where, "a text")
        return Completion.from_text(
            result.content,
            model=self.model,
            finish=result.finish_reason,
            usage=_usage(result.usage, response.get("usage")),
            thought=result.thought,
            fingerprint=response.get("system_fingerprint"),
        )


def _usage(counts: RequestUsage, details: object) -> dict[str, Any] | None:
    """The usage of a call; None if AutoGen says 0, as it does where it knows nothing."""
    if not counts.prompt_tokens:
        return None
    usage = dict(details) if isinstance(details, dict) else {}
    usage["prompt_tokens"] = counts.prompt_tokens
    usage["completion_tokens"] = counts.completion_tokens
    return usage


_RESPONSE: ContextVar[dict[str, Any]] = ContextVar("response")
"""Takes the JSON of the response to this task's call.

AutoGen's result leaves out cached tokens and the fingerprint."""


async def _note_response(response: httpx.Response) -> None:
    await response.aread()
    with suppress(ValueError, LookupError, RecursionError):
        body = response.json()
        if isinstance(body, dict):
            _RESPONSE.get().update(body)


def _plugin_fault(value: object) -> str | None:
    if isinstance(value, ChatClient | ChatCompletionClient):
        return None
    return "is no ChatCompletionClient"


class _OpenClient(ClientWrapper):
    """A client that came as an object in Python: whoever made it closes it."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Pass the call on."""
        return await self.inner.complete(request)

    async def close(self) -> None:
        """Leave it open."""


async def _leave_open() -> None:
    """Close nothing: the client came as an object, and whoever made it closes it."""


def open_plugin(spec: Spec, options: Mapping[str, Any], timeout: float) -> ChatClient:
    """Open the client that your own class or function makes of a spec; UserError if it does not."""
    names = plugin_names(PLUGIN_GROUP)
    parameters = {name: value for name, value in spec.options().items() if name not in _SAMPLING}
    client = load_plugin("backbone", PLUGIN_GROUP, spec.model, names)
    stays_open = _plugin_fault(client) is None
    if not stays_open:
        factory = plugin_factory(
            "backbone", PLUGIN_GROUP, spec.model, names, wanted=_WANTED, fault=_plugin_fault
        )
        client = factory(**parameters)
    if isinstance(client, ChatClient):
        if stays_open:
            return _OpenClient(client)
        return client
    assert isinstance(client, ChatCompletionClient)
    model = str(parameters.get("model") or spec.model)
    return AutoGenClient(
        client,
        model,
        where=model,
        timeout=timeout,
        options={name: value for name, value in options.items() if name in _SAMPLING},
        takes_schema=bool(client.model_info.get("structured_output", False)),
        close_with=_leave_open if stays_open else None,
        is_own_code=True,
    )


def open_provider(spec: Spec, options: Mapping[str, Any], timeout: float) -> ChatClient:
    """Open the client of a provider's model.

    Raises:
        UserError: A package, a key or an address is missing, or a parameter is not known.
    """
    url = provider_url(spec.kind)
    if not url:
        raise UserError(
            f"the address for {spec.kind}:{spec.model} is not known",
            f"set {PROVIDERS[spec.kind].address}",
        )
    url = checked_url(url)
    key = key_for(url, PROVIDERS[spec.kind].key)
    if not key.value and spec.kind in {"openai", "anthropic", "gemini"}:
        raise UserError(f"there is no key for {spec.kind}:{spec.model}", f"set {key.variable}")
    # A server may call its model by a longer name.
    warnings.filterwarnings("ignore", message="Resolved model mismatch")
    opener = {"anthropic": _anthropic, "ollama": _ollama}.get(spec.kind, _openai)
    return opener(_Access(spec, url, key, options, timeout))


class _Access(NamedTuple):
    """All that is needed to open a provider's model."""

    spec: Spec
    url: str
    key: ServerKey
    options: Mapping[str, Any]
    timeout: float

    @property
    def http(self) -> dict[str, Any]:
        """The settings of an HTTP client."""
        # On this machine no proxy could reach it.
        is_here = is_loopback(urlsplit(self.url).hostname or "")
        return {"timeout": self.timeout, "trust_env": not is_here, "follow_redirects": False}

    def settings(self, http_client: object) -> dict[str, Any]:
        """The settings shared by AutoGen's clients over the SDKs of OpenAI and Anthropic."""
        return {
            "model": self.spec.model,
            "model_info": _TEXT_ONLY,
            "http_client": http_client,
            "timeout": self.timeout,
            "max_retries": 0,
        }

    def adapt(self, client: ChatCompletionClient, **overrides: Any) -> ChatClient:
        """AutoGen's client as ours."""
        fields = {
            "model": self.spec.model,
            "where": f"{self.spec.model} at {self.url}",
            "timeout": self.timeout,
            "key": self.key,
            "options": self.options,
        }
        return AutoGenClient(client, **{**fields, **overrides})


def _openai(access: _Access) -> ChatClient:
    """OpenAI itself, a deployment at Azure, and Gemini at its OpenAI-compatible address."""
    from autogen_ext.models.openai import (
        AzureOpenAIChatCompletionClient,
        OpenAIChatCompletionClient,
    )
    from openai import DefaultAioHttpClient  # half the work of the SDK's own HTTP client
    from openai.types.chat.completion_create_params import CompletionCreateParamsBase

    spec, url, key, options, _ = access
    allowed = {*CompletionCreateParamsBase.__annotations__, "extra_body"} - _SET_BY_OSLER
    check_parameters(spec.kind, options, allowed)
    http = DefaultAioHttpClient(**access.http, event_hooks={"response": [_note_response]})
    settings = access.settings(http) | {"include_name_in_message": False}
    client: ChatCompletionClient
    if spec.kind == "azure":
        if key.value:
            settings["api_key"] = key.value
        else:
            settings["azure_ad_token_provider"] = _azure_sign_in(spec, key)
        client = AzureOpenAIChatCompletionClient(
            azure_deployment=spec.model,
            azure_endpoint=url,
            api_version=os.environ.get(AZURE_VERSION, "").strip() or _USUAL_AZURE_VERSION,
            **settings,
        )
    else:
        client = OpenAIChatCompletionClient(base_url=url, api_key=key.value, **settings)
    is_openai = spec.kind == "azure" or url == PROVIDERS["openai"].url
    if is_openai and _REASONING.match(spec.model):
        refused = {"temperature", *neutral_options(spec)} - spec.options().keys()
        options = {name: value for name, value in options.items() if name not in refused}
    return access.adapt(
        client,
        options=options,
        # Other servers of this protocol know only the older name.
        max_tokens_name="max_completion_tokens" if is_openai else "max_tokens",
        schema_arguments=lambda schema: {"response_format": response_format(schema)},
    )


def _anthropic(access: _Access) -> ChatClient:
    """Anthropic, whose AutoGen client refuses JSON schemas."""
    _require("anthropic", access.spec)
    check_parameters("anthropic", access.spec.options(), _ANTHROPIC_PARAMETERS)
    import httpx
    from anthropic import DEFAULT_CONNECTION_LIMITS
    from autogen_ext.models.anthropic import AnthropicChatCompletionClient

    settings = access.settings(httpx.AsyncClient(**access.http, limits=DEFAULT_CONNECTION_LIMITS))
    client = AnthropicChatCompletionClient(
        base_url=access.url, api_key=access.key.value, **settings
    )
    # Osler's own defaults have a seed, which Anthropic's models do not take.
    options = {
        name: value for name, value in access.options.items() if name in _ANTHROPIC_PARAMETERS
    }
    return access.adapt(client, options=options, takes_schema=False)


def _ollama(access: _Access) -> ChatClient:
    """Ollama, over a client of its SDK."""
    _require("ollama", access.spec)
    import ollama

    # The base class, since AutoGen's public class takes an address and neither key nor proxy.
    from autogen_ext.models.ollama._ollama_client import BaseOllamaChatCompletionClient

    allowed = {*ollama.Options.model_fields, "max_tokens", "keep_alive", "think"}
    check_parameters("ollama", access.options, allowed)
    headers = {"Authorization": f"Bearer {access.key.value}"} if access.key.value else {}
    sdk = ollama.AsyncClient(access.url, headers=headers, **access.http)
    client = BaseOllamaChatCompletionClient(
        sdk, create_args={"model": access.spec.model}, model_info=_TEXT_ONLY
    )
    return access.adapt(
        client,
        max_tokens_name="num_predict",
        schema_arguments=lambda schema: {"format": strict_schema(schema)},
        close_with=sdk.close,
    )


def _require(package: str, spec: Spec) -> None:
    if importlib.util.find_spec(package) is None:
        raise UserError(
            f"{spec.kind}:{spec.model} needs the package {package}",
            f"pip install 'osler[{spec.kind}]'",
        )


def _azure_sign_in(spec: Spec, key: ServerKey) -> Any:
    """A provider of tokens for who is signed in at Azure; `Any`, as the package is an extra."""
    try:
        identity = importlib.import_module("azure.identity.aio")
    except ImportError:
        raise UserError(
            f"there is no key for azure:{spec.model}",
            f"set {key.variable}, or sign in at Azure and pip install 'osler[azure]'",
        ) from None
    return identity.get_bearer_token_provider(identity.DefaultAzureCredential(), _AZURE_SCOPE)


def _autogen_message(message: ChatMessage) -> LLMMessage:
    role, content = message
    if role == "system":
        return SystemMessage(content=content)
    if role == "assistant":
        return AssistantMessage(content=content, source="assistant")
    return UserMessage(content=content, source="user")
