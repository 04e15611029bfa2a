"""`MODEL@URL`: models behind an OpenAI-compatible server (vLLM, SGLang, llama.cpp), over aiohttp.

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
"""How long an unused connection stays open.

Shorter than at servers (vLLM: 5 s), so that none is used as it closes."""
_NOT_SET_BY_USERS = frozenset(
    {"model", "messages", "stream", "n", "response_format", "tools", "tool_choice"}
)


@dataclass
class HttpEndpoint:
    """One address of a server, for chat or embeddings; all requests share its connections."""

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
    """The most bytes of an answer: one of 100 kB with reasoning fits, an endless text does not."""
    _session: aiohttp.ClientSession | None = None

    async def post(self, body: Mapping[str, Any]) -> Any:
        """Send a body as JSON and return the parsed answer; BackboneError if there is none."""
        _, answer = await self.exchange("POST", to_json(body))
        return answer

    async def exchange(
        self, method: str, body: bytes | None = None
    ) -> tuple[Mapping[str, str], Any]:
        """Send a request; return the headers and the parsed body, or raise what `post` does."""
        try:
            status, headers, content = await self._send(method, body)
        except Exception as error:
            failure = backbone_error(error, self.where, self.timeout, self.key)
        else:
            return headers, self._read(status, headers, content)
        # Outside of the `except`: the exception holds the request, and with it the key.
        raise failure

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _send(self, method: str, body: bytes | None) -> tuple[int, Mapping[str, str], bytes]:
        self._session = self._session or self._new_session()
        # Redirects are not followed: the key would go along.
        async with self._session.request(
            method, self.url, data=body, allow_redirects=False
        ) as response:
            content = bytearray()
            async for chunk in response.content.iter_any():
                content += chunk
                if len(content) > self.largest:
                    raise oversize(self.where)
            return response.status, response.headers, bytes(content)

    def _new_session(self) -> aiohttp.ClientSession:
        import aiohttp

        headers = {
            # Servers without keys still want the header.
            "Authorization": f"Bearer {self.key.value or 'none'}",
            "Content-Type": "application/json",
            "User-Agent": f"osler/{__version__}",
        }
        host = urlsplit(self.url).hostname or ""
        return aiohttp.ClientSession(
            # No limit here: the rate limit decides how many requests are under way.
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS),
            timeout=aiohttp.ClientTimeout(total=self.timeout),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=not is_loopback(host),  # no proxy reaches a server on this machine
        )

    def _read(self, status: int, headers: Mapping[str, str], content: bytes) -> Any:
        try:
            body = _parsed(content)
        except (ValueError, RecursionError):
            body = None
        if not 200 <= status < 300:
            detail = content.decode("utf-8", "replace") if body is None else body
            raise status_error(
                status, detail, self.where, retry_after=headers.get("Retry-After"), key=self.key
            )
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
        """The options that only replace a server's defaults; who refuses them gets none."""
        is_sampled = self.options.get("temperature") != 0
        has_seed = "seed" in self.options or "seed" in self.spec.options()
        self._sends_seed = is_sampled and not has_seed
        """Whether a request's own seed is sent: not where the user sets a seed, or nothing is
        sampled."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request; once more without neutral options that the server refuses."""
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
                continue
            answer = self._completion(body)
            if attempts == 1:
                return answer
            return answer.model_copy(update={"attempts": attempts})

    def _options(self, request: ChatRequest) -> dict[str, Any]:
        options = {name: value for name, value in self.options.items() if name not in self.refused}
        if self._sends_seed and request.seed is not None:
            options["seed"] = request.seed
        return options

    def _completion(self, body: Any) -> Completion:
        # Whatever a server sends in place of a completion is `not_json`.
        with suppress(LookupError, TypeError, AttributeError):
            choice = body["choices"][0]
            message = choice["message"]
            text = message.get("content")
            thought = message.get("reasoning_content") or message.get("reasoning")
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
        UserError: Its key is not usable or would be sent over plain http, or a parameter is not for
            users to set.
    """
    assert spec.base_url is not None
    reserved = sorted(options.keys() & _NOT_SET_BY_USERS)
    if reserved:
        raise UserError(
            f"the parameter {reserved[0]} is set by Osler itself", "leave it out of the backbone"
        )
    warn_of_misspelt_parameters(spec)
    where = f"{spec.model} at {spec.base_url}"
    url = f"{spec.base_url}/chat/completions"
    endpoint = HttpEndpoint(url, key_for(spec.base_url), where, timeout)
    return CompatibleClient(spec, spec.model, where, endpoint, {"model": spec.model, **options})


def _parsed(content: bytes) -> Any:
    """Parse JSON by pydantic's fast reader, or by Python's, which reads half characters, too."""
    try:
        return from_json(content, cache_strings="keys")
    except ValueError:
        return json.loads(content)
