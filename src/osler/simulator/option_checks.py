"""Check the options of `osler.simulate` by the declarations that the command line checks them by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, cast, get_args, get_origin

from typer.models import OptionInfo

from osler.errors import UserError
from osler.plugins import give
from osler.simulator.options import SimulateOptions

_LISTS_OF_THINGS = {"backbones": "backbone", "memories": "memory", "strategies": "strategy"}
_THINGS = {"patient": "backbone", "ram": "backbone", "memory_backbone": "backbone"}
"""Options that take a class, a function or, for a backbone, a client in place of a name; and what it should be."""
_LONGEST = 80
"""Characters of a wrong value that a message shows."""


def checked_options(given: SimulateOptions) -> SimulateOptions:
    """Return the options with plain numbers; refuse names, types, numbers and choices that the command line refuses."""
    known = SimulateOptions.__annotations__
    checked: dict[str, Any] = {}
    for name, value in _with_names(given).items():
        if name not in known:
            near = next(iter(get_close_matches(name, known, 1)), None)
            remedy = f"did you mean {near!r}?" if near else f"use one of {', '.join(known)}"
            raise UserError(f"simulate has no option {name!r}", remedy)
        checked[name] = _checked(name, value, known[name])
    return cast("SimulateOptions", checked)


def _with_names(given: SimulateOptions) -> dict[str, object]:
    """The options with the names of what was given in place of a name, by which it can be loaded from now on."""
    things: dict[str, object] = {}

    def named(option: str, item: object, what: str) -> object:
        if item is None or isinstance(item, str):
            return item
        if what != "backbone" and not (callable(item) and hasattr(item, "__qualname__")):
            remedy = f"give the class, or a function with a name: each consultation makes a {what} of its own"
            raise UserError(f"{option} holds {_shown(item)}", remedy)
        name = give(item)
        if things.setdefault(name, item) is not item:
            raise UserError(f"two different things are called {name}", "give one of them another name")
        return name

    with_names: dict[str, object] = dict(given)
    for option, value in given.items():
        if option in _THINGS:
            with_names[option] = named(option, value, _THINGS[option])
        elif option in _LISTS_OF_THINGS and isinstance(value, list | tuple | set | frozenset):
            with_names[option] = [named(option, item, _LISTS_OF_THINGS[option]) for item in value]
    return with_names


def _checked(name: str, value: object, declared: object) -> object:
    if get_origin(declared) is Annotated:
        kind, *about = get_args(declared)
        option = next(one for one in about if isinstance(one, OptionInfo))
        return _checked_by_declaration(name, value, kind, option)
    if name == "pool":
        is_pool = isinstance(value, str | Path | Iterable)
        return value if is_pool else _refuse(name, value, "a path, `bundled` or records")
    is_path = isinstance(value, str | Path | NoneType)
    return value if is_path else _refuse(name, value, "a path")


def _checked_by_declaration(name: str, value: object, kind: Any, option: OptionInfo) -> object:
    """A value that has the type, the limits and the choices that its option declares."""
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    if value is None and NoneType in kinds:
        return None
    kind = next(one for one in kinds if one is not NoneType)
    if get_origin(kind) is list:
        return _checked_list(name, value)
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        return value if value in choices else _refuse(name, value, f"one of {', '.join(choices)}")
    if kind is bool:
        return value if isinstance(value, bool) else _refuse(name, value, "True or False")
    if kind is str:
        return value if isinstance(value, str) else _refuse(name, value, "a text")
    return _checked_number(name, value, kind, option)


def _checked_number(name: str, value: object, kind: type[int] | type[float], option: OptionInfo) -> float:
    wanted, word = (Integral, "a whole number") if kind is int else (Real, "a number")
    if isinstance(value, bool) or not isinstance(value, wanted):
        _refuse(name, value, word)
    number = kind(cast("float", value))
    if option.min is not None and not number >= option.min:  # so that NaN is refused, too
        _refuse(name, value, f"{option.min:,} or more")
    if option.max is not None and not number <= option.max:
        _refuse(name, value, f"{option.max:,} or less")
    return number


def _checked_list(name: str, value: object) -> list[str]:
    if isinstance(value, str):
        raise UserError(f"{name} is one text", f"give a list: {name}=[{value!r}]")
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        _refuse(name, value, "a list of texts")
    items: list[str] = []
    for item in value:
        if not isinstance(item, str):
            raise UserError(f"{name} holds {_shown(item)}", "give a list of texts")
        items.append(item)
    return items


def _refuse(name: str, value: object, wanted: str) -> NoReturn:
    raise UserError(f"{name} is {_shown(value)}", f"give {wanted}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
