"""The public names of `osler`, with signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import osler

_SECTION = re.compile(r"^(Args|Returns|Raises|Yields):$")
_WITH_PAGE = {"Record": "Its fields: [records](records.md)."}
"""Names whose members have a page of their own."""


def python_page() -> str:
    """A section for each name that `import osler` gives."""
    names = [name for name in osler.__all__ if not name.startswith("_")]
    return "".join(_section(name, getattr(osler, name)) for name in sorted(names, key=str.lower))


def _section(name: str, thing: Any) -> str:
    if not inspect.isclass(thing):
        return f"## osler.{name}\n\n{_signature(f'osler.{name}', thing)}{_text(thing)}"
    text = f"## osler.{name}\n\n{_text(thing)}"
    if name in _WITH_PAGE:
        return f"{text}{_WITH_PAGE[name]}\n\n"
    return text + "".join(_members(thing))


def _members(thing: type) -> Iterator[str]:
    for name, member in vars(thing).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"### {thing.__name__}.{name}\n\n{_text(member)}"
        elif inspect.isfunction(member) or isinstance(member, classmethod | staticmethod):
            function = inspect.unwrap(getattr(thing, name))
            heading = f"### {thing.__name__}.{name}()\n\n"
            yield f"{heading}{_signature(name, function)}{_text(function)}"


def _signature(name: str, function: Any) -> str:
    signature = str(inspect.signature(function)).replace("'", "")
    star = "await " if inspect.iscoroutinefunction(function) else ""
    return f"```text\n{star}{name}{signature}\n```\n\n"


def _text(thing: Any) -> str:
    """A docstring as Markdown; what it says of arguments and errors becomes a list."""
    lines: list[str] = []
    in_section = False
    for line in (inspect.getdoc(thing) or "").splitlines():
        section = _SECTION.match(line)
        if section:
            lines += [f"**{section[1]}**", ""]
            in_section = True
        elif in_section and re.match(r" {4}\S", line):
            lines.append(f"- {line.strip()}")
        elif in_section and line.strip():
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines) + "\n\n"
