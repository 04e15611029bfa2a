"""The backbones of a run: each opened once, shared by all consultations, closed at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from osler.models import Backbone, open_backbone
from osler.models.cache import (
    Allowance,
    CachingClient,
    EarlierAnswers,
    ResponseCache,
    SharedAnswers,
    StoreAnswer,
)
from osler.models.rate_limit import EndpointClient, InFlight, RateLimiter, Rates
from osler.models.retry import CircuitBreaker
from osler.settings.names import TIMEOUT, Limits
from osler.simulator.limits import ConsultationLimiter


@dataclass(frozen=True)
class ClientSettings:
    """How models are asked; of these, only the seed changes what they answer."""

    timeout: float = TIMEOUT
    seed: int = 0
    retries: int = 4
    rates: Rates | None = None
    cache: Path | None = None

    def shared_by(self, workers: int) -> ClientSettings:
        """The settings of one of several workers, each with its part of what an endpoint allows."""
        return replace(self, rates=self.rates.shared_by(workers) if self.rates else None)


class Clients:
    """Opens backbones by their spec when they are first needed, each behind a circuit breaker."""

    def __init__(self, settings: ClientSettings | None = None) -> None:
        self.requests = InFlight()
        self.shared = SharedAnswers()
        """Answers to requests that are made once for all consultations."""
        self.settings = settings or ClientSettings()
        self._open: dict[tuple[str, float], Backbone] = {}
        self._limiters: dict[str, RateLimiter] = {}

    def open(self, spec: str, temperature: float = 0.0) -> Backbone:
        """The backbone of that spec at a temperature; raises what `open_backbone` does."""
        if (spec, temperature) not in self._open:
            use = self.settings
            backbone = open_backbone(
                spec,
                timeout=use.timeout,
                temperature=temperature,
                retries=use.retries,
                rates=use.rates,
                requests=self.requests,
            )
            if isinstance(backbone.client, EndpointClient):
                # What an endpoint allows, it allows for all temperatures together.
                own = backbone.client.limiter
                backbone.client.limiter = self._limiters.setdefault(spec, own)
            backbone.client = CircuitBreaker(backbone.client)
            self._open[spec, temperature] = backbone
        return self._open[spec, temperature]

    @cached_property
    def cache(self) -> ResponseCache | None:
        """The cache of answers, if the user wants one."""
        if self.settings.cache is not None:
            return ResponseCache(self.settings.cache)
        return None

    async def close(self) -> None:
        """Close what was opened."""
        for backbone in self._open.values():
            await backbone.close()
        self._open.clear()
        cache = self.__dict__.pop("cache", None)
        if cache is not None:
            cache.close()


class ConsultationClients:
    """The backbones of one consultation.

    They are the shared ones, with its own limits, trial and stored answers.
    """

    def __init__(
        self,
        clients: Clients,
        trial: int,
        kept: tuple[tuple[str, str], ...],
        keep: StoreAnswer,
        limits: Limits,
        run: Allowance,
        turn: Callable[[], int] = lambda: 0,
        temperature: float = 0.0,
    ) -> None:
        """Reuse the answers in `kept`, from before an interruption, and store new ones by `keep`.

        `turn` tells which turn of the consultation it is. All models sample at the temperature.
        """
        self._clients = clients
        self._trial = trial
        self._keep = keep
        self._run = run
        self._temperature = temperature
        self._earlier = EarlierAnswers(kept)
        self._own = ConsultationLimiter(limits, turn)
        self._open: dict[tuple[str, bool, bool], Backbone] = {}

    def open(self, spec: str, *, shared: bool = False, for_memory: bool = False) -> Backbone:
        """The backbone of that spec.

        Args:
            spec: Its name.
            shared: For requests that are made once in a run, whichever trial makes them.
            for_memory: For the memory, which thinks while the others go on.
        """
        if (spec, shared, for_memory) not in self._open:
            backbone = self._clients.open(spec, self._temperature)
            client = CachingClient(
                backbone.client,
                backbone=backbone.identity,
                trial=0 if shared else self._trial,
                earlier=self._earlier,
                store=self._keep,
                own=self._own.memory if for_memory else self._own,
                run=self._run,
                cache=self._clients.cache,
                shared=self._clients.shared if shared else None,
                seed=self._clients.settings.seed,
            )
            opened = Backbone(backbone.spec, backbone.model, client, backbone.identity)
            self._open[spec, shared, for_memory] = opened
        return self._open[spec, shared, for_memory]
