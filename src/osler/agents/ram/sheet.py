"""Find, without a model, what the person sheet tells of a question."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import yaml

from osler.agents.ram.index import RecordIndex
from osler.records.schema import Entry, PatientRecord
from osler.runs.events import Thing


def things_of_sheet(question: str, record: PatientRecord) -> tuple[Thing, ...]:
    """Return the fields of the record's person sheet that a question asks for, each as a thing."""
    if record.person is None or not record.person.lines:
        return ()
    fields = {_names_of(field, record)[0]: field for field in record.person.lines}
    matches = _index_of(record).search(question)
    return tuple(
        Thing(name=match.entry.name, person=(fields[match.entry.name],)) for match in matches
    )


@lru_cache(maxsize=256)
def _index_of(record: PatientRecord) -> RecordIndex:
    """Return the index of the sheet: its fields are found as entries are."""
    assert record.person is not None
    entries = []
    for field, text in record.person.lines.items():
        name, *aliases = _names_of(field, record)
        entries.append(
            Entry(category=_names()[field]["category"], name=name, aliases=aliases, report=text)
        )
    return RecordIndex(record.model_copy(update={"entries": tuple(entries)}))


def _names_of(field: str, record: PatientRecord) -> list[str]:
    names: list[str] = _names()[field][record.language.value]
    return names


@cache
def _names() -> dict[str, dict[str, Any]]:
    text = files("osler.agents.ram").joinpath("sheet_names.yaml").read_text(encoding="utf-8")
    names: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return names
