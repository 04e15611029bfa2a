"""Models on this machine: llama.cpp inside this process, through xllamacpp, asked as any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from osler.api_keys import ServerKey
from osler.errors import UserError
from osler.models import weights
from osler.models.chat import ChatClient, ChatRequest
from osler.models.compatible import CompatibleClient, HttpEndpoint
from osler.models.completion import Completion
from osler.models.spec import Spec, check_parameters

CONTEXT = 8192
"""Tokens of prompt and answer together."""

_OPTIONS = frozenset({"max_tokens", "temperature", "seed", "stop", "top_p", "top_k", "min_p", "repeat_penalty"})


@dataclass(eq=False)
class LocalModel:
    """One model file, loaded at its first call into a llama.cpp server on a loopback port."""

    path: Path
    key: ServerKey = field(default_factory=lambda: ServerKey("", secrets.token_urlsafe(), is_safe=True))
    """What the server wants to see, so that nobody else on this machine can use it."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: Any = None

    def address(self) -> str:
        """Where the model is asked; loads it first, which blocks."""
        with self._lock:
            if self._server is None:
                self._server = _load(self.path, self.key.value)
        return f"{self._server.listening_address}/v1/chat/completions"


@dataclass(eq=False)
class LocalClient(ChatClient):
    """A client for a model in this process. JSON schemas are enforced by llama.cpp's grammar."""

    loaded: LocalModel
    """It stays loaded, since other clients in this process may use it with other options."""
    options: Mapping[str, Any]
    timeout: float
    _client: CompatibleClient | None = None

    def __post_init__(self) -> None:
        """Name the model after its file."""
        self.model = self.loaded.path.stem
        self.where = f"the local model {self.model}"

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer, without blocking the event loop while the model is loaded."""
        if self._client is None:
            url = await asyncio.to_thread(self.loaded.address)
            endpoint = HttpEndpoint(url, self.loaded.key, self.where, self.timeout)
            self._client = self._client or CompatibleClient(self.model, self.where, endpoint, self.options)
        return await self._client.complete(request)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()


_MODELS: dict[Path, LocalModel] = {}


def open_local(spec: Spec, options: Mapping[str, Any], timeout: float) -> LocalClient:
    """The client of a spec of kind local.

    Raises:
        UserError: xllamacpp is not installed, there is no such model, or it has no such parameter.
    """
    check_parameters("local", options, _OPTIONS)
    if importlib.util.find_spec("xllamacpp") is None:
        raise UserError("local models need xllamacpp", "pip install 'osler[local]'")
    path = weights.fetch(weights.SMOLLM2) if spec.path is None else _checked(spec.path)
    path = path.resolve()
    return LocalClient(_MODELS.setdefault(path, LocalModel(path)), options, timeout)


def _checked(path: Path) -> Path:
    path = path.expanduser()
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise UserError(f"the model {path} cannot be read ({error.strerror})", "name a .gguf file") from None
    if magic != b"GGUF":
        raise UserError(f"{path} is no GGUF model", "name a .gguf file")
    return path


def _load(path: Path, key: str) -> Any:
    """A llama.cpp server; its types are unknown here because xllamacpp is an extra."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # Said explicitly, because llama.cpp may count cores of the machine that this process may not use.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = cores
    params.verbosity = -1
    params.warmup = False
    params.ui = False
    params.api_keys = [key]
    try:
        return xllamacpp.Server(params)
    except RuntimeError:
        raise UserError(f"llama.cpp cannot load {path}", "check that the file is whole and fits into memory") from None
