"""Embedders by name: `hash`, `hash:384`, `st:NAME_OR_PATH`, `openai:MODEL`, `MODEL@URL`."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from osler.api_keys import key_for, key_variable, provider_url
from osler.errors import UserError
from osler.memory.embedders.base import Embedder
from osler.memory.embedders.cache import CachedEmbedder
from osler.memory.embedders.endpoint import EndpointEmbedder
from osler.memory.embedders.hash import HashEmbedder
from osler.memory.embedders.sentence import SentenceEmbedder

FORMS = "use hash, hash:DIMENSIONS, st:NAME_OR_PATH, openai:MODEL or MODEL@http://host:port/v1"

_LIKE_A_KEY = re.compile(r"\bsk-[\w-]{8,}")
_AT_URL = re.compile(r"(?P<model>.*)@(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)


def open_embedder(spec: str) -> Embedder:
    """The embedder of that name. Those that learn nothing remember the texts they have embedded.

    Raises:
        UserError: The text names no embedder, or what the embedder needs is not there.
    """
    spec = spec.strip()
    if _LIKE_A_KEY.search(spec):
        raise UserError("the embedder's name holds a key", f"set the server's environment variable to it, and {FORMS}")
    if found := _AT_URL.fullmatch(spec):
        return _endpoint(found["model"], found["url"])
    kind, _, rest = spec.partition(":")
    if kind == "hash":
        return _hash(spec, rest)
    if kind == "st" and rest:
        return CachedEmbedder(SentenceEmbedder(rest))
    if kind == "openai" and rest:
        return _endpoint(rest, provider_url("openai"), needs_key=True)
    raise UserError(f"there is no embedder {spec[:80]!r}", FORMS)


def _hash(spec: str, dimensions: str) -> HashEmbedder:
    if spec == "hash":
        return HashEmbedder()
    if not re.fullmatch(r"[0-9]{1,9}", dimensions):
        raise UserError(f"the embedder {spec[:80]!r} does not say how many dimensions", "write it as hash:384")
    return HashEmbedder(int(dimensions))


def _endpoint(model: str, url: str, *, needs_key: bool = False) -> CachedEmbedder:
    if not model or not model.isprintable() or re.search(r"\s", model):
        raise UserError("the embedder names no model", FORMS)
    key = key_for(base_url := _checked(url))
    if needs_key and not key.value:
        raise UserError(f"there is no key for the embedder openai:{model}", f"set {key.variable}")
    return CachedEmbedder(EndpointEmbedder(model, base_url, key))


def _checked(url: str) -> str:
    """The server's address, free of secrets, since an embedder's name goes into transcripts."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0 and parts.scheme in {"http", "https"}
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s\x00-\x1f]", url):
        raise UserError("the address of the embeddings server cannot be read", "write it as http://host:port/v1")
    if "@" in parts.netloc or "?" in url or "#" in url:
        raise UserError(
            "the address of the embeddings server holds a password, a query or a fragment",
            f"leave it out; a key goes into the environment variable {key_variable(url)}",
        )
    return url.rstrip("/")
