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


def _tim(settings: MemorySettings) -> Memory:
    from osler.memory.tim.memory import TimMemory  # with what it takes to think, it is only loaded when it is wanted

    return TimMemory(settings)


_BUILT_IN: dict[str, MemoryFactory] = {"none": NoMemory, "raw": RawMemory, "tim": _tim}


def memory_names() -> list[str]:
    """Every name that can be given, but for classes named by path."""
    return [*_BUILT_IN, *(point.name for point in entry_points(group=GROUP))]


def memory_factory(spec: str) -> MemoryFactory:
    """What makes the memory of that name, with the options that follow it: `tim,mode=paper,k=5`."""
    name, options = _options(spec)
    factory = _factory(name)
    return lambda settings: factory(settings.model_copy(update={"options": options}))


def _options(spec: str) -> tuple[str, dict[str, str]]:
    name, *rest = (part.strip() for part in spec.split(","))
    pairs = [part.partition("=") for part in rest]
    for key, equals, value in pairs:
        if not (key and equals and value):
            raise UserError(f"the memory {spec!r} cannot be read", "write options as name,option=value,option=value")
    return name, {key.strip(): value.strip() for key, _, value in pairs}


def _factory(name: str) -> MemoryFactory:
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
