"""From options, as they are given in Python or on the command line, to settings and axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeGuard

from osler.errors import UserError
from osler.plugins import give, name_of
from osler.settings.declared import Declared, options_in
from osler.settings.run_settings import RunSettings, settings_class
from osler.settings.values import checked_value, shown

Axes = dict[str, tuple[str, ...]]
"""For each setting in which columns differ, by its option's name, the values as columns name
them."""


@dataclass(frozen=True)
class Choice:
    """What a call of `osler.simulate` or a command asked for."""

    settings: RunSettings
    axes: Axes


def choose(options: Mapping[str, object], *, by_flag: bool = False) -> Choice:
    """Return the settings that options ask for.

    Args:
        options: By their names in Python.
        by_flag: Whether messages name options by their flags, as on the command line.

    Raises:
        UserError: There is no such option, or its value cannot be meant.
    """
    settings = settings_class()
    declarations = options_in(settings)
    values_by_field: dict[str, Any] = {}
    axes_by_option: Axes = {}
    for option, value in _register_things(options, declarations).items():
        declared = declarations[option]
        # An option is called `patient`, its field `patient_backbone`, and messages call it what the
        # user typed: `patient` or `--patient`.
        field = declared.name
        typed = declared.flag if by_flag else option
        may_be_left_out = declared.is_list or declared.setting.default_depends
        if value is None and may_be_left_out:
            continue
        if not (declared.setting.axis and _is_several(value)):
            values_by_field[field] = checked_value(declared, value, typed)
            continue
        values_by_text = _checked_axis(declared, value, typed)
        if len(values_by_text) > 1:
            axes_by_option[option] = tuple(values_by_text)
        else:
            # An axis that is given once is a setting of the run.
            [values_by_field[field]] = values_by_text.values()
    # A run stores its settings by their fields, and so what its columns differ in.
    varied = tuple(sorted(declarations[option].name for option in axes_by_option))
    return Choice(settings(**values_by_field, varied=varied), axes_by_option)


def _checked_axis(declared: Declared, values: Iterable[object], typed: str) -> dict[str, Any]:
    """Return each value of an axis once, by what columns call it.

    Args:
        declared: The axis.
        values: As the user gave them.
        typed: What messages call the option.
    """
    values_by_text = {}
    for value in values:
        if value is None:
            raise UserError(f"{typed} holds None", "give values, or leave it out")
        checked = checked_value(declared, value, typed)
        values_by_text[declared.text(checked)] = checked
    if not values_by_text:
        raise UserError(f"{typed} has no value", "give one, or several")
    return values_by_text


def _register_things(
    options: Mapping[str, object], declarations: Mapping[str, Declared]
) -> dict[str, Any]:
    """Register each class, function or client; return the options with its name in its place.

    Settings and run files hold names alone. So each thing is registered with `give`: from then on
    its name loads it in this process, as the name of a plug-in does.
    """
    named: dict[str, Any] = {}
    things: dict[str, object] = {}
    for option, value in options.items():
        if option not in declarations:
            raise _no_option(option, declarations)
        declared = declarations[option]
        named[option] = value
        if declared.setting.thing is None:
            continue
        if declared.takes_several and _is_several(value):
            named[option] = [_as_name(declared, item, things) for item in value]
        elif not declared.is_list:
            named[option] = _as_name(declared, value, things)
    # Only once all are checked: a refused call must not change what a name loads.
    for thing in things.values():
        give(thing)
    return named


def _no_option(option: str, options: Iterable[str]) -> UserError:
    """Return the error for an option that there is not, with the nearest one that there is."""
    every = list(options)
    nearest = get_close_matches(option, every, 1)
    remedy = f"did you mean {nearest[0]!r}?" if nearest else f"use one of {', '.join(every)}"
    return UserError(f"simulate has no option {option!r}", remedy)


def _is_several(value: object) -> TypeGuard[Iterable[object]]:
    return isinstance(value, Iterable) and not isinstance(value, str | Mapping)


def _as_name(declared: Declared, value: object, things: dict[str, object]) -> object:
    """Return the name of a thing, and add the thing to `things`; a name stays as it is."""
    if value is None or isinstance(value, str):
        return value
    kind = declared.setting.thing
    if kind != "backbone" and not (callable(value) and hasattr(value, "__qualname__")):
        raise UserError(
            f"{declared.option} holds {shown(value)}",
            f"give the class, or a function with a name: each consultation makes a {kind} of its"
            " own",
        )
    name = name_of(value)
    if things.setdefault(name, value) is not value:
        raise UserError(f"two different things are called {name}", "give one of them another name")
    return name
