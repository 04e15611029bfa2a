"""`openai:`, `azure:`, `anthropic:`, `gemini:` and `ollama:`: models behind the vendors' own SDKs.

Their retries are off: the one retry policy of `retry` is around all of them.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from osler.addresses import is_loopback
from osler.api_keys import AZURE_VERSION, PROVIDERS, ServerKey, key_for, provider_url
from osler.errors import UserError
from osler.models.chat import ChatClient
from osler.models.spec import Spec, check_parameters, checked_url

_USUAL_AZURE_VERSION = "2024-10-21"
_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
_ANTHROPIC_PARAMETERS = frozenset(
    {"max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "metadata", "thinking"}
)
_SET_BY_OSLER = frozenset(
    {"model", "messages", "stream", "stream_options", "n", "response_format", "functions", "function_call"}
    | {"tools", "tool_choice", "audio", "modalities"}
)
_REASONING = re.compile(r"o\d|gpt-5")
"""OpenAI's reasoning models, which refuse any temperature but their own."""


def open_provider(spec: Spec, options: Mapping[str, Any], timeout: float) -> ChatClient:
    """The client of a provider's model.

    Args:
        spec: Which provider and model.
        options: What every request holds: the defaults and the spec's parameters.
        timeout: Seconds for an answer.

    Raises:
        UserError: A package, a key or an address is missing, or a parameter is not known.
    """
    url = provider_url(spec.kind)
    if not url:
        raise UserError(f"the address for {spec.kind}:{spec.model} is not known", f"set {PROVIDERS[spec.kind].address}")
    url = checked_url(url)
    key = key_for(url, PROVIDERS[spec.kind].key)
    if not key.value and spec.kind in {"openai", "anthropic", "gemini"}:
        raise UserError(f"there is no key for {spec.kind}:{spec.model}", f"set {key.variable}")
    opener = {"anthropic": _anthropic, "ollama": _ollama, "azure": _azure}.get(spec.kind, _openai)
    return opener(spec, url, key, options, timeout)


def _openai(spec: Spec, url: str, key: ServerKey, options: Mapping[str, Any], timeout: float) -> ChatClient:
    """OpenAI itself, and Gemini at its OpenAI-compatible address."""
    from openai import DefaultAioHttpClient  # half the work of the SDK's own HTTP client

    from osler.models.autogen_client import openai_client

    settings = _sdk_settings(DefaultAioHttpClient, url, timeout)
    client = openai_client(model=spec.model, base_url=url, api_key=key.value, **settings)
    return _openai_like(client, spec, url, key, options, timeout, newest=url == PROVIDERS["openai"].url)


def _azure(spec: Spec, url: str, key: ServerKey, options: Mapping[str, Any], timeout: float) -> ChatClient:
    from openai import DefaultAioHttpClient

    from osler.models.autogen_client import azure_client

    access = {"api_key": key.value} if key.value else {"azure_ad_token_provider": _azure_sign_in(spec, key)}
    client = azure_client(
        model=spec.model,
        azure_deployment=spec.model,
        azure_endpoint=url,
        api_version=os.environ.get(AZURE_VERSION, "").strip() or _USUAL_AZURE_VERSION,
        **access,
        **_sdk_settings(DefaultAioHttpClient, url, timeout),
    )
    return _openai_like(client, spec, url, key, options, timeout, newest=True)


def _openai_like(
    client: Any, spec: Spec, url: str, key: ServerKey, options: Mapping[str, Any], timeout: float, *, newest: bool
) -> ChatClient:
    from openai.types.chat.completion_create_params import CompletionCreateParamsBase

    from osler.models.autogen_client import AutoGenClient
    from osler.models.json_schema import response_format

    check_parameters(spec.kind, options, {*CompletionCreateParamsBase.__annotations__, "extra_body"} - _SET_BY_OSLER)
    if newest and _REASONING.match(spec.model) and "temperature" not in spec.options():
        options = {name: value for name, value in options.items() if name != "temperature"}
    return AutoGenClient(
        client,
        model=spec.model,
        where=f"{spec.model} at {url}",
        timeout=timeout,
        options=options,
        key=key,
        max_tokens_name="max_completion_tokens" if newest else "max_tokens",
        schema_arguments=lambda schema: {"response_format": response_format(schema)},
    )


def _anthropic(spec: Spec, url: str, key: ServerKey, options: Mapping[str, Any], timeout: float) -> ChatClient:
    _require("anthropic", spec)
    check_parameters("anthropic", spec.options(), _ANTHROPIC_PARAMETERS)
    import httpx
    from anthropic import DEFAULT_CONNECTION_LIMITS

    from osler.models.autogen_client import AutoGenClient, anthropic_client

    settings = _sdk_settings(partial(httpx.AsyncClient, limits=DEFAULT_CONNECTION_LIMITS), url, timeout)
    client = anthropic_client(model=spec.model, base_url=url, api_key=key.value, **settings)
    known = {name: value for name, value in options.items() if name in _ANTHROPIC_PARAMETERS}  # it has no seed
    where = f"{spec.model} at {url}"
    return AutoGenClient(
        client, model=spec.model, where=where, timeout=timeout, options=known, key=key, takes_schema=False
    )


def _ollama(spec: Spec, url: str, key: ServerKey, options: Mapping[str, Any], timeout: float) -> ChatClient:
    _require("ollama", spec)
    import ollama

    from osler.models.autogen_client import AutoGenClient, ollama_client
    from osler.models.json_schema import tight

    check_parameters("ollama", options, {*ollama.Options.model_fields, "max_tokens", "keep_alive", "think"})
    headers = {"Authorization": f"Bearer {key.value}"} if key.value else {}
    near = is_loopback(urlsplit(url).hostname or "")
    sdk = ollama.AsyncClient(url, headers=headers, timeout=timeout, follow_redirects=False, trust_env=not near)
    return AutoGenClient(
        ollama_client(spec.model, sdk),
        model=spec.model,
        where=f"{spec.model} at {url}",
        timeout=timeout,
        options=options,
        key=key,
        max_tokens_name="num_predict",
        schema_arguments=lambda schema: {"format": tight(schema)},
        close=sdk.close,
    )


def _sdk_settings(http_client: Any, url: str, timeout: float) -> dict[str, Any]:
    """What the SDKs of OpenAI and Anthropic are both told. `Any`, because each has its own class of HTTP clients."""
    near = is_loopback(urlsplit(url).hostname or "")  # where no proxy could reach it
    http = http_client(timeout=timeout, trust_env=not near, follow_redirects=False)
    return {"max_retries": 0, "timeout": timeout, "http_client": http}


def _require(package: str, spec: Spec) -> None:
    if importlib.util.find_spec(package) is None:
        raise UserError(f"{spec.kind}:{spec.model} needs the package {package}", f"pip install 'osler[{spec.kind}]'")


def _azure_sign_in(spec: Spec, key: ServerKey) -> Any:
    """A provider of tokens for who is signed in at Azure; `Any`, because the package is an extra."""
    try:
        identity = importlib.import_module("azure.identity.aio")
    except ImportError:
        raise UserError(
            f"there is no key for azure:{spec.model}",
            f"set {key.variable}, or sign in at Azure and pip install 'osler[azure]'",
        ) from None
    return identity.get_bearer_token_provider(identity.DefaultAzureCredential(), _AZURE_SCOPE)
