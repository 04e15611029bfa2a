"""What a model's server says of itself: software, version, weights, chat template and default sampling.

The same weights behind another server may answer differently, so a run keeps this beside its results. What is asked:
`/v1/models` (all), `/version` (vLLM), `/props` (llama.cpp), `/get_server_info` and `/get_model_info` (SGLang),
`/api/version` and `/api/show` (Ollama). Only the fields named here are kept, since some servers tell their keys, too.
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
_SERVER = "Server header"
"""The key under which an answer has this header."""
_LONGEST_NAME, _LONGEST_TEMPLATE = 200, 50_000
_SAMPLING: dict[str, float | None] = {
    **{"temperature": None, "top_k": -1, "top_p": 1, "min_p": 0, "typical_p": 1},
    **{"repeat_penalty": 1, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0},
    **{"dry_multiplier": 0, "xtc_probability": 0, "mirostat": 0},
}
"""The default sampling that is kept, and what is neutral, which is not shown."""


def _name(value: object) -> str:
    return printable(scrub(value))[:_LONGEST_NAME] if isinstance(value, str) else ""


def _weights(value: object) -> str:
    name = _name(value)
    is_path = re.match(r"[/\\.~]|[A-Za-z]:\\", name)  # on the server's machine, not a repository
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1] if is_path else name


def _sampling(values: object) -> dict[str, float]:
    return {
        name: round(float(value), 6)
        for name, value in sorted(_mapping(values).items())
        if name in _SAMPLING and type(value) in {int, float} and abs(value) < 1e6
    }


Name = Annotated[str, BeforeValidator(_name)]


class ServerDescription(BaseModel):
    """One server and its model, as far as it tells; what it does not tell, or tells in another form, is empty."""

    model_config = ConfigDict(frozen=True)

    address: str
    software: Name = ""
    version: Name = ""
    weights: Annotated[str, BeforeValidator(_weights)] = ""
    """What the server calls the model's file or repository, without folders of its machine."""
    context: Annotated[int | None, BeforeValidator(lambda value: value if type(value) is int else None)] = None
    """Tokens of prompt and answer."""
    template: Annotated[
        str, BeforeValidator(lambda value: scrub(value)[:_LONGEST_TEMPLATE] if isinstance(value, str) else "")
    ] = ""
    """The chat template."""
    defaults: Annotated[dict[str, float], BeforeValidator(_sampling)] = {}
    """Its sampling where a request does not state it."""

    @property
    def says_something(self) -> bool:
        """Whether the server told anything that identifies it."""
        return bool(self.software or self.version or self.weights or self.template)

    def __str__(self) -> str:
        """In one line."""
        told = [f"{self.software} {self.version}".strip(), self.weights]
        told += [f"context {self.context}"] if self.context else []
        if self.template:
            told.append(f"template {hashlib.sha256(self.template.encode('utf-8', 'replace')).hexdigest()[:8]}")
        own = [f"{name}={value:g}" for name, value in self.defaults.items() if value != _SAMPLING.get(name)]
        told += [f"defaults {' '.join(own)}"] if own else []
        return ", ".join(filter(None, told)) or "says nothing of itself"


async def describe_servers(specs: Iterable[str]) -> dict[str, ServerDescription]:
    """Ask the servers of these backbones, each once; backbones without a server that tells are left out."""
    parsed = {spec: parse_spec(spec) for spec in specs}
    asked = {spec: one for spec, one in parsed.items() if one.kind in {"compatible", "ollama"}}
    found = await asyncio.gather(*map(describe_server, asked.values()))
    return dict(zip(asked, found, strict=True))


async def describe_server(spec: Spec) -> ServerDescription:
    """Ask the server of a `MODEL@URL` or an `ollama:MODEL`. A server that does not answer has an empty description."""
    url = spec.base_url or f"{provider_url(spec.kind)}/v1"
    root = url.removesuffix("/v1")
    try:
        key = key_for(url, PROVIDERS[spec.kind].key) if spec.kind in PROVIDERS else key_for(url)
        told = await _told(url, root, spec.model, partial(_answer, root, key))
    except UserError:  # its key may not be sent: the run itself will say so
        told = {}
    return ServerDescription(address=spec.base_url or root, **told)


async def _told(url: str, root: str, name: str, get: Callable[..., Awaitable[Mapping[str, Any]]]) -> dict[str, Any]:
    """What a server says, by the fields of a description; which software it is shows in what it answers."""
    listed, version, props, ollama = await asyncio.gather(
        get(f"{url}/models"), get(f"{root}/version"), get(f"{root}/props"), get(f"{root}/api/version")
    )
    models = listed.get("data")
    models = [one for one in models if isinstance(one, Mapping)] if isinstance(models, list) else []
    named = [one for one in models if one.get("id") == name] or (models if len(models) == 1 else [])
    model = named[0] if named else {}
    told = {"weights": model.get("root"), "context": model.get("max_model_len")}
    if "default_generation_settings" in props:
        more = _llama_cpp(props)
    elif "version" in ollama:
        more = _ollama(await get(f"{root}/api/show", {"model": name})) | {"version": ollama["version"]}
    elif model.get("owned_by") == "sglang":
        server, loaded = await get(f"{root}/get_server_info"), await get(f"{root}/get_model_info")
        more = {"software": "SGLang", "version": server.get("version"), "weights": loaded.get("model_path")}
        more["defaults"] = loaded.get("preferred_sampling_params")
    else:
        software = "vLLM" if model.get("owned_by") == "vllm" else (listed or version).get(_SERVER)
        more = {"software": software, "version": version.get("version")}
    return told | {field: value for field, value in more.items() if value is not None}


async def _answer(where: str, key: ServerKey, url: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """The JSON object at an address, and the `Server` header; empty if there is none."""
    endpoint = HttpEndpoint(url, key, where, _SECONDS)
    try:
        headers, said = await endpoint.exchange("POST" if body else "GET", to_json(body) if body else None)
    except BackboneError:
        return {}
    finally:
        await endpoint.close()
    return {**_mapping(said), _SERVER: headers.get("Server", "")}


def _llama_cpp(props: Mapping[str, Any]) -> dict[str, Any]:
    settings = _mapping(props["default_generation_settings"])
    return {
        "software": "llama.cpp",
        "version": props.get("build_info"),
        "weights": props.get("model_path"),
        "context": settings.get("n_ctx"),
        "template": props.get("chat_template"),
        "defaults": settings.get("params") or settings,  # older ones have no `params`
    }


def _ollama(shown: Mapping[str, Any]) -> dict[str, Any]:
    details, parameters = _mapping(shown.get("details")), str(shown.get("parameters") or "")
    lines = re.findall(r"^(\w+)\s+(-?\d*\.?\d+)\s*$", parameters, re.MULTILINE)
    return {
        "software": "Ollama",
        "weights": " ".join(str(details[name]) for name in ("parameter_size", "quantization_level") if name in details),
        "template": shown.get("template"),
        "defaults": {name: float(value) for name, value in lines},
    }


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
