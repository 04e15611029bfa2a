"""Requests to one OpenAI-compatible server over aiohttp: chat and embeddings alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic_core import from_json, to_json

from osler import __version__
from osler.addresses import is_loopback
from osler.api_keys import ServerKey
from osler.models.completion import oversize
from osler.models.errors import backbone_error, not_json, status_error, too_late

if TYPE_CHECKING:
    import aiohttp

LARGEST_BODY = 4_000_000
"""In bytes; an answer of 100 kB with reasoning and escapes fits, and an endless body does not fill the memory."""
_IDLE_SECONDS = 4.0
"""How long an unused connection is kept: shorter than servers do (vLLM: 5 s), so that none is used as it closes."""
_LONGEST_NUMBER = 100
"""Digits."""


class HttpEndpoint:
    """One address of a server. Connections are made at the first request, and shared by all that follow."""

    def __init__(
        self,
        url: str,
        key: ServerKey,
        *,
        where: str,
        timeout: float,
        expects: str = "a chat completion",
        largest: int = LARGEST_BODY,
        keep_open: bool = True,
    ) -> None:
        """Name the address; nothing is opened yet.

        Args:
            url: Where requests go.
            key: Sent as a bearer's token, and shown nowhere.
            where: The model and its address, for messages.
            timeout: Seconds for an answer.
            expects: What an answer should be, for messages.
            largest: The most bytes of an answer.
            keep_open: Whether connections are kept, so that somebody has to close this.
        """
        self._url, self._key, self._where, self._timeout = url, key, where, timeout
        self._expects, self._largest, self._keep_open = expects, largest, keep_open
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: Mapping[str, Any]) -> Any:
        """Send a body as JSON; the server's answer, parsed. `Any`, because a server may send anything.

        Raises:
            BackboneError: There was no answer, or it is no JSON.
        """
        try:
            status, headers, said = await self._exchange(to_json(body))
        except TimeoutError:
            failure = too_late(self._where, self._timeout)
        except Exception as error:
            failure = backbone_error(error, self._where, self._key)
        else:
            return self._read(status, headers, said)
        raise failure  # outside of the except block: what it came from holds the request, and that the key

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _exchange(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        if self._keep_open:
            self._session = self._session or self._new_session()
            return await self._posted(self._session, body)
        async with self._new_session() as session:
            return await self._posted(session, body)

    async def _posted(self, session: aiohttp.ClientSession, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        # Redirects are not followed: the key would go along.
        async with session.post(self._url, data=body, allow_redirects=False) as response:
            said = bytearray()
            async for chunk in response.content.iter_any():
                said += chunk
                if len(said) > self._largest:
                    raise oversize(self._where)
            return response.status, response.headers, bytes(said)

    def _new_session(self) -> aiohttp.ClientSession:
        import aiohttp

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS),  # the rate limit is elsewhere
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            headers={
                "Authorization": f"Bearer {self._key.sent}",
                "Content-Type": "application/json",
                "User-Agent": f"osler/{__version__}",
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=not is_loopback(urlsplit(self._url).hostname or ""),  # no proxy reaches this machine's own
        )

    def _read(self, status: int, headers: Mapping[str, str], said: bytes) -> Any:
        if not 200 <= status < 300:
            retry_after = headers.get("Retry-After")
            raise status_error(status, _loosely_read(said), self._where, retry_after=retry_after, key=self._key)
        with suppress(ValueError, RecursionError):
            if "json" in headers.get("Content-Type", ""):
                return _strictly_read(said)
        raise not_json(self._where, self._expects)


def _strictly_read(said: bytes) -> Any:
    """From JSON, by pydantic's reader: Python's own takes five times as long. What it refuses is left to Python's.

    A number of thousands of digits, which neither reads, is null: nothing that is needed of an answer is one.
    """
    try:
        return from_json(said, cache_strings="keys")
    except ValueError:
        return json.loads(said, parse_int=lambda digits: int(digits) if len(digits) <= _LONGEST_NUMBER else None)


def _loosely_read(said: bytes) -> object:
    """What an error's body says: JSON, or some text."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return said.decode("utf-8", "replace")
