"""The names of backbones (`rules`, `openai:MODEL`, `MODEL@URL`), with parameters after a space."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from osler.api_keys import PROVIDERS, key_variable, scrub
from osler.errors import UserError
from osler.plugins import plugin_names

ProviderName = Literal["openai", "azure", "anthropic", "gemini", "ollama"]
Kind = Literal["rules", "local", "compatible", "plugin"] | ProviderName
PLUGIN_GROUP = "osler.backbones"
FORMS = (
    "use rules, local, local:/path/model.gguf, openai:MODEL, azure:DEPLOYMENT, anthropic:MODEL,"
    " gemini:MODEL, ollama:MODEL, MODEL@http://host:port/v1 or package.module:Class"
)
AT_URL = re.compile(r"(?P<model>.*)@(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
_PLUGIN = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:{name}(?:\.{name})*".format(name=r"(?:[A-Za-z_]\w*|<\w+>)")
)
"""A class or function in a module, also a nested one: `my.module:outer.<locals>.Inner`."""
_PARAMETER = re.compile(r"[A-Za-z_]\w*=\S+", re.ASCII)
_PROVIDER_KEYS: dict[str, str] = {name: provider.key for name, provider in PROVIDERS.items()}
_SECRET = re.compile(
    r"api_?key|(?:^|_)token$|secret|password|authorization|credential", re.IGNORECASE
)


@dataclass(frozen=True)
class Spec:
    """Which model, where, and with which parameters; without a key, so transcripts can name it."""

    kind: Kind
    model: str = ""
    """The model's name at its server, or the plugin's name; empty for rules and local."""
    base_url: str | None = None
    path: Path | None = None
    """The weights of a local model; None means SmolLM2-135M."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Names and values as they were written."""

    def __str__(self) -> str:
        """The text that parses to this spec."""
        return " ".join([self._name(), *(f"{name}={value}" for name, value in self.parameters)])

    def options(self) -> dict[str, Any]:
        """The parameters by name, each value read as JSON if it is JSON, else as text."""
        return {name: _value(value) for name, value in self.parameters}

    def _name(self) -> str:
        if self.kind == "compatible":
            return f"{self.model}@{self.base_url}"
        if self.kind == "plugin":
            return self.model
        rest = self.model if self.path is None else str(self.path)
        if rest:
            return f"{self.kind}:{rest}"
        return self.kind


def parse_spec(text: str) -> Spec:
    """Parse the name of a backbone; UserError if it names none, or holds a secret."""
    name, parameters = _split_parameters(text.strip())
    spec = _parse_name(name)
    if spec.kind == "rules" and parameters:
        raise UserError("rules have no parameters", "write rules alone")
    return replace(spec, parameters=_checked_parameters(parameters, spec))


def check_parameters(client: str, names: Collection[str], allowed: Collection[str]) -> None:
    """Raise `UserError` for parameters that a client would silently ignore."""
    unknown = sorted(set(names) - set(allowed))
    if unknown:
        near = get_close_matches(unknown[0].lower(), allowed, 1)
        remedy = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(sorted(allowed))}"
        raise UserError(f"{client} has no parameter {unknown[0]!r}", remedy)


def checked_url(url: str) -> str:
    """Return the address of a server, without a slash at the end.

    Raises:
        UserError: It is not an http address, or carries a password, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UserError(
            "the address of the server cannot be read", "write it as http://host:port/v1"
        ) from None
    if "@" in parts.netloc or "?" in url or "#" in url:
        remedy = f"leave it out; a key goes into the environment variable {key_variable(url)}"
        raise UserError(
            "the address of the server holds a user, password, query or fragment", remedy
        )
    is_http = parts.scheme in {"http", "https"}
    if not is_http or not parts.hostname or port == 0 or re.search(r"[\s\x00-\x1f]", url):
        raise UserError(
            "the address of the server has no usable host or port",
            "write it as http://host:port/v1",
        )
    return url.rstrip("/")


def _parse_name(text: str) -> Spec:
    at_url = AT_URL.fullmatch(text)
    if at_url:
        url = checked_url(at_url["url"])
        return Spec("compatible", _model(at_url["model"], text, key_variable(url)), base_url=url)
    if text in {"rules", "local"}:
        return Spec("rules" if text == "rules" else "local")
    kind, colon, rest = text.partition(":")
    if colon and kind == "local":
        if not rest.strip() or not rest.isprintable():
            raise UserError("`local:` names no file", "use local, or local:/path/model.gguf")
        return Spec("local", path=Path(rest))
    for provider in get_args(ProviderName):
        if colon and kind == provider:
            return Spec(provider, _model(rest, text, _PROVIDER_KEYS[provider]))
    if (_PLUGIN.fullmatch(text) and kind != "rules") or text in plugin_names(PLUGIN_GROUP):
        return Spec("plugin", text)
    if "@" in text:
        raise UserError("a backbone with an address needs http:// or https:// after the @", FORMS)
    remedy = f"use local:{scrub(text)}" if text.endswith(".gguf") and text.isprintable() else FORMS
    raise UserError(f"there is no backbone {_quote(text)}", remedy)


def _split_parameters(text: str) -> tuple[str, list[str]]:
    """Split off the words that have the form of parameters."""
    words: list[str] = []
    while True:
        # From the end, since a file's path may contain spaces, too.
        match = re.fullmatch(r"(.*\S)\s+(\S+)", text, re.DOTALL)
        if match is None or not _PARAMETER.fullmatch(match[2]):
            return text, words
        text = match[1]
        words.insert(0, match[2])


def _checked_parameters(words: list[str], spec: Spec) -> tuple[tuple[str, str], ...]:
    values: dict[str, str] = {}
    for word in words:
        name, _, value = word.partition("=")
        if _SECRET.search(name) or scrub(value) != value:
            variable = _PROVIDER_KEYS.get(spec.kind, "an environment variable")
            if spec.base_url:
                variable = key_variable(spec.base_url)
            raise UserError(
                f"the backbone's parameter {name} holds a key", f"set {variable} instead"
            )
        if not value.isprintable():
            raise UserError(
                f"the backbone's parameter {name} cannot be printed", "write name=value"
            )
        if name in values:
            raise UserError(f"the backbone names the parameter {name} twice", "give it once")
        values[name] = value
    return tuple(values.items())


def _value(text: str) -> Any:
    """A parameter's value as JSON: a number, true, false, null, list or object; else text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    # Python reads `NaN` and `Infinity`, which are no JSON.
    if isinstance(value, float) and not math.isfinite(value):
        return text
    return value


def _model(name: str, text: str, variable: str) -> str:
    if not name or not name.isprintable() or re.search(r"\s", name):
        remedy = FORMS
        if " " in name.strip():
            remedy = "write parameters as name=value, each after a space"
        raise UserError(f"the backbone {_quote(text)} names no model", remedy)
    if scrub(name) != name:
        raise UserError(
            "the backbone holds a key where the model's name belongs", f"set {variable} instead"
        )
    return name


def _quote(text: str) -> str:
    if len(text) > 80:
        text = text[:80] + "…"
    return repr(scrub(text))
