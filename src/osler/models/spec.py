"""The names of backbones: `rules`, `local`, `local:PATH`, `openai:MODEL`, `MODEL@URL`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from osler.api_keys import OPENAI_URL, key_variable, scrub
from osler.errors import UserError

Kind = Literal["rules", "local", "openai", "compatible"]
FORMS = "use rules, local, local:/path/model.gguf, openai:MODEL or MODEL@http://host:port/v1"
_AT_URL = re.compile(r"(?P<model>.*)@(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Spec:
    """Which model, and where. It never holds a key, so that transcripts can name it."""

    kind: Kind
    model: str = ""
    """The model's name at its server; empty for rules and local."""
    base_url: str | None = None
    path: Path | None = None
    """The weights of a local model; None stands for SmolLM2-135M."""

    def __str__(self) -> str:
        """The text that parses to this spec."""
        if self.kind == "openai":
            return f"openai:{self.model}"
        if self.kind == "compatible":
            return f"{self.model}@{self.base_url}"
        return self.kind if self.path is None else f"{self.kind}:{self.path}"


def parse_spec(text: str) -> Spec:
    """Read the name of a backbone.

    Raises:
        UserError: The text names no backbone, or would carry a secret into transcripts.
    """
    text = text.strip()
    found = _AT_URL.fullmatch(text)
    if found:
        return Spec("compatible", _model(found["model"], text), base_url=checked_url(found["url"]))
    if text == "rules":
        return Spec("rules")
    if text == "local":
        return Spec("local")
    kind, colon, rest = text.partition(":")
    if colon and kind == "local":
        if not rest.strip() or not rest.isprintable():
            raise UserError("`local:` names no file", "use local, or local:/path/model.gguf")
        return Spec("local", path=Path(rest))
    if colon and kind == "openai":
        return Spec("openai", _model(rest, text))
    remedy = f"use local:{scrub(text)}" if text.endswith(".gguf") and text.isprintable() else FORMS
    if "@" in text:
        raise UserError("a backbone with an address needs http:// or https:// after the @", FORMS)
    raise UserError(f"there is no backbone {_shown(text)}", remedy)


def checked_url(url: str) -> str:
    """The address of a server, without a slash at the end.

    Raises:
        UserError: It is no http address, or carries a password, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UserError("the address of the server cannot be read", "write it as http://host:port/v1") from None
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise UserError("the address of the server holds a user or password", _leave_out(url))
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise UserError("the address of the server holds a query or fragment", _leave_out(url))
    if not parts.hostname or port == 0 or parts.scheme not in {"http", "https"} or re.search(r"[\s\x00-\x1f]", url):
        raise UserError("the address of the server has no usable host or port", "write it as http://host:port/v1")
    return url.rstrip("/")


def _model(name: str, text: str) -> str:
    if not name or not name.isprintable() or re.search(r"\s", name):
        raise UserError(f"the backbone {_shown(text)} names no model", FORMS)
    if scrub(name) != name:
        raise UserError("the backbone holds a key where the model's name belongs", f"set {_key_variable(text)} instead")
    return name


def _key_variable(text: str) -> str:
    found = _AT_URL.fullmatch(text)
    return key_variable(checked_url(found["url"]) if found else OPENAI_URL)


def _leave_out(url: str) -> str:
    return f"leave it out; a key goes into the environment variable {key_variable(url)}"


def _shown(text: str) -> str:
    return repr(scrub(text if len(text) <= 80 else text[:80] + "…"))
