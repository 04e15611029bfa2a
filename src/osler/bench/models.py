"""The models of a bench, through the same clients as a run: one that answers, and the judge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from osler.eval.reader.memory_answers import AnswerForm, AskedTruth, MemoryAnswerReader
from osler.language import Language
from osler.memory.base import Thinker
from osler.memory.store.arguments import thinker_of
from osler.models import Backbone, ChatMessage, Completion, ask
from osler.models.cache import CachingClient, EarlierAnswers
from osler.models.errors import Answer, unless_it_fails
from osler.simulator.clients import Clients


@dataclass
class ModelUsage:
    """What one role used; a number that some answer does not tell is None from then on."""

    requests: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0
    failed: int = 0

    def check(self) -> None:
        """There is no limit."""

    def used(self, answer: Completion) -> None:
        """Count an answer, also one that is reused from the cache of an interrupted bench."""
        self.requests += 1
        if self.tokens is None or answer.tokens_in is None or answer.tokens_out is None:
            self.tokens = None
        else:
            self.tokens += answer.tokens_in + answer.tokens_out
        if self.cost is None or answer.cost is None:
            self.cost = None
        else:
            self.cost += answer.cost


class BenchModel:
    """One model in one role, counted."""

    def __init__(self, clients: Clients, spec: str) -> None:
        """Open the model; its answers are cached if the clients have a cache."""
        self.usage = ModelUsage()
        opened = clients.open(spec)
        client = CachingClient(
            opened.client,
            backbone=opened.identity,
            trial=1,
            earlier=EarlierAnswers(()),
            store=_store_nothing,
            own=self.usage,
            run=ModelUsage(),
            cache=clients.cache,
            seed=clients.settings.seed,
        )
        self._backbone = Backbone(opened.spec, opened.model, client, opened.identity)

    async def read(self, truth: AskedTruth, answer: str, language: Language) -> AnswerForm | None:
        """What an answer says; None if the model failed this time, or its form cannot be used.

        Raises:
            BackboneError: The model cannot be reached at all.
        """
        reader = MemoryAnswerReader(self._backbone, language)
        return await self._count_failure(lambda: reader.read(truth, answer))

    @property
    def thinker(self) -> Thinker:
        """The model as a memory asks it."""
        return thinker_of(self._backbone)

    async def text(self, filled: str, max_tokens: int) -> str | None:
        """The answer to a prompt, or None if the model failed this time.

        Raises:
            BackboneError: The model cannot be reached at all.
        """
        client = self._backbone.client
        messages = [ChatMessage("user", filled)]
        completion = await self._count_failure(lambda: ask(client, messages, max_tokens=max_tokens))
        if completion is None:
            return None
        return completion.text.strip()

    async def _count_failure(self, call: Callable[[], Awaitable[Answer]]) -> Answer | None:
        """What a call returns; None is counted."""
        answer = await unless_it_fails(call)
        if answer is None:
            self.usage.failed += 1
        return answer


async def _store_nothing(key: str, answer: Completion) -> None:
    """Answers are stored by the cache alone."""
