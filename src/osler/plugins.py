"""Classes of your own: by entry points, by `package.module:Class`, or as objects in Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from operator import attrgetter
from typing import Any

from osler.errors import UserError

_GIVEN: dict[str, object] = {}
"""Objects that Python code gave in place of a name, by the name that they have in a run."""
_PACKAGES: set[str] = set()
"""The packages that something of your own was loaded from."""


def plugin_names(group: str) -> list[str]:
    """The names that installed packages register in a group of entry points."""
    return [point.name for point in entry_points(group=group)]


def plugin_packages() -> frozenset[str]:
    """The packages of your own code, by which its failures are told from Osler's."""
    return frozenset(_PACKAGES)


def name_of(thing: object) -> str:
    """Return `module:Class` for a class, a function or an object of a class."""
    owner = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{owner.__module__}:{owner.__qualname__}"


def give(thing: object) -> str:
    """Let a class, a function or an object be loaded by its name in this process; returns the name.

    A class that is defined once more, as in a notebook's cell, takes the place of the one before.
    """
    name = name_of(thing)
    _GIVEN[name] = thing
    return name


def as_name(thing: object) -> str:
    """Return a name as it is, and for anything else the name that `give` returns."""
    if isinstance(thing, str):
        return thing
    return give(thing)


def check_workers_can_load(what: str, name: str) -> None:
    """Raise `UserError` for an object from Python that no other process can import by name."""
    if name in _GIVEN and not _can_be_imported(name, _GIVEN[name]):
        module = name.partition(":")[0]
        where = "the script or notebook" if module == "__main__" else module
        raise UserError(
            f"workers cannot import the {what} {name!r} from {where}",
            "move it to the top level of a module and import it from there, or leave out workers"
            " and engine",
        )


def _can_be_imported(name: str, thing: object) -> bool:
    module, _, path = name.partition(":")
    try:
        return module != "__main__" and attrgetter(path)(sys.modules[module]) is thing
    except (KeyError, AttributeError):
        return False


def plugin_factory(
    what: str,
    group: str,
    name: str,
    known: Sequence[str],
    *,
    wanted: str,
    fault: Callable[[object], str | None],
) -> Callable[..., Any]:
    """Load a plugin and wrap it so that any error becomes a `UserError`.

    Args:
        what: Like the next three, see `load_plugin`.
        group: The group of entry points.
        name: The name.
        known: All names that could be given instead.
        wanted: The remedy: what to name.
        fault: What is wrong with its product, such as "is no Memory", or None if it can be used.
    """
    factory = load_plugin(what, group, name, known)
    if not callable(factory):
        raise UserError(f"the {what} {name!r} is not a class or function", wanted)

    def make(*settings: Any, **options: Any) -> Any:
        try:
            product = factory(*settings, **options)
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            raise UserError(
                f"the {what} {name!r} cannot be made: {_line(error)}", wanted
            ) from error
        wrong = fault(product)
        if wrong:
            kind = type(product).__name__
            raise UserError(f"the {what} {name!r} gives a {kind}, which {wrong}", wanted)
        return product

    return make


def load_plugin(what: str, group: str, name: str, known: Sequence[str]) -> object:
    """Load what a name stands for.

    Args:
        what: What it should be, as messages call it: `memory`, `strategy`.
        group: The group of entry points.
        name: The entry point's name, `package.module:Class`, or the name of what was given in
            Python.
        known: All names that could be given instead.

    Raises:
        UserError: There is none of that name, or it cannot be loaded.
    """
    if name in _GIVEN:
        return _GIVEN[name]
    points = [point for point in entry_points(group=group) if point.name == name]
    module, colon, attribute = name.partition(":")
    if not points and not colon:
        raise UserError(
            f"there is no {what} {name!r}",
            f"use one of {', '.join(known)}, or package.module:Class",
        )
    if not points and (module == "__main__" or "<" in attribute):
        raise UserError(
            f"the {what} {name!r} was given in Python, from a script or notebook",
            "give the class again in Python, or move it to a module and name that",
        )
    _PACKAGES.add((points[0].module if points else module).partition(".")[0])
    try:
        if points:
            return points[0].load()
        folder = os.path.abspath(os.curdir)
        if not {"", folder} & set(sys.path):
            # Last, so that no module there takes the place of an installed module.
            sys.path.append(folder)
        return attrgetter(attribute)(import_module(module))
    except (Exception, SystemExit) as error:  # importing it runs it, and it may do anything
        reason = str(error) if isinstance(error, ImportError | AttributeError) else _line(error)
        raise UserError(
            f"the {what} {name!r} cannot be loaded: {reason}",
            "check the module's path and the class's name",
        ) from error


def _line(error: BaseException) -> str:
    """What went wrong in your own code, and where."""
    from osler.code_failures import failure_in

    failure = failure_in(error)
    place = f" ({failure.place})" if failure and failure.is_own else ""
    return f"{type(error).__name__}: {error}{place}"
