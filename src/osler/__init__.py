"""Osler: clinical consultations between agents, simulated, remembered and scored."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from osler.agents.doctors import Doctor
    from osler.eval.judge import Judge
    from osler.eval.runs import Run, load_run
    from osler.memory.base import Memory
    from osler.memory.store import MemoryStore
    from osler.models import Backbone
    from osler.records.pool import RecordPool
    from osler.records.schema import PatientRecord as Record
    from osler.simulator.api import asimulate, simulate

__version__ = "0.2.0"
__all__ = [
    "Backbone",
    "Doctor",
    "Judge",
    "Memory",
    "MemoryStore",
    "Record",
    "RecordPool",
    "Run",
    "__version__",
    "asimulate",
    "load_run",
    "simulate",
]

_HOMES = {
    "Backbone": "osler.models:Backbone",
    "Doctor": "osler.agents.doctors:Doctor",
    "Judge": "osler.eval.judge:Judge",
    "Memory": "osler.memory.base:Memory",
    "MemoryStore": "osler.memory.store:MemoryStore",
    "Record": "osler.records.schema:PatientRecord",
    "RecordPool": "osler.records.pool:RecordPool",
    "Run": "osler.eval.runs:Run",
    "asimulate": "osler.simulator.api:asimulate",
    "load_run": "osler.eval.runs:load_run",
    "simulate": "osler.simulator.api:simulate",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: naming the version needs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute)
