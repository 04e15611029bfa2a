"""The bundled patients as if they were imported: each statement of a report is an entry, and is named by its own words.

Records of other people come as free text. Their entries are clauses that hold several things, with no other names, and
there are many of them. What has only seen short names finds nothing there, so it learns from these, too.
"""

from __future__ import annotations

from dataclasses import replace

from tests.agents.questions import Labelled

from osler.language.lexicon import concepts
from osler.language.words import content
from osler.records import Language
from osler.records.schema import Category, Entry, PatientRecord
from osler.records.split import EntryList, statements

PREFIX = "imported "
_BY_NAME = frozenset({Category.SIGN, Category.TEST, Category.EXAMINATION})
"""Free text, too, gives these by name."""


def imported(record: PatientRecord) -> tuple[PatientRecord, dict[str, tuple[Entry, ...]]]:
    """The record in statements, and which of them each of its entries has become."""
    listed, parts = EntryList(record.language), dict[str, range]()
    for entry in record.entries:
        before = len(listed.entries)
        if entry.category in _BY_NAME:
            listed.add(entry.category, entry.name, entry.report, status=entry.status)
        else:
            for said in statements(_text(entry, record.language), record.language):
                listed.add(entry.category, said.name, said.report, status=said.status or entry.status)
        parts[entry.name] = range(before, len(listed.entries))
    fields = {entry.name: entry for entry in record.entries}
    made: list[Entry] = []
    became: dict[str, tuple[Entry, ...]] = {}
    for name, places in parts.items():
        became[name] = tuple(
            fields[name].model_copy(update={**listed.entries[place], "aliases": (), "said": ""}) for place in places
        )
        made += became[name]
    return record.model_copy(update={"id": PREFIX + record.id, "entries": tuple(made)}), became


def _text(entry: Entry, language: Language) -> str:
    """What the entry says, with its name where the report leaves it out."""
    report = entry.report or entry.name
    if set(content(entry.name, language)) & set(content(report, language)):
        return report
    return f"{entry.name}: {report}" if language is Language.EN else f"{entry.name}：{report}"


def put_to(row: Labelled, became: dict[str, tuple[Entry, ...]]) -> Labelled | None:
    """The question put to the imported record; None where it names none of the statements it asks for.

    Of several statements those are asked for that share words or concepts with it.
    """
    asked, also = set[str](), {part.name for name in row.also for part in became[name]}
    for name in row.entries:
        parts = became[name]
        wanted = {part.name for part in parts if len(parts) == 1 or _bears_on(part, row)}
        asked |= wanted
        also |= {part.name for part in parts} - wanted
    if row.entries and not asked:
        return None
    return replace(row, record=PREFIX + row.record, entries=frozenset(asked), also=frozenset(also - asked))


def _bears_on(part: Entry, row: Labelled) -> bool:
    known = concepts(row.language)
    if known.find(row.question).keys() & known.whole(part.report):
        return True
    return bool(set(content(row.question, row.language)) & set(content(part.report, row.language)))
