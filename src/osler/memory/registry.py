"""Memories by name: the built-in ones, those that packages register, and `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points

from osler.errors import UserError
from osler.memory.base import Memory, MemorySettings
from osler.memory.none import NoMemory
from osler.memory.raw import RawMemory

GROUP = "osler.memories"
MemoryFactory = Callable[[MemorySettings], Memory]

_BUILT_IN: dict[str, MemoryFactory] = {"none": NoMemory, "raw": RawMemory}


def memory_names() -> list[str]:
    """Every name that can be given, but for classes named by path."""
    return [*_BUILT_IN, *(point.name for point in entry_points(group=GROUP))]


def memory_factory(name: str) -> MemoryFactory:
    """What makes the memory of that name."""
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    for point in entry_points(group=GROUP):
        if point.name == name:
            return _checked(point.load(), name)
    module, colon, attribute = name.partition(":")
    if not colon:
        raise UserError(
            f"there is no memory {name!r}", f"use one of {', '.join(memory_names())}, or package.module:Class"
        )
    try:
        return _checked(getattr(import_module(module), attribute), name)
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"the memory {name!r} cannot be loaded: {error}", "check the module's path and the class's name"
        ) from None


def _checked(factory: object, name: str) -> MemoryFactory:
    if not callable(factory):
        raise UserError(
            f"the memory {name!r} is not a class or function",
            "name something that takes MemorySettings and gives a Memory",
        )
    return factory
