"""A stand-in for the servers of all providers, on loopback, that misbehaves as told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from aiohttp import web

from tests.models.toy_model import ToyModel

USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}


@dataclass(frozen=True)
class Step:
    """What the server does with one request."""

    status: int = 200
    text: str | None = "hello"
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """Sent instead of a chat completion, or of an error's message."""
    hang: bool = False
    cut: bool = False
    refuse_schema: bool = False
    message: str = "no"
    usage: Any = field(default_factory=lambda: dict(USAGE))
    finish: Any = "stop"
    thought: dict[str, str] = field(default_factory=dict)
    """Fields of the message in which the server tells what the model thought."""
    model: ToyModel | None = None
    """Answers instead of the text."""
    refuse: tuple[str, ...] = ()
    """Fields that the server refuses, the first it finds by name, as servers with a strict form
    do."""
    fingerprint: str | None = None


@dataclass
class Server:
    """The requests that came, and where to send more."""

    url: str
    requests: list[dict[str, Any]]
    keys: list[str]
    paths: list[str] = field(default_factory=list)
    asked_about: list[str] = field(default_factory=list)
    """Paths on which the server was asked about itself."""

    @property
    def spec(self) -> str:
        return f"tiny@{self.url}"

    @property
    def root(self) -> str:
        return self.url.removesuffix("/v1")


def completion(step: Step) -> bytes:
    message = {"role": "assistant", "content": step.text, **step.thought}
    body: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "another-name",
        "choices": [{"index": 0, "finish_reason": step.finish, "message": message}],
    }
    if step.usage is not None:
        body["usage"] = step.usage
    if step.fingerprint is not None:
        body["system_fingerprint"] = step.fingerprint
    return json.dumps(body).encode()


def anthropic_message(step: Step) -> bytes:
    blocks = [{"type": "text", "text": step.text}] if step.text is not None else []
    usage = {"input_tokens": USAGE["prompt_tokens"], "output_tokens": USAGE["completion_tokens"]}
    body = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "another-name",
        "content": blocks,
    }
    return json.dumps(
        {**body, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}
    ).encode()


def ollama_chat(step: Step) -> bytes:
    counts = {"prompt_eval_count": USAGE["prompt_tokens"], "eval_count": USAGE["completion_tokens"]}
    body = {
        "model": "another-name",
        "message": {"role": "assistant", "content": step.text or ""},
        **counts,
    }
    return json.dumps(
        {**body, "created_at": "2026-01-01T00:00:00Z", "done": True, "done_reason": "stop"}
    ).encode()


PATHS: dict[str, Callable[[Step], bytes]] = {
    "/v1/chat/completions": completion,
    "/v1beta/openai/chat/completions": completion,
    "/openai/deployments/{deployment}/chat/completions": completion,
    "/v1/messages": anthropic_message,
    "/api/chat": ollama_chat,
}
"""Of OpenAI and the servers that are compatible with it, Gemini, Azure, Anthropic and Ollama."""


@asynccontextmanager
async def serving(*steps: Step, says: dict[str, Any] | None = None) -> AsyncIterator[Server]:
    """Serve the steps in order; the last one is repeated. `says` is what other paths answer, as
    JSON."""
    script = list(steps)
    server = Server("", [], [])

    async def answer(request: web.Request, made: Callable[[Step], bytes]) -> web.StreamResponse:
        body = await request.json()
        server.requests.append(body)
        names = ("Authorization", "x-api-key", "api-key")
        server.keys.append(
            next((request.headers[name] for name in names if name in request.headers), "")
        )
        server.paths.append(request.path)
        step = script.pop(0) if len(script) > 1 else script[0]
        return await _answer(request, step, body, made)

    app = web.Application()
    for path, made in PATHS.items():
        app.router.add_post(path, partial(answer, made=made))

    async def tell(request: web.Request) -> web.Response:
        server.asked_about.append(request.path)
        server.keys.append(request.headers.get("Authorization", ""))
        return web.json_response((says or {})[request.path])

    for path in says or {}:
        app.router.add_route("*", path, tell)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


async def _answer(
    request: web.Request,
    step: Step,
    body: dict[str, Any],
    made: Callable[[Step], bytes] = completion,
) -> web.StreamResponse:
    if step.hang:
        await asyncio.sleep(3600)
    if step.refuse_schema and "response_format" in body:
        return web.json_response(
            {"error": {"message": "response_format json_schema is not supported"}}, status=400
        )
    if unknown := next((name for name in step.refuse if name in body), None):
        message = f"Unrecognized request argument supplied: {unknown}"
        return web.json_response({"error": {"message": message}}, status=400)
    if step.status != 200 and step.raw is None:
        return web.json_response(
            {"error": {"message": step.message}}, status=step.status, headers=step.headers
        )
    if step.model is not None:
        step = replace(step, text=step.model.answer({**body, **body.get("options", {})}))
    payload = made(step) if step.raw is None else step.raw
    headers = {"Content-Type": "application/json", **step.headers}
    if step.cut:
        response = web.StreamResponse(headers={**headers, "Content-Length": str(len(payload))})
        await response.prepare(request)
        await response.write(payload[: len(payload) // 2])
        assert request.transport is not None
        request.transport.abort()
        return response
    return web.Response(status=step.status, body=payload, headers=headers)


Sleeps = list[float]


def counting_sleep(sleeps: Sleeps) -> Callable[[float], Any]:
    """A sleep that notes how long it would have been."""

    async def sleep(seconds: float) -> None:
        sleeps.append(seconds)

    return sleep
