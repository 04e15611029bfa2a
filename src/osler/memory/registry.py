"""Memories by name: the built-in ones, those that packages register, and `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from osler.errors import UserError
from osler.memory.base import Memory, MemorySettings
from osler.plugins import plugin_factory, plugin_names

GROUP = "osler.memories"
MemoryFactory = Callable[[MemorySettings], Memory]
_WANTED = (
    "name something that takes MemorySettings and gives a Memory: with remember, recall and state"
)


BUILT_IN = {
    "none": "none:NoMemory",
    "raw": "raw:RawMemory",
    "full": "raw:FullMemory",
    "tim": "tim.memory:TimMemory",
    "memorybank": "memorybank:MemoryBankMemory",
    "scm": "scm:ScmMemory",
    "summary": "summary.memory:SummaryMemory",
    "perlt": "perlt.memory:PerltMemory",
    "graph": "graph.memory:GraphMemory",
}
"""Where each built-in memory is; it is imported when it is wanted."""


def memory_names() -> list[str]:
    """Every name that can be given, except classes named by path."""
    return [*BUILT_IN, *plugin_names(GROUP)]


def memory_factory(spec: str) -> MemoryFactory:
    """Return the factory of the memory with that name and its options: `tim,mode=paper,k=5`.

    Raises:
        UserError: There is none of that name, or it cannot be loaded; calling the factory raises it
            too.
    """
    name, options = memory_options(spec)
    if options and name in ("none", "raw", "full"):
        raise UserError(
            f"the memory {name} has no option {next(iter(options))!r}",
            f"it has no options at all: write {name}",
        )
    factory = _built_in(name) if name in BUILT_IN else _foreign(name)
    return lambda settings: factory(settings.model_copy(update={"options": options}))


def check_memories(specs: Iterable[str]) -> None:
    """Build each memory once so a wrong name fails before the run starts.

    Raises:
        UserError: One of them cannot be made.
    """
    for spec in specs:
        memory_factory(spec)(MemorySettings())


def memory_options(spec: str) -> tuple[str, dict[str, str]]:
    """Split a memory's name from its options."""
    name, *rest = (part.strip() for part in spec.split(","))
    pairs = [part.partition("=") for part in rest]
    options = {key.strip(): value.strip() for key, _, value in pairs}
    if len(options) < len(pairs) or not all(key and value for key, value in options.items()):
        raise UserError(
            f"the memory {spec!r} cannot be read",
            "write options as name,option=value,option=value, each of them once",
        )
    return name, options


def _built_in(name: str) -> MemoryFactory:
    module, _, kind = BUILT_IN[name].partition(":")
    factory: MemoryFactory = getattr(import_module(f"osler.memory.{module}"), kind)
    return factory


def _foreign(name: str) -> MemoryFactory:
    def fault(made: object) -> str | None:
        if isinstance(made, Memory):
            return None
        return "is no Memory"

    return plugin_factory("memory", GROUP, name, memory_names(), wanted=_WANTED, fault=fault)
