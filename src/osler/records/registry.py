"""The formats that exist: those of the modules in `osler.records.formats`, and those that packages register."""

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
from osler.records.validation import Problem, RecordDraft, RecordError

GROUP = "osler.formats"
OWN = frozenset({"jsonl", "yaml", "csv", "xlsx"})
"""Formats of records that are structured; the others tell stories that have to be split into entries."""
_HEAD = 64 * 1024
_LONGEST_ROW = 10_000
_KEY = re.compile(r'(?<!\\)"([^"\\\n]{1,60})"\s*:')


@dataclass(frozen=True)
class Format:
    """How one kind of file is recognised, read and (where that makes sense) written."""

    name: str
    suffixes: tuple[str, ...]
    about: str
    """One line for help texts."""
    read: Callable[[Path, str], Iterator[RecordDraft | Problem]]
    """Drafts of the file at the path; the text is how problems name the file. May raise RecordError."""
    fits: Callable[[str], bool] | None = None
    """Check whether a file with this beginning is of this format, if others share the suffix; None: the last resort."""
    write: Callable[[Iterable[PatientRecord], Path], None] | None = None
    """Write all records into one file."""
    single: bool = False
    """A file holds one record, so that many records are a folder of files."""
    fields: tuple[str, ...] = ()
    """Fields or columns that its files have, by which the format nearest to an unknown file is found."""


def has_key(name: str) -> Callable[[str], bool]:
    """Check whether a JSON text has that key; the same word as a value, or inside a text, is not one."""
    key = re.compile(rf'(?<!\\)"{re.escape(name)}"\s*:')
    return lambda head: key.search(head) is not None


@cache
def formats() -> tuple[Format, ...]:
    """All formats, those that recognise a file by its content first."""
    package = import_module("osler.records.formats")
    modules = (import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__))
    found = [form for module in modules for form in vars(module).values() if isinstance(form, Format)]
    for name in plugin_names(GROUP):
        form = load_plugin("format", GROUP, name, plugin_names(GROUP))
        if not isinstance(form, Format):
            what = type(form).__name__
            raise UserError(f"the format {name!r} is a {what}", "register a Format of osler.records.registry")
        found.append(form)
    return tuple(sorted(found, key=lambda form: (form.fits is None, form.name)))


def format_named(name: str) -> Format:
    """The format with that name."""
    for form in formats():
        if form.name == name:
            return form
    raise UserError(f"there is no format {name!r}", f"use one of {', '.join(form.name for form in formats())}")


def suffixes() -> frozenset[str]:
    """Every file suffix some format reads."""
    return frozenset(suffix for form in formats() for suffix in form.suffixes)


def format_of(path: Path, shown: str) -> Format:
    """The format of a file, by its suffix and by how it begins; RecordError names the nearest one if none fits."""
    candidates = [form for form in formats() if path.suffix.lower() in form.suffixes]
    if not candidates:
        known = ", ".join(sorted(suffixes()))
        reason = f"its kind is not known; use a file that ends in {known}"
        raise RecordError(Problem(shown, f"{reason}, or structure a text with {_with_model(shown)}"))
    with path.open("rb") as file:
        head = file.read(_HEAD).decode("utf-8-sig", errors="replace")
    there = _fields_in(head)
    for form in candidates:
        if form.fits(head) if form.fits else _could_be(form, there):
            return form
    raise RecordError(Problem(shown, _unknown(there, shown)))


def _with_model(shown: str) -> str:
    return f"`osler records convert {shown} --with SPEC`"


def _fields_in(head: str) -> frozenset[str]:
    """The names of fields in the beginning of a file: keys of JSON, or the cells of a table's first row."""
    if head.lstrip()[:1] in {"{", "["}:
        return frozenset(_KEY.findall(head))
    cells = re.split(r"[,\t]", head.lstrip().partition("\n")[0][:_LONGEST_ROW])
    return frozenset(filter(None, (cell.strip(' "\r') for cell in cells))) if len(cells) > 1 else frozenset()


def _could_be(form: Format, there: frozenset[str]) -> bool:
    """Check a format that takes what no other does: its file has half of its fields, or none that could be named."""
    return not there or not form.fields or 2 * len(there.intersection(form.fields)) >= len(form.fields)


def _unknown(there: frozenset[str], shown: str) -> str:
    """Say that no format fits, which one is nearest, and what can be done."""
    known = [form for form in formats() if form.fields]
    nearest = max(known, key=lambda form: (len(there.intersection(form.fields)) / len(form.fields), form.name))
    has = [name for name in nearest.fields if name in there]
    names = ", ".join(form.name for form in formats())
    reason = "no format of patient records begins like this"
    if has:
        lacks = ", ".join(name for name in nearest.fields if name not in there)
        reason = (
            f"no known format; the nearest is {nearest.name} (has {len(has)} of {len(nearest.fields)} of its fields"
        )
        reason += f", lacks {lacks})" if lacks else ")"
    return f"{reason}; formats: {names}; or structure it with a model: {_with_model(shown)}"
