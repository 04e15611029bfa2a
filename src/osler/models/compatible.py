"""`MODEL@URL`: models behind an OpenAI-compatible server, such as vLLM, SGLang and llama.cpp, over aiohttp.

Plain HTTP, because a run makes millions of calls and the SDKs take many times as long for each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic_core import from_json, to_json

from osler import __version__
from osler.api_keys import ServerKey, is_loopback, key_for
from osler.errors import UserError
from osler.models.chat import ChatClient, ChatRequest
from osler.models.completion import Completion, oversize
from osler.models.errors import BackboneError, backbone_error, not_json, status_error
from osler.models.neutral import neutral_options, refused_options
from osler.models.parameter_names import warn_of_misspelt_parameters
from osler.models.spec import Spec

if TYPE_CHECKING:
    import aiohttp

_IDLE_SECONDS = 4.0
"""How long an unused connection is kept: shorter than servers do (vLLM: 5 s), so that none is used as it closes."""
_NOT_SET_BY_USERS = frozenset({"model", "messages", "stream", "n", "response_format", "tools", "tool_choice"})


@dataclass
class HttpEndpoint:
    """One address of a server: chat or embeddings. Connections are made at the first request, and shared by all."""

    url: str
    key: ServerKey
    """Sent as a bearer token, and shown nowhere."""
    where: str
    """The model and its address, for messages."""
    timeout: float
    """Seconds for an answer."""
    expects: str = "a chat completion"
    """What an answer should be, for messages."""
    largest: int = 4_000_000
    """The most bytes of an answer. One of 100 kB with reasoning and escapes fits; an endless one is cut off."""
    _session: aiohttp.ClientSession | None = None

    async def post(self, body: Mapping[str, Any]) -> Any:
        """Send a body as JSON and return the parsed answer; raises BackboneError if there is none, or no JSON."""
        return (await self.exchange("POST", to_json(body)))[1]

    async def exchange(self, method: str, body: bytes | None = None) -> tuple[Mapping[str, str], Any]:
        """Send a request; return the headers and the parsed body of the answer. Raises what `post` does."""
        try:
            status, headers, said = await self._send(method, body)
        except Exception as error:
            failure = backbone_error(error, self.where, self.timeout, self.key)
        else:
            return headers, self._read(status, headers, said)
        raise failure  # outside of the except block: the exception holds the request, and with it the key

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _send(self, method: str, body: bytes | None) -> tuple[int, Mapping[str, str], bytes]:
        self._session = self._session or self._new_session()
        # Redirects are not followed: the key would go along.
        async with self._session.request(method, self.url, data=body, allow_redirects=False) as response:
            said = bytearray()
            async for chunk in response.content.iter_any():
                said += chunk
                if len(said) > self.largest:
                    raise oversize(self.where)
            return response.status, response.headers, bytes(said)

    def _new_session(self) -> aiohttp.ClientSession:
        import aiohttp

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS),  # the rate limit is elsewhere
            timeout=aiohttp.ClientTimeout(total=self.timeout),
            headers={
                "Authorization": f"Bearer {self.key.value or 'none'}",  # servers without keys still want the header
                "Content-Type": "application/json",
                "User-Agent": f"osler/{__version__}",
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=not is_loopback(urlsplit(self.url).hostname or ""),  # no proxy reaches this machine's own
        )

    def _read(self, status: int, headers: Mapping[str, str], said: bytes) -> Any:
        try:
            body = _parsed(said)
        except (ValueError, RecursionError):
            body = None
        if not 200 <= status < 300:
            told = said.decode("utf-8", "replace") if body is None else body
            raise status_error(status, told, self.where, retry_after=headers.get("Retry-After"), key=self.key)
        if body is None or "json" not in headers.get("Content-Type", ""):
            raise not_json(self.where, self.expects)
        return body


@dataclass(eq=False)
class CompatibleClient(ChatClient):
    """One model at one server."""

    spec: Spec
    model: str
    where: str
    endpoint: HttpEndpoint
    options: Mapping[str, Any]
    """What every request holds besides its messages."""
    refused: frozenset[str] = frozenset()
    """Options that the server has refused."""

    def __post_init__(self) -> None:
        """Tell which options may be left out, and whether sampling takes a seed."""
        self._neutral = neutral_options(self.spec).keys()
        """Those options that only keep the server from using its own defaults: a server that refuses them gets none."""
        self._seeded = self.options.get("temperature") != 0 and "seed" not in {*self.options, *self.spec.options()}
        """Whether a request's own seed is sent: not where the user sets one, or at temperature 0."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request; again, without them, if the server refuses options that only state neutral sampling."""
        attempts = 1
        while True:
            try:
                body = await self.endpoint.post(request.body(self._options(request)))
            except BackboneError as error:
                refused = refused_options(error, self._neutral) - self.refused
                if not refused:
                    raise
                self.refused |= refused
                attempts += 1
            else:
                answer = self._completion(body)
                return answer if attempts == 1 else answer.model_copy(update={"attempts": attempts})

    def _options(self, request: ChatRequest) -> dict[str, Any]:
        options = {name: value for name, value in self.options.items() if name not in self.refused}
        if self._seeded and request.seed is not None:
            options["seed"] = request.seed
        return options

    def _completion(self, body: Any) -> Completion:
        with suppress(LookupError, TypeError, AttributeError):
            choice = body["choices"][0]
            message = choice["message"]
            text, thought = message.get("content"), message.get("reasoning_content") or message.get("reasoning")
            if text is None or isinstance(text, str):
                return Completion.from_text(
                    text or "",
                    model=self.model,
                    finish=choice.get("finish_reason"),
                    usage=body.get("usage"),
                    thought=thought if isinstance(thought, str) else None,
                    fingerprint=body.get("system_fingerprint"),
                    refused_options=tuple(sorted(self.refused)),
                )
        raise not_json(self.where)

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()


def open_compatible(spec: Spec, options: Mapping[str, Any], timeout: float) -> CompatibleClient:
    """Open the client of a `MODEL@URL`.

    Raises:
        UserError: Its key is not usable or would be sent over plain http, or a parameter is not for users to set.
    """
    assert spec.base_url is not None
    if taken := sorted(options.keys() & _NOT_SET_BY_USERS):
        raise UserError(f"the parameter {taken[0]} is set by Osler itself", "leave it out of the backbone")
    warn_of_misspelt_parameters(spec)
    where = f"{spec.model} at {spec.base_url}"
    endpoint = HttpEndpoint(f"{spec.base_url}/chat/completions", key_for(spec.base_url), where, timeout)
    return CompatibleClient(spec, spec.model, where, endpoint, {"model": spec.model, **options})


def _parsed(said: bytes) -> Any:
    """Parse JSON by pydantic's reader: Python's own takes five times as long, but reads half characters, too."""
    try:
        return from_json(said, cache_strings="keys")
    except ValueError:
        return json.loads(said)
