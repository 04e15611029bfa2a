"""The formats of records: the modules in `osler.records.formats`, and what packages register."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from osler.errors import UserError
from osler.plugins import load_plugin, plugin_names
from osler.records.schema import PatientRecord
from osler.records.text_case import TextCase
from osler.records.validation import Problem, RecordDraft, RecordError

GROUP = "osler.formats"
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
    """Drafts of the file at the path; the text is how problems name the file.

    May raise RecordError."""
    fits: Callable[[str], bool] | None = None
    """Check whether a file with this beginning is of this format, if others share the suffix.

    None: the last resort."""
    write: Callable[[Iterable[PatientRecord], Path], None] | None = None
    """Write all records into one file."""
    single: bool = False
    """A file holds one record, so that many records are a folder of files."""
    fields: tuple[str, ...] = ()
    """Fields or columns of its files, by which the format nearest to an unknown file is found."""
    text_case: Callable[[Any, str], TextCase] | None = None
    """For files of text: makes an object, and its number or the file's name, a case for a model."""


def needs_model(path: Path, file_name: str) -> Iterator[RecordDraft | Problem]:
    """Refuse a file whose patients are told in text: `read` of a format with only `text_case`."""
    raise UserError(
        f"{file_name} tells of patients in text, which only a model can structure",
        f"name one: {_with_model(str(path))}",
    )


def has_key(name: str) -> Callable[[str], bool]:
    """Check whether a JSON text has that key; the word as a value or within a text is none."""
    key = re.compile(rf'(?<!\\)"{re.escape(name)}"\s*:')
    return lambda head: key.search(head) is not None


@cache
def formats() -> tuple[Format, ...]:
    """All formats, those that recognise a file by its content first."""
    every = [*_own_formats(), *_registered_formats()]
    return tuple(sorted(every, key=lambda form: (form.fits is None, form.name)))


def _own_formats() -> Iterator[Format]:
    package = import_module("osler.records.formats")
    for info in iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{info.name}")
        for value in vars(module).values():
            if isinstance(value, Format):
                yield value


def _registered_formats() -> Iterator[Format]:
    names = plugin_names(GROUP)
    for name in names:
        form = load_plugin("format", GROUP, name, names)
        if not isinstance(form, Format):
            kind = type(form).__name__
            raise UserError(
                f"the format {name!r} is a {kind}", "register a Format of osler.records.registry"
            )
        yield form


def format_named(name: str) -> Format:
    """The format with that name."""
    for form in formats():
        if form.name == name:
            return form
    names = ", ".join(form.name for form in formats())
    raise UserError(f"there is no format {name!r}", f"use one of {names}")


def suffixes() -> frozenset[str]:
    """Every file suffix that a format reads."""
    return frozenset[str]().union(*(form.suffixes for form in formats()))


def format_of(path: Path, file_name: str) -> Format:
    """The format of a file, by its suffix and its beginning; RecordError names the nearest."""
    candidates = [form for form in formats() if path.suffix.lower() in form.suffixes]
    if not candidates:
        endings = ", ".join(sorted(suffixes()))
        reason = f"its kind is not known; use a file that ends in {endings}"
        raise RecordError(
            Problem(file_name, f"{reason}, or structure a text with {_with_model(file_name)}")
        )
    with path.open("rb") as file:
        head = file.read(_HEAD).decode("utf-8-sig", errors="replace")
    fields = _fields_in(head)
    for form in candidates:
        if _fits(form, head, fields):
            return form
    raise RecordError(Problem(file_name, _unknown(fields, file_name)))


def _fits(form: Format, head: str, fields: frozenset[str]) -> bool:
    if form.fits is not None:
        return form.fits(head)
    return _could_be(form, fields)


def _with_model(file_name: str) -> str:
    return f"`osler records convert {file_name} --with SPEC`"


def _fields_in(head: str) -> frozenset[str]:
    """The fields in the beginning of a file: keys of JSON, or cells of a table's first row."""
    text = head.lstrip()
    if text.startswith(("{", "[")):
        return frozenset(_KEY.findall(head))
    first_row = text.partition("\n")[0][:_LONGEST_ROW]
    cells = re.split(r"[,\t]", first_row)
    if len(cells) == 1:
        return frozenset()
    names = (cell.strip(' "\r') for cell in cells)
    return frozenset(filter(None, names))


def _could_be(form: Format, fields: frozenset[str]) -> bool:
    """Check a format that takes what no other does.

    Its file has half of its fields, or no fields that could be named.
    """
    if not fields or not form.fields:
        return True
    return 2 * len(fields.intersection(form.fields)) >= len(form.fields)


def _unknown(fields: frozenset[str], file_name: str) -> str:
    """Say that no format fits, which one is nearest, and what can be done."""

    def nearness(form: Format) -> tuple[float, str]:
        return len(fields.intersection(form.fields)) / len(form.fields), form.name

    nearest = max((form for form in formats() if form.fields), key=nearness)
    present = [name for name in nearest.fields if name in fields]
    missing = [name for name in nearest.fields if name not in fields]
    reason = "no format of patient records begins like this"
    if present:
        lacks = f", lacks {', '.join(missing)}" if missing else ""
        reason = (
            f"no known format; the nearest is {nearest.name} (has {len(present)} of"
            f" {len(nearest.fields)} of its fields{lacks})"
        )
    names = ", ".join(form.name for form in formats())
    return f"{reason}; formats: {names}; or structure it with a model: {_with_model(file_name)}"
