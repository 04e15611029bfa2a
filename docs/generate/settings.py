"""Every setting of a run: its option, its keyword in Python, type, default and meaning."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from docs.generate.markdown import code, one_line, table
from osler.settings.declared import Declared, options_in
from osler.settings.run_settings import settings_class

_KINDS = {bool: "yes or no", int: "whole number", float: "number"}
_HEAD = ("option", "in Python", "values", "default", "kind", "meaning")


def settings_page() -> str:
    """A table for each group, as `osler simulate --help` has them."""
    groups: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for declared in options_in(settings_class()).values():
        groups[declared.group].append(_row(declared))
    return "".join(f"## {group}\n\n{table(_HEAD, rows)}" for group, rows in groups.items())


def _row(declared: Declared) -> tuple[str, ...]:
    return (
        code(declared.flag),
        code(declared.option),
        _values(declared),
        _default(declared),
        _kind(declared),
        one_line(declared.setting.help),
    )


def _kind(declared: Declared) -> str:
    """What a run does with it, in the words of the page."""
    setting = declared.setting
    if setting.in_column:
        return "column"
    if setting.axis:
        return "axis"
    return "result" if setting.decides_results else "run"


def _values(declared: Declared) -> str:
    if declared.choices:
        return " or ".join(code(str(choice)) for choice in declared.choices)
    parts = [_KINDS.get(declared.kind, "text"), declared.setting.bounds]
    if declared.takes_several:
        parts.append("repeatable")
    return ", ".join(filter(None, parts))


def _default(declared: Declared) -> str:
    default: Any = declared.default
    if declared.setting.default_depends or default in (None, ()):
        return ""
    values = default if declared.is_list else (default,)
    return ", ".join(code(declared.text(value)) for value in values)
