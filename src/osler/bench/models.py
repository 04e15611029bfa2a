"""The models of a bench: the one that thinks and answers, and the judge, through the same clients as a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from osler.loosejson import json_of
from osler.memory.base import Thinker
from osler.memory.store.arguments import thinker_of
from osler.models import Backbone, BackboneError, ChatMessage, Completion, FailureKind, ask
from osler.models.cache import CachingClient, EarlierAnswers
from osler.simulator.clients import Clients

_HOPELESS = frozenset({FailureKind.UNREACHABLE, FailureKind.UNAUTHORIZED, FailureKind.UNKNOWN_MODEL})
"""Failures that every further request would meet, too."""


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
        known = answer.tokens_in is not None and answer.tokens_out is not None
        spent = (answer.tokens_in or 0) + (answer.tokens_out or 0)
        self.tokens = None if self.tokens is None or not known else self.tokens + spent
        self.cost = None if self.cost is None or answer.cost is None else self.cost + answer.cost


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
            store=_keep_nothing,
            own=self.usage,
            run=ModelUsage(),
            cache=clients.cache,
            seed=clients.settings.seed,
        )
        self._backbone = Backbone(opened.spec, opened.model, client, opened.identity)

    @property
    def thinker(self) -> Thinker:
        """The model as a memory asks it."""
        return thinker_of(self._backbone)

    async def text(self, filled: str, max_tokens: int) -> str | None:
        """The answer to a prompt, or None if the model failed this time.

        Raises:
            BackboneError: The model cannot be reached at all.
        """
        try:
            said = await ask(self._backbone.client, [ChatMessage("user", filled)], max_tokens=max_tokens)
        except BackboneError as error:
            if error.kind in _HOPELESS:
                raise
            self.usage.failed += 1
            return None
        return said.text.strip()

    async def data(self, filled: str, max_tokens: int) -> dict[str, Any] | None:
        """The answer as JSON; None also if it cannot be read."""
        said = await self.text(filled, max_tokens)
        return None if said is None else json_of(said)


async def _keep_nothing(key: str, answer: Completion) -> None:
    """Answers are kept by the cache alone."""
