"""YAML: one readable file per patient, the form the bundled pool is kept in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from osler.records.file_limits import MAX_RECORD, read_text
from osler.records.registry import Format
from osler.records.schema import PatientRecord
from osler.records.validation import Loc, Problem, RecordDraft

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_DEEPEST = 10
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _BadYaml(Exception):
    """Refused on purpose, with the line."""

    def __init__(self, reason: str, event: yaml.Event) -> None:
        self.problem = (reason, f"line {_line(event)}")
        super().__init__(reason)


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """Build plain data from the parser's events, keeping line numbers.

    All scalars stay text (`No` is an answer here, not a boolean); the schema turns them into numbers.
    """
    text = read_text(path, MAX_RECORD, shown)
    if isinstance(text, Problem):
        yield text
        return
    lines: dict[Loc, int] = {}
    try:
        yield RecordDraft(_document(yaml.parse(text, Loader=_LOADER), lines), lines=lines)
    except _BadYaml as error:
        yield Problem(shown, *error.problem)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "context", None) or "unreadable"
        reason = f"is not valid YAML: {what}; quote texts that contain `: `"
        yield Problem(shown, reason, f"line {mark.line + 1}" if mark else "")


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _document(events: Iterator[yaml.Event], lines: dict[Loc, int]) -> Any:
    """The one document of a file; None when it holds nothing."""
    data: Any = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if lines:
                raise _BadYaml("holds several documents; a file holds one record", event)
            data = _plain(next(events), events, (), lines)
    return data


def _plain(event: yaml.Event, events: Iterator[yaml.Event], loc: Loc, lines: dict[Loc, int]) -> Any:
    # A record needs no aliases, and a few of them can stand for billions of values.
    if isinstance(event, yaml.AliasEvent):
        raise _BadYaml("uses a YAML alias (`*name`); write the text out", event)
    if len(loc) > _DEEPEST:
        raise _BadYaml(f"is nested more than {_DEEPEST} deep; a record is not", event)
    lines[loc] = _line(event)
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events, loc, lines)
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Any] = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            items.append(_plain(inner, events, (*loc, len(items)), lines))
        return items
    assert isinstance(event, yaml.ScalarEvent)
    return event.value


def _mapping(events: Iterator[yaml.Event], loc: Loc, lines: dict[Loc, int]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        if not isinstance(key, yaml.ScalarEvent):
            raise _BadYaml("has a key that is not a plain text", key)
        if key.value in mapping:
            raise _BadYaml(f"gives {key.value!r} twice; keep one", key)
        mapping[key.value] = _plain(next(events), events, (*loc, key.value), lines)
    return mapping


def dump(record: PatientRecord) -> str:
    """A record as YAML text, without what follows from the rest."""
    data = record.model_dump(mode="json", exclude_defaults=True)
    if data["patient"] == data["id"]:
        del data["patient"]
    for entry, written in zip(record.entries, data["entries"], strict=True):
        if entry.part is entry.category.part:
            del written["part"]
    return yaml.dump(data, Dumper=_DUMPER, allow_unicode=True, sort_keys=False, width=120)


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write one record."""
    (record,) = records
    path.write_text(dump(record), encoding="utf-8")


FORMAT = Format("yaml", (".yaml", ".yml"), "one YAML file per patient", read, write=write, single=True)
