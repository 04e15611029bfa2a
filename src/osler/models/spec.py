"""The names of backbones: `rules`, `local`, `openai:MODEL`, `MODEL@URL` and so on, with parameters after a space."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
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
    "use rules, local, local:/path/model.gguf, openai:MODEL, azure:DEPLOYMENT, anthropic:MODEL, gemini:MODEL,"
    " ollama:MODEL, MODEL@http://host:port/v1 or package.module:Class"
)
AT_URL = re.compile(r"(?P<model>.*)@(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
_PLUGIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:{name}(?:\.{name})*".format(name=r"(?:[A-Za-z_]\w*|<\w+>)"))
"""A class or function in a module, also within another one, such as `my.module:outer.<locals>.Inner`."""
_PARAMETER = re.compile(r"[A-Za-z_]\w*=\S+", re.ASCII)
_PROVIDER_KEYS: dict[str, str] = {name: provider.key for name, provider in PROVIDERS.items()}
_SECRET = re.compile(r"api_?key|(?:^|_)token$|secret|password|authorization|credential", re.IGNORECASE)


@dataclass(frozen=True)
class Spec:
    """Which model, where, and with which parameters. It never holds a key, so that transcripts can name it."""

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
        return f"{self.kind}:{rest}" if rest else self.kind


def parse_spec(text: str) -> Spec:
    """Parse the name of a backbone; raises UserError if it names none, or would carry a secret into transcripts."""
    name, parameters = _split_parameters(text.strip())
    spec = _parse_name(name)
    if spec.kind == "rules" and parameters:
        raise UserError("rules have no parameters", "write rules alone")
    return replace(spec, parameters=_checked_parameters(parameters, spec))


def check_parameters(what: str, given: Collection[str], known: Collection[str]) -> None:
    """Raise `UserError` for parameters that a client would silently ignore."""
    if unknown := sorted(set(given) - set(known)):
        raise UserError(f"{what} has no parameter {unknown[0]!r}", f"it has {', '.join(sorted(known))}")


def checked_url(url: str) -> str:
    """Return the address of a server, without a slash at the end.

    Raises:
        UserError: It is not an http address, or carries a password, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UserError("the address of the server cannot be read", "write it as http://host:port/v1") from None
    if "@" in parts.netloc or "?" in url or "#" in url:
        remedy = f"leave it out; a key goes into the environment variable {key_variable(url)}"
        raise UserError("the address of the server holds a user, password, query or fragment", remedy)
    if not parts.hostname or port == 0 or parts.scheme not in {"http", "https"} or re.search(r"[\s\x00-\x1f]", url):
        raise UserError("the address of the server has no usable host or port", "write it as http://host:port/v1")
    return url.rstrip("/")


def _parse_name(text: str) -> Spec:
    if found := AT_URL.fullmatch(text):
        url = checked_url(found["url"])
        return Spec("compatible", _model(found["model"], text, key_variable(url)), base_url=url)
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
    raise UserError(f"there is no backbone {_shown(text)}", remedy)


def _split_parameters(text: str) -> tuple[str, list[str]]:
    """Split off the words that have the form of parameters; a file's path may contain spaces, too."""
    words: list[str] = []
    while (found := re.fullmatch(r"(.*\S)\s+(\S+)", text, re.DOTALL)) and _PARAMETER.fullmatch(found[2]):
        text = found[1]
        words.insert(0, found[2])
    return text, words


def _checked_parameters(words: list[str], spec: Spec) -> tuple[tuple[str, str], ...]:
    values: dict[str, str] = {}
    for word in words:
        name, _, value = word.partition("=")
        if _SECRET.search(name) or scrub(value) != value:
            variable = (
                key_variable(spec.base_url)
                if spec.base_url
                else _PROVIDER_KEYS.get(spec.kind, "an environment variable")
            )
            raise UserError(f"the backbone's parameter {name} holds a key", f"set {variable} instead")
        if not value.isprintable():
            raise UserError(f"the backbone's parameter {name} cannot be printed", "write name=value")
        if name in values:
            raise UserError(f"the backbone names the parameter {name} twice", "give it once")
        values[name] = value
    return tuple(values.items())


def _value(text: str) -> Any:
    """A parameter's value: numbers, true, false, null, lists and objects as in JSON; anything else is text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, float) and not abs(value) < float("inf") else value


def _model(name: str, text: str, variable: str) -> str:
    if not name or not name.isprintable() or re.search(r"\s", name):
        remedy = "write parameters as name=value, each after a space" if " " in name.strip() else FORMS
        raise UserError(f"the backbone {_shown(text)} names no model", remedy)
    if scrub(name) != name:
        raise UserError("the backbone holds a key where the model's name belongs", f"set {variable} instead")
    return name


def _shown(text: str) -> str:
    return repr(scrub(text if len(text) <= 80 else text[:80] + "…"))
