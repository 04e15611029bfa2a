"""Models behind the OpenAI protocol: OpenAI itself, vLLM, Ollama, llama.cpp's server and others.

Straight over HTTP: a run asks millions of times, and OpenAI's SDK under AutoGen's client takes many times as long for a
call as this does.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from autogen_core import CancellationToken
from autogen_core.models import CreateResult, LLMMessage, ModelInfo, RequestUsage
from autogen_core.tools import Tool, ToolSchema

from osler import __version__
from osler.addresses import is_loopback
from osler.api_keys import OPENAI_URL, ServerKey, key_for, openai_url
from osler.errors import UserError
from osler.models.completion import Completion, oversize, usable_text
from osler.models.connections import Connections, Poster
from osler.models.errors import not_json, too_late
from osler.models.http_answer import NoHttp, TooLong
from osler.models.pace import Pace, Rates
from osler.models.spec import Spec, checked_url
from osler.models.wire import completion_of, read, request_body
from osler.models.wrapper import Client, JsonOutput, ToolChoice, estimated_tokens

LARGEST_BODY = 4_000_000
"""In bytes; an answer of 100 kB with reasoning and escapes fits, and an endless body does not fill the memory."""


class StatusError(ConnectionError):
    """An answer that is no success, with what `backbone_error` reads from it. It shows nothing of the request."""

    def __init__(self, status: int, body: object, retry_after: str | None, key: ServerKey) -> None:
        """Take what the server said, and the key that was to open it."""
        self.status_code, self.body, self.key = status, body, key
        self.response = SimpleNamespace(headers={"retry-after": retry_after})
        super().__init__(f"HTTP {status}")


class Compatible(Client):
    """A client of one model at one server. Connections are made at the first call, and shared by all."""

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        key: ServerKey,
        defaults: Mapping[str, Any],
        new_names: bool,
        timeout: float,
        pace: Pace,
    ) -> None:
        """Name the server; nothing is opened yet.

        Args:
            model: The model's name.
            base_url: The address, usually ending in /v1.
            key: Sent as a bearer's token, and shown nowhere.
            defaults: What every request holds besides its messages.
            new_names: Whether the server wants `max_completion_tokens`, as OpenAI's newer models do.
            timeout: Seconds for an answer; waiting for a turn is not counted.
            pace: How fast the server may be asked.
        """
        self.model, self.where = model, f"{model} at {base_url}"
        self._url, self._key = f"{base_url}/chat/completions", key
        self._defaults = {"model": model, **defaults}
        self._new_names = new_names
        self._timeout, self._pace = timeout, pace
        self._server: Poster | None = None
        self._usage = RequestUsage(prompt_tokens=0, completion_tokens=0)

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
        """One request; errors are those of the library below, for `backbone_error` to sort."""
        options = extra_create_args
        if self._new_names and "max_tokens" in options:
            options = {"max_completion_tokens": options["max_tokens"], **options}
            del options["max_tokens"]
        body = request_body(
            self._defaults,
            messages,
            tools=tools,
            tool_choice=tool_choice,
            json_output=json_output,
            options=options,
        )
        tokens = estimated_tokens(messages)
        if cancellation_token is None:
            return await self._answer(body, tokens)
        asked = asyncio.ensure_future(self._answer(body, tokens))
        cancellation_token.link_future(asked)
        return await asked

    async def _answer(self, body: bytes, tokens: int) -> Completion:
        done = completion_of(await self._posted(body, tokens), model=self.model, where=self.where)
        if used := done.usage.prompt_tokens + done.usage.completion_tokens:
            self._pace.used(tokens, used)
        if isinstance(done.content, str):
            usable_text(done, self.where)
        self._usage.prompt_tokens += done.usage.prompt_tokens
        self._usage.completion_tokens += done.usage.completion_tokens
        return done

    async def _posted(self, body: bytes, tokens: int) -> Any:
        """What the server says to a body, parsed."""
        if self._server is None:
            self._server = self._poster()
        try:
            status, headers, said = await self._server.post(body, tokens)
        except NoHttp:
            raise not_json(self.where) from None
        except TooLong:
            raise oversize(self.where) from None
        except TimeoutError:
            raise too_late(self.where, self._timeout) from None
        if not 200 <= status < 300:
            raise StatusError(status, _loose(said), headers.get("retry-after"), self._key)
        if "json" not in headers.get("content-type", ""):
            raise not_json(self.where)
        try:
            return read(said)
        except (ValueError, RecursionError):
            raise not_json(self.where) from None

    def _poster(self) -> Poster:
        headers = {
            "Authorization": f"Bearer {self._key.sent}",
            "Content-Type": "application/json",
            "User-Agent": f"osler/{__version__}",
        }
        proxy = _proxy(self._url)
        if proxy is None:
            return Connections(self._url, headers, LARGEST_BODY, pace=self._pace, timeout=self._timeout)
        from osler.models.proxied import Proxied

        return Proxied(self._url, headers, LARGEST_BODY, proxy=proxy, pace=self._pace, timeout=self._timeout)

    async def close(self) -> None:
        """Close the connections."""
        if self._server is not None:
            await self._server.close()
            self._server = None

    def actual_usage(self) -> RequestUsage:
        """Tokens of all answers."""
        return self.total_usage()

    def total_usage(self) -> RequestUsage:
        """Tokens of all answers, as far as the server told."""
        return RequestUsage(prompt_tokens=self._usage.prompt_tokens, completion_tokens=self._usage.completion_tokens)

    @property
    def model_info(self) -> ModelInfo:
        """What these models can be asked for."""
        return ModelInfo(
            vision=False,
            function_calling=True,
            json_output=True,
            family="unknown",
            structured_output=True,
            multiple_system_messages=False,
        )


def open_compatible(
    spec: Spec, *, temperature: float, max_tokens: int, seed: int | None, timeout: float, rates: Rates | None = None
) -> Compatible:
    """The client of a spec of kind openai or compatible.

    Raises:
        UserError: There is no key, or it is not usable, or would be sent over plain http.
    """
    base_url = spec.base_url or checked_url(openai_url())
    key = key_for(base_url)
    if not key.value and spec.kind == "openai":
        raise UserError(f"there is no key for {spec}", f"set {key.variable}")
    at_openai = base_url == OPENAI_URL
    defaults: dict[str, Any] = {"max_completion_tokens" if at_openai else "max_tokens": max_tokens}
    # OpenAI's reasoning models refuse any temperature but their own.
    if not (at_openai and re.match(r"o\d|gpt-5", spec.model)):
        defaults["temperature"] = temperature
    if seed is not None:
        defaults["seed"] = seed
    return Compatible(
        model=spec.model,
        base_url=base_url,
        key=key,
        defaults=defaults,
        new_names=at_openai,
        timeout=timeout,
        pace=Pace(rates),
    )


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address; looked up once, and never for this machine's own."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _loose(said: bytes) -> object:
    """What an error's body says: JSON, or some text."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return said.decode("utf-8", "replace")
