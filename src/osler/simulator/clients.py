"""The backbones of a run: each opened once, shared by all consultations, closed at the end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from osler.runs.plan import Limits
from osler.simulator.limits import ConsultationLimiter, RunLimiter

if TYPE_CHECKING:
    from osler.models import Backbone
    from osler.models.cache import ResponseCache, SharedAnswers, StoreAnswer
    from osler.models.rate_limit import Rates


@dataclass(frozen=True)
class ClientSettings:
    """How models are asked; none of it changes what they answer, but for the temperature."""

    timeout: float = 60.0
    temperature: float = 0.0
    retries: int = 4
    rates: Rates | None = None
    cache: Path | None = None

    def shared_by(self, workers: int) -> ClientSettings:
        """The settings of one of several workers, each with its part of what an endpoint allows."""
        return replace(self, rates=self.rates.shared_by(workers) if self.rates else None)


class Clients:
    """Opens backbones by their spec when they are first needed, each behind a breaker."""

    def __init__(self, settings: ClientSettings | None = None) -> None:
        """Open nothing yet."""
        from osler.models.in_flight import InFlight

        self.requests = InFlight()
        self._settings = settings or ClientSettings()
        self._open: dict[str, Backbone] = {}
        self._cache: ResponseCache | None = None
        self._shared: SharedAnswers | None = None

    def open(self, spec: str) -> Backbone:
        """The backbone of that spec.

        Raises:
            UserError: The name, the key, the weights or the price table are not usable.
        """
        from osler.models import open_backbone
        from osler.models.circuit_breaker import CircuitBreaker

        if spec not in self._open:
            use = self._settings
            backbone = open_backbone(
                spec,
                timeout=use.timeout,
                temperature=use.temperature,
                retries=use.retries,
                rates=use.rates,
                requests=self.requests,
            )
            backbone.client = CircuitBreaker(backbone.client)
            self._open[spec] = backbone
        return self._open[spec]

    @property
    def cache(self) -> ResponseCache | None:
        """The cache of answers, where there is one."""
        if self._settings.cache is not None and self._cache is None:
            from osler.models.cache import ResponseCache

            self._cache = ResponseCache(self._settings.cache)
        return self._cache

    @property
    def shared(self) -> SharedAnswers:
        """What is asked once for all consultations."""
        if self._shared is None:
            from osler.models.cache import SharedAnswers

            self._shared = SharedAnswers()
        return self._shared

    async def close(self) -> None:
        """Close what was opened."""
        for backbone in self._open.values():
            await backbone.close()
        self._open.clear()
        if self._cache is not None:
            self._cache.close()
            self._cache = None


class ConsultationClients:
    """The clients of one consultation: its own lines to the shared backbones."""

    def __init__(
        self,
        clients: Clients,
        trial: int,
        kept: tuple[tuple[str, str], ...],
        keep: StoreAnswer,
        limits: Limits,
        run: RunLimiter,
    ) -> None:
        """Prepare lines.

        Args:
            clients: The shared backbones.
            trial: The consultation's trial.
            kept: Answers from before it was interrupted, by the key of their request.
            keep: Stores every answer that is paid for.
            limits: Of the consultation.
            run: What the run may still use.
        """
        self._clients, self._trial, self._keep, self._run = clients, trial, keep, run
        self._kept_pairs = kept
        self._own = ConsultationLimiter(limits)
        self._lines: dict[tuple[str, bool], Backbone] = {}

    def open(self, spec: str) -> Backbone:
        """The backbone of that spec, on this consultation's line."""
        return self._line(spec, once=False)

    def open_shared(self, spec: str) -> Backbone:
        """The same, for requests that are made once in a run, whichever trial makes them."""
        return self._line(spec, once=True)

    def _line(self, spec: str, *, once: bool) -> Backbone:
        from osler.models import Backbone
        from osler.models.cache import CachingClient, EarlierAnswers

        if (spec, once) not in self._lines:
            shared = self._clients.open(spec)
            if not self._lines:
                self._kept = EarlierAnswers(self._kept_pairs)
            line = CachingClient(
                shared.client,
                backbone=shared.identity,
                trial=0 if once else self._trial,
                earlier=self._kept,
                store=self._keep,
                own=self._own,
                run=self._run,
                cache=self._clients.cache,
                shared=self._clients.shared if once else None,
            )
            self._lines[spec, once] = Backbone(shared.spec, shared.model, line, shared.identity)
        return self._lines[spec, once]
