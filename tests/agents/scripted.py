"""A model that says what a test wants, and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from osler.models import Backbone, ChatClient, ChatRequest, Completion

Script = Iterable[str | Exception] | Callable[[str], str]


class ScriptedClient(ChatClient):
    """Answers from a list, in order, or from a function of the prompt; an answer that is an error
    is raised."""

    model = where = "scripted"

    def __init__(self, script: Script) -> None:
        self._answer = script if callable(script) else None
        self._rest: Iterator[str | Exception] = iter(()) if callable(script) else iter(script)
        self.prompts: list[str] = []
        self.options: list[dict[str, Any]] = []
        """What each call set, beside its messages."""
        self.delay = 0.0

    async def complete(self, request: ChatRequest) -> Completion:
        text = "\n".join(message.content for message in request.messages)
        self.prompts.append(text)
        self.options.append({"max_tokens": request.max_tokens, "schema": request.schema})
        await asyncio.sleep(self.delay)
        answer = self._answer(text) if self._answer else next(self._rest)
        if isinstance(answer, Exception):
            raise answer
        tokens = {"tokens_in": len(text) // 4, "tokens_out": len(answer) // 4}
        return Completion(text=answer, finish="stop", model=self.model, **tokens)


def scripted(script: Script) -> tuple[Backbone, ScriptedClient]:
    client = ScriptedClient(script)
    return Backbone(spec="scripted", model="scripted", client=client), client
