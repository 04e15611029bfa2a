"""What a worker elsewhere is set up with, as plain data, and the worker made from it."""

from __future__ import annotations

import gc
from dataclasses import asdict
from pathlib import Path
from typing import Any

from osler.models.rate_limit import Rates
from osler.runs.plan import Settings
from osler.simulator.clients import Clients, ClientSettings
from osler.simulator.worker import Worker


def spare_the_collector() -> None:
    """Leave what is loaded out of the search for garbage: it stays, and looking through it takes time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def worker_setup(settings: Settings, clients: ClientSettings, workers: int) -> dict[str, Any]:
    """The setup of one of several workers, each with its part of what an endpoint allows."""
    rates = clients.rates or Rates()
    return {
        "settings": settings.as_json(),
        "timeout": clients.timeout,
        "retries": clients.retries,
        "temperature": clients.temperature,
        "rates": asdict(rates.shared_by(workers)),
        "cache": str(clients.cache) if clients.cache else None,
    }


def worker_from(setup: dict[str, Any]) -> tuple[Worker, Clients]:
    """The worker of a setup, and its clients, to be closed at the end."""
    clients = Clients(
        ClientSettings(
            timeout=setup["timeout"],
            retries=setup["retries"],
            temperature=setup["temperature"],
            rates=Rates(**setup["rates"]),
            cache=Path(setup["cache"]) if setup["cache"] else None,
        )
    )
    return Worker(Settings.from_json(setup["settings"]), clients), clients
