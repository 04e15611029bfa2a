"""Any Osler memory as the memory of an AutoGen agent.

`AssistantAgent(..., memory=[AutoGenMemory(...)])`.

An AutoGen agent never tells its memories what was said; it only asks them to update its context. So
the exchanges are read from the context itself. What is recalled is one system message, which the
next turn's replaces.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from autogen_core import CancellationToken, Component
from autogen_core.memory import Memory as AutoGenProtocol
from autogen_core.memory import (
    MemoryContent,
    MemoryMimeType,
    MemoryQueryResult,
    UpdateContextResult,
)
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
from pydantic import BaseModel

from osler.errors import UserError
from osler.language import Language
from osler.memory.base import MemorySettings
from osler.memory.core.recall_text import recall_rows
from osler.memory.registry import MemoryFactory
from osler.memory.store import MemoryStore
from osler.plugins import as_name
from osler.prompts import phrases


class _Config(BaseModel):
    memory: str
    language: Language
    budget: int
    file: str | None = None
    user_id: str = "default"
    k: int | None = None


class AutoGenMemory(AutoGenProtocol, Component[_Config]):
    """Remembers an agent's exchanges, and adds to the prompt what bears on the newest message."""

    component_config_schema = _Config

    def __init__(
        self,
        memory: str | MemoryFactory = "tim",
        *,
        settings: MemorySettings | None = None,
        file: str | Path | None = None,
        user_id: str = "default",
        k: int | None = None,
    ) -> None:
        """Make a memory by name, as `--memory` does.

        Args:
            memory: Its name, with options: `tim,k=5`; or a class of your own.
            settings: Language, budget and the rest.
            file: A memory store, in which it is kept from one conversation to the next.
            user_id: Whose memory of the store it is.
            k: How many items are put into the prompt; by default, as much as fits the budget of the
                settings.
        """
        self._name = as_name(memory)
        self._settings = settings or MemorySettings()
        self._heading = f"{phrases('autogen', self._settings.language)['heading']}\n"
        self._file = Path(file) if file is not None else None
        self._store = MemoryStore(
            self._file, memory=self._name, language=self._settings.language, settings=self._settings
        )
        self._user = user_id
        self._k = k
        self._remembered = 0
        """Exchanges of the present conversation."""

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Remember new exchanges, then put one message with what they recall into the context."""
        messages = [
            message for message in await model_context.get_messages() if not self._is_mine(message)
        ]
        exchanges = _exchanges(messages)
        for question, reply in exchanges[self._remembered :]:
            self._remembered += 1
            messages_of_exchange = (
                {"role": "assistant", "content": question},
                {"role": "user", "content": reply},
            )
            if question.strip() or reply.strip():
                await self._store.aadd(messages_of_exchange, user_id=self._user)
        users_texts = [_text(message) for message in messages if isinstance(message, UserMessage)]
        query = users_texts[-1] if users_texts else ""
        text, result = await self._recalled(query)
        await model_context.clear()
        for message in messages:
            await model_context.add_message(message)
        if text:
            await model_context.add_message(SystemMessage(content=self._heading + text))
        return UpdateContextResult(memories=result)

    async def _recalled(self, query: str) -> tuple[str, MemoryQueryResult]:
        if self._k is not None:
            results_of_query = await self.query(query)
            return "\n".join(
                str(item.content) for item in results_of_query.results
            ), results_of_query
        recall = await self._store.arecall(query, user_id=self._user)
        rows = recall_rows(recall, self._settings.language)
        results = [_content(row.text, {"turn": row.turn, "score": row.score}) for row in rows]
        return recall.text, MemoryQueryResult(results=results)

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,
    ) -> MemoryQueryResult:
        """Return what is known that bears on a text, best first.

        `k` or `limit` is the number of results; `user_id`, `run_id` and `filters` are those of
        `MemoryStore.search`.
        """
        text = query if isinstance(query, str) else str(query.content)
        unknown = set(kwargs) - {"k", "limit", "user_id", "run_id", "filters"}
        if unknown:
            raise UserError(
                f"query has no option {min(unknown)!r}", "use k, limit, user_id, run_id or filters"
            )
        most = kwargs.pop("k", kwargs.pop("limit", self._k))
        answer = await self._store.asearch(text, limit=most, **{"user_id": self._user, **kwargs})
        results = []
        for item in answer["results"]:
            memory_text = item.pop("memory")
            metadata = item.pop("metadata")
            results.append(_content(memory_text, {**metadata, **item}))
        return MemoryQueryResult(results=results)

    async def add(
        self, content: MemoryContent, cancellation_token: CancellationToken | None = None
    ) -> None:
        """Remember a text that was not part of the conversation, with its metadata.

        A `user_id`, `run_id` or `timestamp` in the metadata is that of `MemoryStore.add`.
        """
        metadata = dict(content.metadata or {})
        store_arguments = {
            name: metadata.pop(name)
            for name in ("user_id", "run_id", "timestamp")
            if name in metadata
        }
        await self._store.aadd(
            str(content.content), metadata=metadata, **{"user_id": self._user, **store_arguments}
        )

    async def clear(self) -> None:
        """Forget everything of the user."""
        await self._store.adelete_all(user_id=self._user)
        self._remembered = 0

    async def close(self) -> None:
        """Close the store."""
        await self._store.aclose()

    def _to_config(self) -> _Config:
        return _Config(
            memory=self._name,
            language=self._settings.language,
            budget=self._settings.budget,
            file=str(self._file) if self._file is not None else None,
            user_id=self._user,
            k=self._k,
        )

    @classmethod
    def _from_config(cls, config: _Config) -> Self:
        settings = MemorySettings(language=config.language, budget=config.budget)
        return cls(
            config.memory, settings=settings, file=config.file, user_id=config.user_id, k=config.k
        )

    def _is_mine(self, message: LLMMessage) -> bool:
        return isinstance(message, SystemMessage) and message.content.startswith(self._heading)


def _exchanges(messages: list[LLMMessage]) -> list[tuple[str, str]]:
    """Pair what the agent said with what it was told next, the first time with an empty text."""
    pairs = []
    agents_text = ""
    for message in messages:
        if isinstance(message, AssistantMessage) and isinstance(message.content, str):
            agents_text = message.content
        elif isinstance(message, UserMessage):
            pairs.append((agents_text, _text(message)))
            agents_text = ""
    return pairs


def _text(message: UserMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return " ".join(str(part) for part in message.content)


def _content(text: str, metadata: dict[str, Any]) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata=metadata)
