"""What a model's server says of itself: software, version, weights, template, default sampling.

The same weights behind another server may answer differently, so a run stores this beside its
results. What is asked: `/v1/models` (all), `/version` (vLLM), `/props` (llama.cpp),
`/get_server_info` and `/get_model_info` (SGLang), `/api/version` and `/api/show` (Ollama). Only the
fields named here are stored, since some servers tell their keys, too.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import to_json

from osler.api_keys import PROVIDERS, ServerKey, key_for, provider_url, scrub
from osler.errors import UserError, printable
from osler.models.compatible import HttpEndpoint
from osler.models.errors import BackboneError
from osler.models.spec import Spec, parse_spec

_SECONDS = 3.0
"""For a server to describe itself."""
_SERVER = "Server header"
"""The key under which an answer has this header."""
_LONGEST_NAME = 200
"""Characters of a name that a server gives."""
_SAMPLING: dict[str, float | None] = {
    "temperature": None,
    "top_k": -1,
    "top_p": 1,
    "min_p": 0,
    "typical_p": 1,
    "repeat_penalty": 1,
    "repetition_penalty": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "dry_multiplier": 0,
    "xtc_probability": 0,
    "mirostat": 0,
}
"""The default sampling that is stored, with the neutral values, which are not printed."""


def _name(value: object) -> str:
    if isinstance(value, str):
        return printable(scrub(value))[:_LONGEST_NAME]
    return ""


def _weights(value: object) -> str:
    name = _name(value)
    # A path on the server's machine tells of its folders; the name of a repository does not.
    is_path = re.match(r"[/\\.~]|[A-Za-z]:\\", name)
    if is_path:
        return re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    return name


def _sampling(values: object) -> dict[str, float]:
    sampling = {}
    for name, value in sorted(_mapping(values).items()):
        is_number = type(value) in {int, float} and abs(value) < 1e6
        if name in _SAMPLING and is_number:
            sampling[name] = round(float(value), 6)
    return sampling


def _whole_number(value: object) -> int | None:
    if type(value) is int:
        return value
    return None


Name = Annotated[str, BeforeValidator(_name)]


class ServerDescription(BaseModel):
    """A server and its model; what it does not tell, or tells in another form, is empty."""

    model_config = ConfigDict(frozen=True)

    address: str
    software: Name = ""
    version: Name = ""
    weights: Annotated[str, BeforeValidator(_weights)] = ""
    """What the server calls the model's file or repository, without folders of its machine."""
    context: Annotated[int | None, BeforeValidator(_whole_number)] = None
    """Tokens of prompt and answer."""
    template_hash: Name = ""
    """Of the chat template, which is too long to be shown; equal ones have the same."""
    defaults: Annotated[dict[str, float], BeforeValidator(_sampling)] = {}
    """Its sampling where a request does not state it."""

    @property
    def says_something(self) -> bool:
        """Whether the server told anything that identifies it."""
        return bool(self.software or self.version or self.weights or self.template_hash)

    def __str__(self) -> str:
        """In one line."""
        parts = [f"{self.software} {self.version}".strip(), self.weights]
        if self.context:
            parts.append(f"context {self.context}")
        if self.template_hash:
            parts.append(f"template {self.template_hash}")
        defaults = []
        for name, value in self.defaults.items():
            if value != _SAMPLING.get(name):
                defaults.append(f"{name}={value:g}")
        if defaults:
            parts.append(f"defaults {' '.join(defaults)}")
        return ", ".join(filter(None, parts)) or "says nothing of itself"


async def describe_servers(specs: Iterable[str]) -> dict[str, ServerDescription]:
    """Ask the servers of these backbones, each once; backbones of other kinds are left out."""
    servers = {}
    for text in specs:
        spec = parse_spec(text)
        if spec.kind in {"compatible", "ollama"}:
            servers[text] = spec
    descriptions = await asyncio.gather(*map(describe_server, servers.values()))
    return dict(zip(servers, descriptions, strict=True))


async def describe_server(spec: Spec) -> ServerDescription:
    """Ask the server of a `MODEL@URL` or an `ollama:MODEL`; without an answer all is empty."""
    url = spec.base_url or f"{provider_url(spec.kind)}/v1"
    root = url.removesuffix("/v1")
    try:
        key = key_for(url, PROVIDERS[spec.kind].key) if spec.kind in PROVIDERS else key_for(url)
        fields = await _fields(url, root, spec.model, partial(_answer, root, key))
    except UserError:  # its key may not be sent: the run itself will say so
        fields = {}
    return ServerDescription(address=spec.base_url or root, **fields)


Get = Callable[..., Awaitable[Mapping[str, Any]]]
"""Asks an address of the server, with a body or none, for a JSON object."""


async def _fields(url: str, root: str, name: str, get: Get) -> dict[str, Any]:
    """What a server says, by the fields of a description.

    Which software it is shows in what it answers.
    """
    models, version, props, ollama = await asyncio.gather(
        get(f"{url}/models"),
        get(f"{root}/version"),
        get(f"{root}/props"),
        get(f"{root}/api/version"),
    )
    model = _model(models, name)
    fields = {"weights": model.get("root"), "context": model.get("max_model_len")}
    if "default_generation_settings" in props:
        own = _llama_cpp(props)
    elif "version" in ollama:
        own = _ollama(await get(f"{root}/api/show", {"model": name}))
        own["version"] = ollama["version"]
    elif model.get("owned_by") == "sglang":
        own = await _sglang(root, get)
    elif model.get("owned_by") == "vllm":
        own = {"software": "vLLM", "version": version.get("version")}
    else:
        own = {"software": (models or version).get(_SERVER), "version": version.get("version")}
    fields.update({field: value for field, value in own.items() if value is not None})
    return fields


def _model(models: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The entry of a model in a server's list, or the only entry, whatever its name."""
    data = models.get("data")
    rows = [row for row in data if isinstance(row, Mapping)] if isinstance(data, list) else []
    for row in rows:
        if row.get("id") == name:
            return row
    if len(rows) == 1:
        return rows[0]
    return {}


async def _sglang(root: str, get: Get) -> dict[str, Any]:
    server = await get(f"{root}/get_server_info")
    model = await get(f"{root}/get_model_info")
    return {
        "software": "SGLang",
        "version": server.get("version"),
        "weights": model.get("model_path"),
        "defaults": model.get("preferred_sampling_params"),
    }


async def _answer(
    where: str, key: ServerKey, url: str, body: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """The JSON object at an address, and the `Server` header; empty if there is none."""
    endpoint = HttpEndpoint(url, key, where, _SECONDS)
    try:
        if body:
            headers, answer = await endpoint.exchange("POST", to_json(body))
        else:
            headers, answer = await endpoint.exchange("GET", None)
    except BackboneError:
        return {}
    finally:
        await endpoint.close()
    return {**_mapping(answer), _SERVER: headers.get("Server", "")}


def _llama_cpp(props: Mapping[str, Any]) -> dict[str, Any]:
    settings = _mapping(props["default_generation_settings"])
    return {
        "software": "llama.cpp",
        "version": props.get("build_info"),
        "weights": props.get("model_path"),
        "context": settings.get("n_ctx"),
        "template_hash": _template_hash(props.get("chat_template")),
        "defaults": settings.get("params") or settings,  # older ones have no `params`
    }


def _ollama(model: Mapping[str, Any]) -> dict[str, Any]:
    details = _mapping(model.get("details"))
    sizes = [details.get("parameter_size"), details.get("quantization_level")]
    parameters = str(model.get("parameters") or "")
    # A line for each, such as `temperature    0.7`.
    lines = re.findall(r"^(\w+)\s+(-?\d*\.?\d+)\s*$", parameters, re.MULTILINE)
    return {
        "software": "Ollama",
        "weights": " ".join(str(size) for size in sizes if size is not None),
        "template_hash": _template_hash(model.get("template")),
        "defaults": {name: float(value) for name, value in lines},
    }


def _template_hash(template: object) -> str:
    if not isinstance(template, str) or not template:
        return ""
    return hashlib.sha256(template.encode("utf-8", "replace")).hexdigest()[:8]


def _mapping(value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    return {}
