"""The settings that a run stores, as plain data: how they differ, and how pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from osler.settings.declared import Declared, declared_in
from osler.settings.run_settings import settings_class
from osler.text_hash import short_hash

_VARIED = "varied"
"""The stored names of the settings in which columns differ."""
IN_COLUMNS = "one for each column"
"""What messages and pages say of such a setting."""

Stored = Mapping[str, Any]


def changed_settings(before: Stored, now: Stored) -> list[str]:
    """Return what differs between stored settings, each as `name: old → new`."""
    changes = []
    for name in sorted(_names(before, now)):
        old = setting_text(before, name)
        new = setting_text(now, name)
        if old != new:
            changes.append(f"{_option(name)}: {old} → {new}")
    return changes


def differing_settings(runs: Sequence[Stored]) -> list[tuple[str, list[str]]]:
    """Return the settings that runs would have to share for their results to be comparable.

    Each comes as warnings call it, with its values.
    """
    differing = []
    for name, declared in _declarations_of(*runs).items():
        values = list(dict.fromkeys(setting_text(run, name) for run in runs))
        may_differ = declared is not None and declared.setting.may_differ
        if len(values) > 1 and not may_differ:
            differing.append((declared.label if declared else name.replace("_", " "), values))
    return differing


def setting_rows(stored: Stored) -> list[tuple[str, str]]:
    """Return all settings of a run as pages show them: the option's name, and its value."""
    return [
        (_option(name).replace("_", " "), setting_text(stored, name))
        for name in _declarations_of(stored)
    ]


def setting_text(stored: Stored, name: str) -> str:
    """Return the value of a setting as messages and pages show it.

    An older run that does not have the setting shows it like one that is not set.
    """
    if name in _varied(stored):
        return IN_COLUMNS
    value = stored.get(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):  # texts of prompts: too long for a line, and their hashes do
        texts = sorted(value.items())
        return ", ".join(f"{name} {short_hash(text)}" for name, text in texts)
    if value is None:
        return "none"
    return str(value)


def _varied(stored: Stored) -> Sequence[str]:
    return tuple(stored.get(_VARIED, ()))


def _names(*runs: Stored) -> set[str]:
    """Return the names of all settings that runs store, or that their columns differ in."""
    names: set[str] = set()
    for run in runs:
        names |= {*run, *_varied(run)}
    # This one is no setting, but says where the others are.
    return names - {_VARIED}


def _declarations_of(*runs: Stored) -> dict[str, Declared | None]:
    """Return the declarations of the settings that runs store, by name and in their order.

    A setting of a package that is not installed here comes at the end, with None.
    """
    names = _names(*runs)
    here = {declared.name: declared for declared in declared_in(settings_class())}
    in_order = {name: here[name] for name in here if name in names}
    return {**in_order, **dict.fromkeys(sorted(names - here.keys()))}


def _option(name: str) -> str:
    by_name = {declared.name: declared.option for declared in declared_in(settings_class())}
    return by_name.get(name, name)
