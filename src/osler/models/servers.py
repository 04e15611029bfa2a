"""What a model's server says of itself: software, version, weights, chat template and default sampling.

The same weights behind another server may answer differently, so a run keeps this beside its results. What is asked:
`/v1/models` (all), `/version` (vLLM), `/props` (llama.cpp), `/get_server_info` and `/get_model_info` (SGLang),
`/api/version` and `/api/show` (Ollama). Only the fields named here are kept, since some servers tell their keys, too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from osler.api_keys import PROVIDERS, ServerKey, key_for, provider_url, scrub
from osler.errors import UserError, printable
from osler.models.compatible import HttpEndpoint
from osler.models.errors import BackboneError
from osler.models.spec import Spec, parse_spec

_SECONDS = 3.0
_LONGEST_NAME, _LONGEST_TEMPLATE = 200, 50_000
_SAMPLING: dict[str, float | None] = {
    **{"temperature": None, "top_k": -1, "top_p": 1, "min_p": 0, "typical_p": 1},
    **{"repeat_penalty": 1, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0},
    **{"dry_multiplier": 0, "xtc_probability": 0, "mirostat": 0},
}
"""The default sampling that is kept, and what is neutral, which is not shown."""


class ServerDescription(BaseModel):
    """One server and its model, as far as it tells; what it does not tell is empty."""

    model_config = ConfigDict(frozen=True)

    address: str
    software: str = ""
    version: str = ""
    weights: str = ""
    """What the server calls the model's file or repository, without folders of its machine."""
    context: int | None = None
    """Tokens of prompt and answer."""
    template: str = ""
    """The chat template."""
    template_hash: str = ""
    defaults: dict[str, float] = Field(default_factory=dict)
    """Its sampling where a request does not state it."""

    @property
    def says_something(self) -> bool:
        """Whether the server told anything that identifies it."""
        return bool(self.software or self.version or self.weights or self.template_hash)

    def __str__(self) -> str:
        """In one line."""
        told = [f"{self.software} {self.version}".strip(), self.weights]
        told += [f"context {self.context}"] if self.context else []
        told += [f"template {self.template_hash[:8]}"] if self.template_hash else []
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
        ask = _Questions(root, key_for(url, PROVIDERS[spec.kind].key) if spec.kind in PROVIDERS else key_for(url))
        listed, version, props, ollama = await asyncio.gather(
            ask.get(f"{url}/models"),
            ask.get(f"{root}/version"),
            ask.get(f"{root}/props"),
            ask.get(f"{root}/api/version"),
        )
        model = _listed_model(listed, spec.model)
        if "default_generation_settings" in props:
            told = _llama_cpp(props)
        elif "version" in ollama:
            told = _ollama(ollama, await ask.post(f"{root}/api/show", {"model": spec.model}))
        elif model.get("owned_by") == "sglang":
            told = _sglang(await ask.get(f"{root}/get_server_info"), await ask.get(f"{root}/get_model_info"))
        else:
            software = "vLLM" if model.get("owned_by") == "vllm" else ask.software
            told = {"software": software, "version": version.get("version")}
    except UserError:  # its key may not be sent: the run itself will say so
        told, model = {}, {}
    told = {"weights": model.get("root"), "context": model.get("max_model_len"), **_known(told)}
    return _description(spec.base_url or root, told)


class _Questions:
    """Questions to one server. One that it does not answer gets an empty answer."""

    def __init__(self, where: str, key: ServerKey) -> None:
        self._where, self._key = where, key
        self.software = ""
        """Its `Server` header."""

    async def get(self, url: str) -> Mapping[str, Any]:
        return await self._ask("GET", url)

    async def post(self, url: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._ask("POST", url, json.dumps(body).encode())

    async def _ask(self, method: str, url: str, body: bytes | None = None) -> Mapping[str, Any]:
        endpoint = HttpEndpoint(url, self._key, self._where, _SECONDS)
        try:
            headers, said = await endpoint.exchange(method, body)
        except BackboneError:
            return {}
        finally:
            await endpoint.close()
        self.software = headers.get("Server", "")
        return said if isinstance(said, Mapping) else {}


def _listed_model(listed: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The entry of a model in `/v1/models`, or the only one there is."""
    data = listed.get("data")
    models = [one for one in data if isinstance(one, Mapping)] if isinstance(data, list) else []
    named = [one for one in models if one.get("id") == name] or (models if len(models) == 1 else [])
    return named[0] if named else {}


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


def _ollama(version: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    details, parameters = _mapping(shown.get("details")), str(shown.get("parameters") or "")
    weights = " ".join(str(details[name]) for name in ("parameter_size", "quantization_level") if name in details)
    lines = re.findall(r"^(\w+)\s+(-?[\d.]+)\s*$", parameters, re.MULTILINE)
    return {
        "software": "Ollama",
        "version": version["version"],
        "weights": weights,
        "template": shown.get("template"),
        "defaults": {name: float(value) for name, value in lines if value.count(".") < 2 and value.strip("-.")},
    }


def _sglang(server: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "software": "SGLang",
        "version": server.get("version"),
        "weights": model.get("model_path"),
        "defaults": model.get("preferred_sampling_params"),
    }


def _description(address: str, told: Mapping[str, Any]) -> ServerDescription:
    """The description out of what a server said, which may be anything."""
    template, context = told.get("template"), told.get("context")
    template = scrub(template)[:_LONGEST_TEMPLATE] if isinstance(template, str) else ""
    return ServerDescription(
        address=address,
        software=_name(told.get("software")),
        version=_name(told.get("version")),
        weights=_name(told.get("weights"), is_path=True),
        context=context if type(context) is int and context > 0 else None,
        template=template,
        template_hash=hashlib.sha256(template.encode("utf-8", "replace")).hexdigest() if template else "",
        defaults={
            name: round(float(value), 6)
            for name, value in sorted(_mapping(told.get("defaults")).items())
            if name in _SAMPLING and type(value) in {int, float} and abs(value) < 1e6
        },
    )


def _name(value: object, *, is_path: bool = False) -> str:
    text = printable(scrub(value))[:_LONGEST_NAME] if isinstance(value, str) else ""
    is_local = is_path and re.match(r"[/\\.~]|[A-Za-z]:\\", text)
    return re.split(r"[/\\]", text.rstrip("/\\"))[-1] if is_local else text


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _known(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if value is not None}
