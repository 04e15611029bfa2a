"""The bundled patients as if they were imported: an entry for each statement of a report.

Records of other people come as free text. Their entries are clauses that hold several things, with
no other names, and there are many of them. What has only seen short names finds nothing there, so
it learns from these, too.
"""

from __future__ import annotations

from dataclasses import replace

from tests.agents.questions import Labelled

from osler.language.lexicon import concepts
from osler.language.words import content
from osler.records import Language
from osler.records.schema import Category, Entry, PatientRecord
from osler.records.split import EntryList, statements
from training import chinese_statements

PREFIX = "imported "
_BY_NAME = frozenset({Category.SIGN, Category.TEST, Category.EXAMINATION})
"""Free text, too, gives these by name."""


def imported(record: PatientRecord) -> tuple[PatientRecord, dict[str, tuple[Entry, ...]]]:
    """The record in statements, and which of them each of its entries has become."""
    is_english = record.language is Language.EN
    split = statements if is_english else chinese_statements.statements
    listed = EntryList() if is_english else chinese_statements.ChineseEntryList()
    parts: dict[str, range] = {}
    for entry in record.entries:
        before = len(listed.entries)
        if entry.category in _BY_NAME:
            listed.add(entry.category, entry.name, entry.report, status=entry.status)
        else:
            for statement in split(_text(entry, record.language)):
                status = statement.status or entry.status
                listed.add(entry.category, statement.name, statement.report, status=status)
        parts[entry.name] = range(before, len(listed.entries))
    entries: list[Entry] = []
    became: dict[str, tuple[Entry, ...]] = {}
    for entry in record.entries:
        statements_of_entry = []
        for place in parts[entry.name]:
            fields = {**listed.entries[place], "aliases": (), "said": ""}
            statements_of_entry.append(entry.model_copy(update=fields))
        became[entry.name] = tuple(statements_of_entry)
        entries += statements_of_entry
    return record.model_copy(update={"id": PREFIX + record.id, "entries": tuple(entries)}), became


def _text(entry: Entry, language: Language) -> str:
    """What the entry says, with its name where the report leaves it out."""
    report = entry.report or entry.name
    if set(content(entry.name, language)) & set(content(report, language)):
        return report
    return f"{entry.name}: {report}" if language is Language.EN else f"{entry.name}：{report}"


def put_to(row: Labelled, became: dict[str, tuple[Entry, ...]]) -> Labelled | None:
    """The question put to the imported record; None where it names no statement that it asks for.

    Of several statements those are asked for that share words or concepts with it.
    """
    targets: set[str] = set()
    also: set[str] = set()
    for name in row.also:
        also.update(part.name for part in became[name])
    for name in row.entries:
        parts = became[name]
        for part in parts:
            is_target = len(parts) == 1 or _bears_on(part, row)
            (targets if is_target else also).add(part.name)
    if row.entries and not targets:
        return None
    return replace(
        row,
        record=PREFIX + row.record,
        entries=frozenset(targets),
        also=frozenset(also - targets),
    )


def _bears_on(part: Entry, row: Labelled) -> bool:
    lexicon = concepts(row.language)
    if lexicon.find(row.question).keys() & lexicon.whole(part.report):
        return True
    words = set(content(row.question, row.language))
    return not words.isdisjoint(content(part.report, row.language))
