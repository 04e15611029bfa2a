"""The paper's four-column table, written and read: one patient as rows of a spreadsheet.

The four columns are 1st category, 2nd category, report result and constraints. What the paper has
no column for (aliases, status, relevance, the speaker's own words) is in further columns to the
right, so that a written table reads back as an equal record, and a table with only the four columns
can be read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple, TypeVar

from osler.language import Language, Speaker
from osler.locale import label, load_texts
from osler.records.classify import DENIED, language_of, sex_from, status_of
from osler.records.fields import Age
from osler.records.schema import Category, Part, PatientRecord, Persona, Relevance, Status
from osler.records.validation import RecordDraft, parse_json

T = TypeVar("T", bound=StrEnum)

# Sections of the language files: titles of columns, of rows that are no entries, of the truth.
_COLUMNS = "record_table_columns"
_ROWS = "record_table_rows"
_TRUTH = "record_table_truth"
_PERSON = "record_table_person"
_LISTS = frozenset({"confused_with", "earlier"})
_AS_JSON = frozenset({"visits", "key_facts"})
"""Fields whose cell holds JSON: no row can show a whole visit."""
_PAPER = 4
"""Columns of the paper's table; those to the right of them may come in any order."""
_LOOKED_AT = 200
"""Lines in which a title must occur."""
_HEAD = re.compile(r"^\s*(1\s*-?\s*st|first|一级|第一)", re.IGNORECASE)


class TableRow(NamedTuple):
    """One row; the first four cells are the paper's."""

    first: str = ""
    second: str = ""
    result: str = ""
    constraint: str = ""
    aliases: str = ""
    status: str = ""
    relevance: str = ""
    said: str = ""
    refers: str = ""
    source: str = ""


@cache
def _named(section: str) -> dict[str, str]:
    """What each title of a section stands for, in either language."""
    names = {}
    for language in Language:
        for name, title in load_texts(language, section).items():
            names[title.casefold()] = name
    return names


def opens_a_table(head: str) -> bool:
    """Check whether the beginning of a CSV file could be such a table.

    Its first column has a title of a row or a category, or nothing.
    """
    lines = head.splitlines()[:_LOOKED_AT]
    cells = [line.partition(",")[0].strip(' "\0\ufeff') for line in lines]
    return not any(cells) or any(map(_is_title, cells))


def _is_title(cell: str) -> bool:
    if _HEAD.match(cell) or cell.casefold() in _named(_ROWS):
        return True
    return _from_label(Category, cell) is not None


def to_rows(record: PatientRecord) -> Iterator[TableRow]:
    """The header and one row per fact, in the record's language."""
    language = record.language
    data = record.model_dump(mode="json")
    yield TableRow(**load_texts(language, _COLUMNS))
    for field, title in load_texts(language, _ROWS).items():
        value = data.get(field)
        if field in {"diagnosis", "treatment"}:
            yield from _truth_rows(value or {}, title, load_texts(language, _TRUTH))
        elif field == "person":
            yield from _person_rows(value or {}, title, load_texts(language, _PERSON))
        elif field in _AS_JSON and value:
            yield TableRow(title, "", json.dumps(value, ensure_ascii=False))
        elif value not in (None, []):
            yield TableRow(title, "", _cell(value))
    part: Part | None = None
    for entry in record.entries:
        if entry.part is not part:
            part = entry.part
            yield TableRow(label(part, language))
        yield TableRow(
            first=label(entry.category, language),
            second=entry.name,
            result=entry.report,
            constraint=entry.when or "",
            aliases=_cell(entry.aliases),
            status=label(entry.status, language),
            relevance=label(entry.relevance, language),
            said=entry.said,
            source=entry.source or "",
        )


def _truth_rows(truth: dict[str, Any], first: str, titles: Mapping[str, str]) -> Iterator[TableRow]:
    """Rows of a diagnosis or a treatment; none if there is no treatment."""
    if truth:
        second = titles["core"] if "icd10" in truth else ""
        yield TableRow(first, second, truth["name"], "", _cell(truth["aliases"]))
    if truth.get("icd10"):
        yield TableRow(first, titles["icd10"], truth["icd10"])
    for part in truth.get("parts", ()):
        yield TableRow(first, titles["parts"], part["name"], "", _cell(part["aliases"]))
    for alternative in truth.get("alternatives", ()):
        yield TableRow(first, titles["alternatives"], alternative)
    for unsafe in truth.get("unsafe", ()):
        yield TableRow(
            first=first,
            second=titles["unsafe"],
            result=unsafe["name"],
            constraint=unsafe["because"],
            aliases=_cell(unsafe["aliases"]),
            refers=unsafe["entry"] or "",
        )


def _person_rows(
    sheet: Mapping[str, str], first: str, titles: Mapping[str, str]
) -> Iterator[TableRow]:
    """A row for each field of the person sheet that has text."""
    for field, text in sheet.items():
        if text:
            yield TableRow(first, titles[field], text)


def _cell(value: object) -> str:
    return "\n".join(value) if isinstance(value, list | tuple) else str(value)


def from_rows(rows: Sequence[Sequence[str]], name: str, place: str = "") -> RecordDraft:
    """A draft of the patient in these rows; `name` becomes the id of a table that has none."""
    data: dict[str, Any] = {"id": name, "entries": []}
    part: Part | None = None
    for row in _tidy(rows):
        # Word processors turn the apostrophe of "Patient's intent" into another sign.
        field = _named(_ROWS).get(row.first.casefold().replace("\u2019", "'"))
        section = _section(row)
        if field in {"diagnosis", "treatment"}:
            _add_truth(data.setdefault(field, {}), row)
        elif field == "person":
            # A title that is no field's stays, for the schema to refuse.
            name_of_field = _named(_PERSON).get(row.second.casefold(), row.second)
            data.setdefault(field, {})[name_of_field] = row.result
        elif field in _AS_JSON:
            data[field] = parse_json(row.result, name, place)
        elif field in _LISTS:
            data[field] = _items(row.result)
        elif field is not None:
            data[field] = row.result
        elif section is not None:
            part = section
        else:
            data["entries"].append(_entry(row, part))
    data.setdefault("language", language_of(data.get("complaint", "")))
    mended = _swap_back(data)
    if rounds := re.search(r"\d+", data.get("expected_rounds", "")):
        data["expected_rounds"] = rounds[0]
    _replace_labels(data)
    return RecordDraft(data, place, mended=mended)


def _replace_labels(data: dict[str, Any]) -> None:
    """Put values in place of their words; other words stay, for the schema to refuse."""
    values: dict[str, StrEnum | None] = {
        "sex": sex_from(data.get("sex", "")),
        "speaker": _from_label(Speaker, data.get("speaker", "")),
        "persona": _from_label(Persona, data.get("persona", "")),
    }
    for field, value in values.items():
        if value is not None:
            data[field] = value


def _tidy(rows: Sequence[Sequence[str]]) -> Iterator[TableRow]:
    """Rows without the header, their cells in our order of columns whatever the header's."""
    columns = list(range(len(TableRow._fields)))
    for number, cells in enumerate(rows):
        if number == 0 and cells and _HEAD.match(cells[0]):
            columns = _columns(cells)
            continue
        texts = [cells[column].strip() if column < len(cells) else "" for column in columns]
        if any(texts):
            yield TableRow(*texts)


def _columns(header: Sequence[str]) -> list[int]:
    """The column of each field; that of a field without a title lies behind the last."""
    by_field: dict[str | None, int] = {}
    for column, title in enumerate(header):
        field = _named(_COLUMNS).get(title.strip().casefold())
        by_field.setdefault(field, column)
    further = TableRow._fields[_PAPER:]
    return [*range(_PAPER), *(by_field.get(field, len(header)) for field in further)]


def _section(row: TableRow) -> Part | None:
    """The part that a row opens whose only text is a section's title."""
    if row.second or row.result or row.constraint:
        return None
    title = row.first.casefold()
    if "key elem" in title or "要素" in title:
        return Part.TREATMENT if "treatment" in title or "治疗" in title else Part.DIAGNOSIS
    return _from_label(Part, row.first)


def _add_truth(truth: dict[str, Any], row: TableRow) -> None:
    item: dict[str, Any] = {"name": row.result, "aliases": _items(row.aliases)}
    match _named(_TRUTH).get(row.second.casefold()):
        case "icd10":
            truth["icd10"] = row.result
        case "parts":
            truth.setdefault("parts", []).append(item)
        case "alternatives":
            truth.setdefault("alternatives", []).append(row.result)
        case "unsafe":
            item |= {"because": row.constraint, "entry": row.refers or None}
            truth.setdefault("unsafe", []).append(item)
        case _:
            truth.update(item)


def _entry(row: TableRow, part: Part | None) -> dict[str, Any]:
    category = _from_label(Category, row.first)
    name, report = row.second, row.result
    # The paper writes `Surgical History | None` and `General Condition | | text`: the category is
    # the name then.
    if name.casefold() in DENIED and not report and not row.status:
        name, report = row.first, name
    status = _from_label(Status, row.status)
    if status is None:
        status = status_of(report, category) if category else Status.PRESENT
    entry: dict[str, Any] = {
        "category": category or row.first,
        "name": name or row.first,
        "report": report,
        "status": status,
        "when": row.constraint or None,
        "aliases": _items(row.aliases),
        "relevance": _from_label(Relevance, row.relevance) or Relevance.KEY,
        "said": row.said,
        "source": row.source or None,
    }
    if part:
        entry["part"] = part
    return entry


def _swap_back(data: dict[str, Any]) -> tuple[str, ...]:
    """Repair a table with the sex under Age and the age under Gender, as the paper's example."""
    age = data.get("age", "")
    sex = data.get("sex", "")
    try:
        Age.parse(sex)
    except ValueError:
        return ()
    if sex_from(age) is None:
        return ()
    data.update(age=sex, sex=age)
    return (f"Age was {age!r} and Gender was {sex!r}; they were swapped back",)


def _from_label(kind: type[T], text: str) -> T | None:
    """Return the value a word stands for, in either language, by label or by its plain value."""
    word = text.strip().casefold()
    for value in kind:
        labels = {label(value, language).casefold() for language in Language}
        if word == value.value or word in labels:
            return value
    return None


def _items(cell: str) -> list[str]:
    return [item.strip() for item in cell.split("\n") if item.strip()]
