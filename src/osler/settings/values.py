"""Check values against the declarations of their settings, whoever gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NoReturn

from osler.errors import UserError
from osler.settings.declared import Declared

_PLAIN_KINDS = {bool: "True or False", str: "a text"}
"""Kinds that a value must have as it is, and what messages call them."""
_LONGEST = 80
"""Characters of a wrong value that a message shows."""


def checked_value(declared: Declared, value: object, name: str | None = None) -> Any:
    """Return a value as its setting has it: of its type and within its limits.

    Args:
        declared: The setting.
        value: What was given.
        name: What messages call it, if not by its option's name.

    Raises:
        UserError: The value cannot be meant.
    """
    name = name or declared.option
    if value is None and declared.may_be_none:
        return None
    if declared.is_list:
        return tuple(_checked_item(declared, item, name) for item in checked_texts(name, value))
    return _checked_item(declared, value, name)


def _checked_item(declared: Declared, value: object, name: str) -> Any:
    kind = declared.kind
    if declared.choices:
        if value not in declared.choices:
            refuse(name, value, f"one of {', '.join(declared.choices)}")
        return declared.read(str(value))
    if kind is Any:
        return value
    if kind in _PLAIN_KINDS:
        if not isinstance(value, kind):
            refuse(name, value, _PLAIN_KINDS[kind])
        normal = declared.setting.normal
        return normal(value) if normal is not None and isinstance(value, str) else value
    if kind is Path:
        if not isinstance(value, str | Path):
            refuse(name, value, "a path")
        return Path(value)
    return _checked_number(declared, value, name)


def _checked_number(declared: Declared, value: object, name: str) -> float:
    # A bool is a number to Python, and numbers of other packages, such as numpy's, are to us.
    if isinstance(value, bool) or not isinstance(value, Real):
        refuse(name, value, "a whole number" if declared.kind is int else "a number")
    if declared.kind is int and not isinstance(value, Integral):
        refuse(name, value, "a whole number")
    number: float = declared.kind(value)
    low = declared.setting.minimum
    high = declared.setting.maximum
    if low is not None and not number >= low:  # so that NaN is refused, too
        refuse(name, value, f"{low:,} or more")
    if high is not None and not number <= high:
        refuse(name, value, f"{high:,} or less")
    return number


def checked_texts(name: str, value: object) -> list[str]:
    """Return texts as a list; refuse a single text, and all that is not made of texts."""
    if isinstance(value, str):
        raise UserError(f"{name} is one text", f"give a list: {name}=[{value!r}]")
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        refuse(name, value, "a list of texts")
    items = list(value)
    for item in items:
        if not isinstance(item, str):
            raise UserError(f"{name} holds {shown(item)}", "give a list of texts")
    return items


def refuse(name: str, value: object, wanted: str) -> NoReturn:
    """Raise a `UserError` that shows the value and says what to give instead."""
    raise UserError(f"{name} is {shown(value)}", f"give {wanted}")


def shown(value: object) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}…"
