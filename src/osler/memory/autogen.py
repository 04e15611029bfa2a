"""Any Osler memory as the memory of an AutoGen agent: `AssistantAgent(..., memory=[AutoGenMemory(...)])`.

An AutoGen agent never tells its memories what was said; it only asks them to update its context. So the exchanges are
read from the context itself. What is recalled is one system message, which the next turn's replaces.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from autogen_core import CancellationToken, Component
from autogen_core.memory import Memory as AutoGenProtocol
from autogen_core.memory import MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
from pydantic import BaseModel

from osler.language import Language
from osler.memory import saved
from osler.memory.base import Memory, MemorySettings, Recall, Turn
from osler.memory.recall_text import recall_rows
from osler.memory.registry import memory_factory
from osler.prompts import phrases


class _Config(BaseModel):
    memory: str
    language: Language
    budget: int
    file: str | None = None


class AutoGenMemory(AutoGenProtocol, Component[_Config]):
    """Remembers the exchanges of an agent's context and adds what bears on the newest message to the prompt."""

    component_config_schema = _Config

    def __init__(
        self, memory: str = "tim", *, settings: MemorySettings | None = None, file: str | Path | None = None
    ) -> None:
        """Make a memory by name, as `--memory` does.

        Args:
            memory: Its name, with options: `tim,k=5`.
            settings: Language, budget and the rest.
            file: Where it is kept from one conversation to the next; read when it is there.
        """
        self._name, self._settings = memory, settings or MemorySettings()
        self._heading = f"{phrases('autogen', self._settings.language)['heading']}\n"
        self._memory: Memory = memory_factory(memory)(self._settings)
        self._remembered = 0
        """Exchanges of the present conversation."""
        self._turns = 0
        """Turns of all conversations."""
        self._file = Path(file) if file is not None else None
        if self._file is not None and self._file.exists():
            self._turns = saved.restore(self._memory, self._file)["turns"]

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Remember new exchanges, then put one message with what they recall into the context."""
        messages = [message for message in await model_context.get_messages() if not self._is_mine(message)]
        exchanges = _exchanges(messages)
        for question, reply in exchanges[self._remembered :]:
            self._remembered += 1
            await self._remember(question, reply)
        query = next((_text(message) for message in reversed(messages) if isinstance(message, UserMessage)), "")
        recall = await self._memory.recall(query)
        await model_context.clear()
        for message in messages:
            await model_context.add_message(message)
        if recall.text:
            await model_context.add_message(SystemMessage(content=self._heading + recall.text))
        return UpdateContextResult(memories=_result(recall, self._settings.language))

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """Return what is known that bears on a text."""
        text = query if isinstance(query, str) else str(query.content)
        return _result(await self._memory.recall(text), self._settings.language)

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Remember a text that was not part of the conversation."""
        await self._remember("", str(content.content))

    async def clear(self) -> None:
        """Forget everything."""
        self._memory, self._remembered, self._turns = memory_factory(self._name)(self._settings), 0, 0
        self._save()

    async def close(self) -> None:
        """Nothing to close."""

    def _to_config(self) -> _Config:
        file = str(self._file) if self._file is not None else None
        return _Config(memory=self._name, language=self._settings.language, budget=self._settings.budget, file=file)

    @classmethod
    def _from_config(cls, config: _Config) -> Self:
        return cls(
            config.memory, settings=MemorySettings(language=config.language, budget=config.budget), file=config.file
        )

    async def _remember(self, question: str, reply: str) -> None:
        self._turns += 1
        await self._memory.remember(Turn(number=self._turns, question=question, reply=reply))
        self._save()

    def _save(self) -> None:
        if self._file is not None:
            saved.save(self._memory, self._file, turns=self._turns)

    def _is_mine(self, message: LLMMessage) -> bool:
        return isinstance(message, SystemMessage) and message.content.startswith(self._heading)


def _exchanges(messages: list[LLMMessage]) -> list[tuple[str, str]]:
    """Pair what the agent said with what it was told next; the first thing it was told has nothing before it."""
    pairs, said = [], ""
    for message in messages:
        if isinstance(message, AssistantMessage) and isinstance(message.content, str):
            said = message.content
        elif isinstance(message, UserMessage):
            pairs.append((said, _text(message)))
            said = ""
    return pairs


def _text(message: UserMessage) -> str:
    return message.content if isinstance(message.content, str) else " ".join(str(part) for part in message.content)


def _result(recall: Recall, language: Language) -> MemoryQueryResult:
    return MemoryQueryResult(
        results=[
            MemoryContent(
                content=row.text,
                mime_type=MemoryMimeType.TEXT,
                metadata={"turn": row.turn, "score": row.score},
            )
            for row in recall_rows(recall, language)
        ]
    )
