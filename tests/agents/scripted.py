"""A model that says what a test wants, and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage, ModelInfo, RequestUsage

from osler.models import Backbone

Script = Iterable[str | Exception] | Callable[[str], str]


class ScriptedClient(ChatCompletionClient):
    """Answers from a list, in order, or from a function of the prompt; an answer that is an error is raised."""

    def __init__(self, script: Script) -> None:
        self._answer = script if callable(script) else None
        self._rest: Iterator[str | Exception] = iter(()) if callable(script) else iter(script)
        self.prompts: list[str] = []
        self.options: list[dict[str, Any]] = []
        """What each call set, beside its messages."""
        self.delay = 0.0

    async def create(
        self, messages: Sequence[LLMMessage], *, extra_create_args: Mapping[str, Any] = {}, **_: Any
    ) -> CreateResult:
        text = "\n".join(str(message.content) for message in messages)
        self.prompts.append(text)
        self.options.append(dict(extra_create_args))
        await asyncio.sleep(self.delay)
        answer = self._answer(text) if self._answer else next(self._rest)
        if isinstance(answer, Exception):
            raise answer
        usage = RequestUsage(prompt_tokens=len(text) // 4, completion_tokens=len(answer) // 4)
        return CreateResult(content=answer, finish_reason="stop", usage=usage, cached=False)

    def create_stream(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("nothing streams")

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    total_usage = actual_usage

    def count_tokens(self, *args: Any, **kwargs: Any) -> int:
        return 0

    remaining_tokens = count_tokens

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=False, json_output=True, family="unknown", structured_output=True
        )


def scripted(script: Script) -> tuple[Backbone, ScriptedClient]:
    client = ScriptedClient(script)
    return Backbone(spec="scripted", model="scripted", client=client), client
