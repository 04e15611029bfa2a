"""YAML: one readable file per patient, the form the bundled pool is kept in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.validation import MAX_RECORD, Loc, Problem, RecordDraft, RecordError, read_text

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# The loader written in C is several times as fast, but some builds of PyYAML lack it.
_DEEPEST = 10


def read(path: Path, file_name: str) -> Iterator[RecordDraft]:
    """The one record of the file, with the line of each field."""
    document = _Document(read_text(path, MAX_RECORD, file_name), file_name)
    try:
        yield RecordDraft(document.data(), lines=document.lines)
    except yaml.YAMLError as error:
        # Only some of the parser's errors have these: those that say where they arose.
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}" if mark else ""
        cause = getattr(error, "problem", None) or getattr(error, "context", None) or "unreadable"
        reason = f"is not valid YAML: {cause}; quote texts that contain `: `"
        raise RecordError(Problem(file_name, reason, place)) from None


class _Document:
    """Builds plain data from the parser's events, keeping line numbers.

    All scalars stay text (`No` is an answer here, not a boolean); the schema turns them into
    numbers.
    """

    def __init__(self, text: str, file_name: str) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_LOADER)
        self._file_name = file_name
        self.lines: dict[Loc, int] = {}

    def data(self) -> Any:
        """The one document of a file, or None if it holds nothing."""
        data: Any = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if self.lines:
                    raise self._error("holds several documents; a file holds one record", event)
                data = self._value(next(self._events), ())
        return data

    def _value(self, event: yaml.Event, loc: Loc) -> Any:
        # A record needs no aliases, and a few of them can stand for billions of values.
        if isinstance(event, yaml.AliasEvent):
            raise self._error("uses a YAML alias (`*name`); write the text out", event)
        if len(loc) > _DEEPEST:
            raise self._error(f"is nested more than {_DEEPEST} deep; a record is not", event)
        self.lines[loc] = _line(event)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(loc)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(loc)
        assert isinstance(event, yaml.ScalarEvent)
        return event.value

    def _sequence(self, loc: Loc) -> list[Any]:
        items: list[Any] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._value(event, (*loc, len(items))))
        return items

    def _mapping(self, loc: Loc) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key in self._events:
            if isinstance(key, yaml.MappingEndEvent):
                break
            if not isinstance(key, yaml.ScalarEvent):
                raise self._error("has a key that is not a plain text", key)
            if key.value in mapping:
                raise self._error(f"gives {key.value!r} twice; keep one", key)
            mapping[key.value] = self._value(next(self._events), (*loc, key.value))
        return mapping

    def _error(self, reason: str, event: yaml.Event) -> RecordError:
        return RecordError(Problem(self._file_name, reason, f"line {_line(event)}"))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write one record, without what follows from the rest."""
    (record,) = records
    data = record.model_dump(mode="json", exclude_defaults=True)
    if data["patient"] == data["id"]:
        del data["patient"]
    for entry, fields in zip(record.entries, data["entries"], strict=True):
        if entry.part is entry.category.part:
            del fields["part"]
    text = yaml.dump(data, Dumper=_DUMPER, allow_unicode=True, sort_keys=False, width=120)
    path.write_text(text, encoding="utf-8")


FORMAT = Format(
    "yaml", (".yaml", ".yml"), "one YAML file per patient", read, write=write, single=True
)
