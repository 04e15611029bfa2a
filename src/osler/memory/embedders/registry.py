"""Embedders by name: `hash`, `hash:384`, `st:NAME_OR_PATH`, `openai:MODEL`, `MODEL@URL`."""

from __future__ import annotations

import re

from osler.api_keys import key_for, provider_url, scrub
from osler.errors import UserError
from osler.memory.embedders.base import Embedder
from osler.memory.embedders.endpoint import EndpointEmbedder
from osler.memory.embedders.hash import HashEmbedder
from osler.memory.embedders.sentence import SentenceEmbedder
from osler.models.spec import AT_URL, checked_url

FORMS = "use hash, hash:DIMENSIONS, st:NAME_OR_PATH, openai:MODEL or MODEL@http://host:port/v1"


def open_embedder(spec: str) -> Embedder:
    """Return the embedder of that name.

    Those that learn nothing cache the texts they have embedded.

    Raises:
        UserError: The text names no embedder, or what the embedder needs is not there.
    """
    spec = spec.strip()
    if scrub(spec) != spec:
        raise UserError(
            "the embedder's name holds a key",
            f"set the server's environment variable to it, and {FORMS}",
        )
    found = AT_URL.fullmatch(spec)
    if found:
        return _endpoint(found["model"], found["url"])
    kind, _, rest = spec.partition(":")
    if kind == "openai" and rest:
        return _endpoint(rest, provider_url("openai"), needs_key=True)
    if kind == "st" and rest:
        return SentenceEmbedder(rest)
    if spec == "hash":
        return HashEmbedder()
    if kind != "hash":
        raise UserError(f"there is no embedder {spec[:80]!r}", FORMS)
    if not re.fullmatch(r"[0-9]{1,9}", rest):
        raise UserError(
            f"the embedder {spec[:80]!r} does not say how many dimensions", "write it as hash:384"
        )
    return HashEmbedder(int(rest))


def _endpoint(model: str, url: str, *, needs_key: bool = False) -> EndpointEmbedder:
    if not model or not model.isprintable() or re.search(r"\s", model):
        raise UserError("the embedder names no model", FORMS)
    key = key_for(url := checked_url(url))
    if needs_key and not key.value:
        raise UserError(f"there is no key for the embedder openai:{model}", f"set {key.variable}")
    return EndpointEmbedder(model, url, key)
