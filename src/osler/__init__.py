"""Osler: clinical consultations between agents, simulated, remembered and scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from osler.eval.runs import load_run

__version__ = "0.1.0"
__all__ = ["__version__", "load_run"]


def __getattr__(name: str) -> object:
    """Import `load_run` when it is first asked for: naming the version needs nothing."""
    if name != "load_run":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from osler.eval.runs import load_run

    return load_run
