"""API keys by server: a key is sent to the host it was set for, and to no other.

A provider's key is in its own variable, such as `OPENAI_API_KEY`. Any other server's is in
`OSLER_KEY_HOST`, with the host in capitals and `_` for anything that is not a letter or digit;
`OSLER_KEY_HOST_PORT` is for one port alone.
"""

from __future__ import annotations

import ipaddress
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from osler.errors import UserError


class Provider(NamedTuple):
    """Address of a provider's models, and its key; all of it from the environment."""

    key: str
    """The variable that holds the key."""
    address: str
    """The variable that holds another address than the usual one."""
    url: str
    """The usual address; empty if there is none."""


PROVIDERS = {
    "openai": Provider("OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    "azure": Provider("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", ""),
    "anthropic": Provider("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    "gemini": Provider(
        "GEMINI_API_KEY",
        "GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com/v1beta/openai",
    ),
    "ollama": Provider("OLLAMA_API_KEY", "OLLAMA_HOST", "http://127.0.0.1:11434"),
}
AZURE_VERSION = "OPENAI_API_VERSION"
_OF_HOST = "OSLER_KEY_"
_KEYS = frozenset(provider.key for provider in PROVIDERS.values())
_SETTINGS = frozenset({AZURE_VERSION, *(provider.address for provider in PROVIDERS.values())})
_SHORTEST = 6
"""Shorter keys are placeholders. Redacting them would remove ordinary words."""


@dataclass(frozen=True)
class ServerKey:
    """The key of one server, or where it would have to be."""

    variable: str
    """The environment variable that is read."""
    value: str = field(repr=False)
    """Empty if the variable is not set."""
    is_safe: bool
    """Whether a key may be sent: over https, or within this machine."""

    @property
    def remedy(self) -> str:
        """What to tell the user when the server rejects the key."""
        first = "" if self.is_safe else "give its address with https and "
        return f"{first}set {self.variable} to a key that may use this model"


def is_loopback(host: str) -> bool:
    """Check whether a host, by name or number and without brackets, is this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def provider_url(name: str) -> str:
    """The address of a provider's models, without a slash at the end; empty if none is set."""
    provider = PROVIDERS[name]
    url = os.environ.get(provider.address, "").strip().rstrip("/") or provider.url
    if name != "ollama" or "://" in url:
        return url
    # Ollama's own tools take a host with or without a port.
    if not re.search(r":\d+$", url):
        url = f"{url}:{urlsplit(provider.url).port}"
    return f"http://{url}"


def key_for(url: str, variable: str | None = None) -> ServerKey:
    """Return the key of the server at an address, from that variable or the address's own.

    Raises:
        UserError: What is set is not a key, or would be sent over plain http.
    """
    parts = urlsplit(url)
    variable = variable or key_variable(url)
    value = os.environ.get(variable, "").strip()
    is_safe = parts.scheme == "https" or is_loopback(parts.hostname or "")
    if value and not (value.isascii() and value.isprintable() and " " not in value):
        raise UserError(f"{variable} holds characters that no key has", "set it to the key alone")
    if value and not is_safe:
        raise UserError(
            f"the key in {variable} would be sent to {parts.hostname} over plain http, where others"
            " can read it",
            "use https, or unset the variable if the server needs no key",
        )
    return ServerKey(variable, value, is_safe)


def key_variable(url: str) -> str:
    """The environment variable for the key of the server at an address."""
    parts = urlsplit(url)
    for provider_name, provider in PROVIDERS.items():
        if provider_name == "ollama":
            continue  # its usual address is this machine's own, where other servers are, too
        usual_host = urlsplit(provider.url).hostname
        is_usual = usual_host and usual_host == parts.hostname
        if is_usual or _place(url) == _place(provider_url(provider_name)):
            return provider.key
    host = parts.hostname or ""
    with suppress(UnicodeError):
        host = host.encode("idna").decode()  # as name servers know it
    name = _OF_HOST + re.sub(r"[^A-Z0-9]", "_", host.upper())
    with_port = f"{name}_{parts.port}"
    if parts.port and with_port in os.environ:
        return with_port
    return name


def settings_for_workers() -> dict[str, str]:
    """The variables by which another machine reaches the same servers with the same keys."""
    settings = {}
    for name, value in os.environ.items():
        if name in _SETTINGS or _holds_a_key(name):
            settings[name] = value
    return settings


def scrub(text: str, *keys: str) -> str:
    """Remove these keys, those of the environment, and whatever looks like a key.

    Errors end up in transcripts.
    """
    secrets = set(keys)
    for name, value in os.environ.items():
        if _holds_a_key(name):
            secrets.add(value.strip())
    # The longest first: a key may be the beginning of another, whose rest would stay.
    for key in sorted(secrets, key=len, reverse=True):
        if len(key) >= _SHORTEST:
            text = text.replace(key, "[key]")
    text = re.sub(r"(?i)\bbearer\s+[^\s'\",;]+", "Bearer [key]", text)
    return re.sub(r"\bsk-[\w*.-]{3,}|\bAIza[\w*-]{10,}", "[key]", text)


def _holds_a_key(name: str) -> bool:
    return name in _KEYS or name.startswith(_OF_HOST)


def _place(url: str) -> tuple[str, int | None] | None:
    """Return host and port, which make one server, or None if the address is not one."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if parts.hostname:
        return (parts.hostname, port)
    return None
