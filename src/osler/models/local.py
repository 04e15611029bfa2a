"""Models on this machine: llama.cpp inside this process, through xllamacpp."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from osler.errors import UserError
from osler.models import weights
from osler.models.chat import ChatClient, ChatRequest
from osler.models.completion import LONGEST_ANSWER, Completion, oversize
from osler.models.errors import status_error, too_late
from osler.models.spec import Spec, check_parameters

CONTEXT = 8192
"""Tokens of prompt and answer together."""

_OPTIONS = frozenset({"max_tokens", "temperature", "seed", "stop", "top_p", "top_k", "min_p", "repeat_penalty"})


class LocalModel:
    """One model file, loaded at its first call. Calls wait for each other: one at a time uses all cores."""

    def __init__(self, path: Path) -> None:
        """Take the file; it is loaded later, off the event loop."""
        self.path = path
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="osler-local")
        self._server: Any = None

    def run(self, request: dict[str, Any], timeout: float, stopped: threading.Event, where: str) -> Completion:
        """Answer one request, in the worker's thread. The clock starts here: waiting for others is not counted.

        Raises:
            BackboneError: It took too long, the answer is too long, or llama.cpp refused the request.
        """
        if self._server is None:
            self._server = _load(self.path)
        stream = _Stream(time.monotonic() + timeout, stopped)
        try:
            self._server.handle_chat_completions(request, stream.take)
        except (ValueError, RuntimeError) as error:
            raise status_error(400, str(error), where) from None
        if stream.late:
            raise too_late(where, timeout)
        if stream.error is not None:
            raise status_error(400, stream.error, where)
        if stream.size > LONGEST_ANSWER:
            raise oversize(where)
        text, thought = "".join(stream.parts), "".join(stream.thoughts)
        return Completion.from_text(
            text, model=self.path.stem, finish=stream.finish, usage=stream.usage, thought=thought or None
        )


class _Stream:
    """Collects an answer token by token; llama.cpp stops when `take` returns True."""

    def __init__(self, deadline: float, stopped: threading.Event) -> None:
        self.parts: list[str] = []
        self.thoughts: list[str] = []
        self.size = 0
        self.finish: object = None
        self.usage: object = None
        self.error: str | None = None
        self.late = False
        self._deadline = deadline
        self._stopped = stopped

    def take(self, chunk: dict[str, Any]) -> bool:
        if "error" in chunk:
            self.error = str(chunk["error"].get("message", chunk["error"]))
            return True
        self.usage = chunk.get("usage") or self.usage
        for choice in chunk.get("choices", ()):
            delta = choice.get("delta", {})
            part, thought = delta.get("content") or "", delta.get("reasoning_content") or ""
            self.parts.append(part)
            self.thoughts.append(thought)
            self.size += len((part + thought).encode("utf-8", "replace"))
            self.finish = choice.get("finish_reason") or self.finish
        self.late = self.finish is None and time.monotonic() > self._deadline
        return self.late or self._stopped.is_set() or self.size > LONGEST_ANSWER


class LocalClient(ChatClient):
    """A client for a model in this process. JSON schemas are enforced by llama.cpp's grammar."""

    def __init__(self, loaded: LocalModel, options: Mapping[str, Any], timeout: float) -> None:
        """Use a model with these options; other clients may use the same model with others."""
        self.model = loaded.path.stem
        self.where = f"the local model {self.model}"
        self._loaded, self._options, self._timeout = loaded, options, timeout

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer, in the model's own thread; it stays loaded, since others in this process may use it."""
        body = request.body({**self._options, "stream": True, "stream_options": {"include_usage": True}})
        stopped = threading.Event()
        run, worker = self._loaded.run, self._loaded.worker
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(worker, run, body, self._timeout, stopped, self.where)
        finally:
            stopped.set()  # where we were cancelled, the thread ends with the next token


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


def _load(path: Path) -> Any:
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
    # It also listens on a loopback port of its own choosing; nobody else on this machine is to use that.
    params.api_keys = [secrets.token_urlsafe()]
    try:
        return xllamacpp.Server(params)
    except RuntimeError:
        raise UserError(f"llama.cpp cannot load {path}", "check that the file is whole and fits into memory") from None
