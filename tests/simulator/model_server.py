"""A model on loopback, in a thread of its own: it plays a doctor well enough, and fails as told."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

from tests.models.server import Step, _answer

QUESTIONS = (
    "Do you have a fever?",
    "Since when do you cough?",
    "Do you take any medicines?",
    "Does anything hurt when you breathe?",
    "Have you lost weight?",
    "Do you smoke?",
    "What did the blood test show?",
)
REPLY = "{reply}"
"""The text of a step whose answer is the usual one, while something else of it is not."""
Misbehave = Callable[[int], Step | None]
"""What to do with the request of that number; None: answer it."""


def reply_to(prompt: str) -> str:
    """The same answer to the same prompt, in a form that the doctor's reader knows."""
    if '"things"' in prompt:
        chosen = int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % 9 + 1
        found = {"asked": "it", "entries": [chosen], "nothing": ""}
        return json.dumps(
            {"things": [found, {"asked": "that", "entries": [], "nothing": "denied"}]}
        )
    if '"lessons"' in prompt:
        lesson = f"Think of more than one illness {len(prompt)}."
        return json.dumps(
            {
                "lessons": [
                    {"when": "patients with fever, cough, pain 发热 咳嗽 疼痛", "lesson": lesson}
                ]
            }
        )
    if '"action"' in prompt:
        chosen = int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % len(QUESTIONS)
        return json.dumps({"differential": [], "action": "ask", "question": QUESTIONS[chosen]})
    if '"diagnosis"' in prompt:
        told = {
            "differential": ["Bronchitis"],
            "diagnosis": "Pneumonia",
            "treatment": "Rest",
            "reasoning": "r",
        }
        return json.dumps(told)
    if "one per line, names only" in prompt or "列出五个最可能的诊断" in prompt:
        return "Pneumonia\nBronchitis"
    if '"treatment"' in prompt:
        return json.dumps({"treatment": "Rest", "reasoning": "r"})
    if '"thoughts"' in prompt:
        thought = {
            "subject": "patient",
            "relation": "has",
            "object": "a cough",
            "negated": False,
            "when": "",
        }
        return json.dumps({"thoughts": [thought], "forget": [], "merge": []})
    return "A patient with a cough."


@dataclass
class ModelServer:
    """Where it is, and what it was asked."""

    url: str = ""
    prompts: Counter[str] = field(default_factory=Counter)
    """The prompts that were answered, and how often each was."""
    temperatures: Counter[float] = field(default_factory=Counter)
    """The temperatures of requests, and how often each was asked for."""
    requests: int = 0
    under_way: int = 0
    most_under_way: int = 0
    says: dict[str, Any] = field(default_factory=dict)
    """What it says of itself: JSON by path. It may be changed while it serves."""

    @property
    def spec(self) -> str:
        return f"tiny@{self.url}"


def counted(messages: list[dict[str, str]], answer: str) -> dict[str, Any]:
    """Usage that grows with the texts, as a real server's does: four characters make a token."""
    read = sum(len(message["content"]) for message in messages)
    return {"prompt_tokens": 1 + read // 4, "completion_tokens": 1 + len(answer) // 4}


@contextmanager
def model_server(
    misbehave: Misbehave = lambda _: None,
    latency: float = 0.0,
    *,
    counts: bool = False,
    slow: str | None = None,
) -> Iterator[ModelServer]:
    """Serve until the block is left.

    With `counts`, an answer takes as many tokens as its texts are long; only prompts with the text
    `slow` have to wait.
    """
    server, loop, ready = ModelServer(), asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        server.requests += 1
        server.temperatures[body["temperature"]] += 1
        step = misbehave(server.requests)
        prompt = body["messages"][-1]["content"]
        server.under_way += 1
        server.most_under_way = max(server.most_under_way, server.under_way)
        try:
            await asyncio.sleep(latency if slow is None or slow in prompt else 0.0)
        finally:
            server.under_way -= 1
        step = step or Step(text=REPLY)
        if step.text == REPLY:
            server.prompts[prompt] += 1
            step = replace(step, text=reply_to(prompt))
        if counts and step.text:
            step = replace(step, usage=counted(body["messages"], step.text))
        return await _answer(request, step, body)

    async def tell(request: web.Request) -> web.Response:
        told = server.says.get(request.path)
        return web.json_response(told, status=404 if told is None else 200)

    async def serve() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        app.router.add_route("*", "/{path:.*}", tell)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait(120)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(120)
        loop.close()
