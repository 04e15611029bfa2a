"""The formats that exist: modules with a `FORMAT` in `osler.records.formats`, and those that packages register."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from osler.errors import UserError
from osler.plugins import load_plugin, plugin_names
from osler.records.schema import PatientRecord
from osler.records.validation import Problem, RecordDraft

GROUP = "osler.formats"
_HEAD = 64 * 1024


@dataclass(frozen=True)
class Format:
    """How one kind of file is recognised, read and (where that makes sense) written."""

    name: str
    suffixes: tuple[str, ...]
    about: str
    """One line for help texts."""
    read: Callable[[Path, str], Iterator[RecordDraft | Problem]]
    """Drafts of the file at the path; the text is how problems name the file."""
    fits: Callable[[str], bool] | None = None
    """Whether a file that begins so is of this format, where others share the suffix; None: the last resort."""
    write: Callable[[Iterable[PatientRecord], Path], None] | None = None
    """Write all records into one file."""
    single: bool = False
    """A file holds one record, so that many records are a folder of files."""


def has_key(name: str) -> Callable[[str], bool]:
    """Whether a JSON text has that key; the same word as a value, or inside a text, is not one."""
    key = re.compile(rf'(?<!\\)"{re.escape(name)}"\s*:')
    return lambda head: key.search(head) is not None


@cache
def formats() -> tuple[Format, ...]:
    """All formats, those that recognise a file by its content first."""
    package = import_module("osler.records.formats")
    modules = [import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]
    found = [*(module.FORMAT for module in modules), *map(_from_elsewhere, plugin_names(GROUP))]
    return tuple(sorted(found, key=lambda form: (form.fits is None, form.name)))


def _from_elsewhere(name: str) -> Format:
    form = load_plugin("format", GROUP, name, plugin_names(GROUP))
    if not isinstance(form, Format):
        raise UserError(
            f"the format {name!r} is a {type(form).__name__}", "register a Format of osler.records.registry"
        )
    return form


def format_named(name: str) -> Format:
    """The format with that name."""
    for form in formats():
        if form.name == name:
            return form
    raise UserError(f"there is no format {name!r}", f"use one of {', '.join(form.name for form in formats())}")


def suffixes() -> frozenset[str]:
    """Every file suffix some format reads."""
    return frozenset(suffix for form in formats() for suffix in form.suffixes)


def format_of(path: Path) -> Format | None:
    """The format of an existing file, by its suffix and, where several share it, by how it begins."""
    candidates = [form for form in formats() if path.suffix.lower() in form.suffixes]
    if any(form.fits for form in candidates):
        begins = head(path)
        candidates = [form for form in candidates if form.fits is None or form.fits(begins)]
    return candidates[0] if candidates else None


def head(path: Path) -> str:
    """How a file begins."""
    with path.open("rb") as file:
        return file.read(_HEAD).decode("utf-8", errors="replace")
