"""Models behind the OpenAI protocol: OpenAI itself, vLLM, Ollama, llama.cpp's server and others."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import sys
import warnings
from collections.abc import AsyncIterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage, ModelInfo
from autogen_core.tools import Tool, ToolSchema

from osler.agents.backbones.completion import Completion, oversize, tokens, usable_text
from osler.agents.backbones.errors import not_json
from osler.agents.backbones.spec import Spec, checked_url
from osler.agents.backbones.wrapper import JsonOutput, ToolChoice, Wrapper
from osler.errors import UserError

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"
"""Servers without keys still want the header."""
LARGEST_BODY = 4_000_000
"""In bytes; an answer of 100 kB with reasoning and escapes fits, and an endless body does not fill the memory."""


@dataclass
class _Seen:
    """What the response hook saw of the call that the current task makes."""

    where: str
    body: Mapping[str, Any] | None = None


_SEEN: ContextVar[_Seen | None] = ContextVar("osler_seen_response", default=None)


class Compatible(Wrapper):
    """AutoGen's OpenAI client, with the numbers it drops and a check of what it takes on trust."""

    def __init__(self, inner: ChatCompletionClient, *, model: str, where: str, new_names: bool) -> None:
        """Wrap the client of one server.

        Args:
            inner: AutoGen's client, made with the response hook of this module.
            model: The model's name.
            where: The model and its address, for messages.
            new_names: Whether the server wants `max_completion_tokens`, as OpenAI's newer models do.
        """
        super().__init__(inner)
        self.model, self.where = model, where
        self._new_names = new_names

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
        """One request; errors are those of the libraries below."""
        options = dict(extra_create_args)
        if self._new_names and "max_tokens" in options:
            options["max_completion_tokens"] = options.pop("max_tokens")
        seen = _Seen(self.where)
        token = _SEEN.set(seen)
        try:
            result = await self.inner.create(
                messages,
                tools=tools,
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=options,
                cancellation_token=cancellation_token,
            )
        except (TypeError, AttributeError, LookupError, ValueError) as error:
            if seen.body is None:
                raise  # our own mistake, not the server's
            return self._salvaged(seen.body, error)
        finally:
            _SEEN.reset(token)
        return self._completion(result, seen)

    def _salvaged(self, body: Mapping[str, Any], error: Exception) -> Completion:
        """The answer where AutoGen stumbled over something else, such as a token count that is null."""
        choice = body["choices"][0]
        text = choice["message"].get("content")
        if not isinstance(text, str):
            raise not_json(self.where) from error
        done = Completion.from_text(text, model=self.model, finish=choice.get("finish_reason"), usage=body.get("usage"))
        usable_text(done, self.where)
        return done

    def _completion(self, result: CreateResult, seen: _Seen) -> Completion:
        if isinstance(result.content, str):
            usable_text(result, self.where)
        tokens_in, tokens_out, cached = tokens((seen.body or {}).get("usage"))
        fields = {name: getattr(result, name) for name in CreateResult.model_fields}
        return Completion(**fields, model=self.model, tokens_in=tokens_in, tokens_out=tokens_out, tokens_cached=cached)


def open_compatible(spec: Spec, *, temperature: float, timeout: float, max_tokens: int, seed: int | None) -> Compatible:
    """The client of a spec of kind openai or compatible.

    Raises:
        UserError: There is no key, or it is not usable.
    """
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key and spec.kind == "openai":
        raise UserError(f"there is no key for {spec}", "set OPENAI_API_KEY")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise UserError("OPENAI_API_KEY holds characters that no key has", "set it to the key alone")
    base_url = spec.base_url or checked_url(os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL)
    at_openai = base_url == OPENAI_URL
    options: dict[str, Any] = {
        "model": spec.model,
        "base_url": base_url,
        "api_key": key or NO_KEY,
        "timeout": timeout,
        "max_retries": 0,
        "http_client": _http_client(base_url, timeout),
        "model_info": _model_info(),
        "include_name_in_message": False,
        "max_completion_tokens" if at_openai else "max_tokens": max_tokens,
    }
    # OpenAI's reasoning models refuse any temperature but their own.
    if not (at_openai and re.match(r"o\d|gpt-5", spec.model)):
        options["temperature"] = temperature
    if seed is not None:
        options["seed"] = seed
    return Compatible(
        _autogen_client(options),
        model=spec.model,
        where=f"{spec.model} at {base_url}",
        new_names=at_openai,
    )


def _autogen_client(options: dict[str, Any]) -> ChatCompletionClient:
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    # Servers name the model as they like, a path or a dated version; AutoGen would warn of that at every call.
    warnings.filterwarnings("ignore", message="Resolved model mismatch", category=UserWarning)
    return OpenAIChatCompletionClient(**options)


def _model_info() -> ModelInfo:
    return ModelInfo(
        vision=False,
        function_calling=True,
        json_output=True,
        family="unknown",
        structured_output=True,
        multiple_system_messages=False,  # so that AutoGen joins them: many chat templates take only one
    )


def _http_client(base_url: str, timeout: float) -> object:
    """The SDK's aiohttp transport, at half the CPU time a call, or its usual one where aiohttp is not installed."""
    import openai

    options: dict[str, Any] = {
        "timeout": timeout,
        "event_hooks": {"response": [_check_response]},
        "trust_env": not _is_loopback(base_url),  # a proxy cannot reach a server on this machine
    }
    try:
        return openai.DefaultAioHttpClient(**options)
    except (AttributeError, RuntimeError):
        return openai.DefaultAsyncHttpxClient(**options)


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _check_response(response: Any) -> None:
    """Read the whole body, bounded, before SDK and AutoGen trust it; `Any` is httpx or httpx2, as the SDK is."""
    seen = _SEEN.get()
    where = seen.where if seen else "the model"
    response.stream = _bounded(response, where)
    await response.aread()
    if seen is None or not response.is_success:
        return
    try:
        body = json.loads(response.content)
        message = body["choices"][0]["message"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise not_json(where) from None
    if not isinstance(body, dict) or not isinstance(message, dict):
        raise not_json(where)
    if "json" not in response.headers.get("content-type", ""):
        raise not_json(where)  # the SDK would hand AutoGen the bare text
    seen.body = body


def _bounded(response: Any, where: str) -> object:
    library: Any = sys.modules[type(response).__module__.partition(".")[0]]
    inner = response.stream

    class Bounded(library.AsyncByteStream):  # type: ignore[misc]  # the base is known only at run time
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in inner:
                size += len(chunk)
                if size > LARGEST_BODY:
                    raise oversize(where)
                yield chunk

        async def aclose(self) -> None:
            await inner.aclose()

    return Bounded()
