"""Classes of your own by name: those that packages register as entry points, and `package.module:Class`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from osler.errors import UserError


def plugin_names(group: str) -> list[str]:
    """The names that installed packages register in a group of entry points."""
    return [point.name for point in entry_points(group=group)]


def plugin_factory(
    what: str, group: str, name: str, known: Sequence[str], *, wanted: str, fault: Callable[[object], str | None]
) -> Callable[..., Any]:
    """Load a plugin and wrap it so that any error becomes a `UserError`.

    Args:
        what: Like the next three, see `load_plugin`.
        group: The group of entry points.
        name: The name.
        known: All names that could be given instead.
        wanted: The remedy: what to name.
        fault: What is wrong with the thing that was made, such as "is no Memory", or None if it can be used.
    """
    factory = load_plugin(what, group, name, known)
    if not callable(factory):
        raise UserError(f"the {what} {name!r} is not a class or function", wanted)

    def make(*settings: Any, **options: Any) -> Any:
        try:
            made = factory(*settings, **options)
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            raise UserError(f"the {what} {name!r} cannot be made: {type(error).__name__}: {error}", wanted) from None
        if wrong := fault(made):
            raise UserError(f"the {what} {name!r} gives a {type(made).__name__}, which {wrong}", wanted)
        return made

    return make


def load_plugin(what: str, group: str, name: str, known: Sequence[str]) -> object:
    """Load what a name stands for.

    Args:
        what: What it should be, as messages call it: `memory`, `strategy`.
        group: The group of entry points.
        name: The entry point's name, or `package.module:Class`.
        known: All names that could be given instead.

    Raises:
        UserError: There is none of that name, or it cannot be loaded.
    """
    points = [point for point in entry_points(group=group) if point.name == name]
    module, colon, attribute = name.partition(":")
    if not points and not colon:
        raise UserError(f"there is no {what} {name!r}", f"use one of {', '.join(known)}, or package.module:Class")
    try:
        if points:
            return points[0].load()
        folder = os.path.abspath(os.curdir)
        if not {"", folder} & set(sys.path):
            sys.path.append(folder)  # last, so that no module there takes the place of an installed one
        return getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # importing it runs it, and it may do anything
        told = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        raise UserError(
            f"the {what} {name!r} cannot be loaded: {told}", "check the module's path and the class's name"
        ) from None
