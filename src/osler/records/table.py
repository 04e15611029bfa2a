"""The paper's four-column table, written and read: one patient as rows that a spreadsheet can show.

The four columns are 1st category, 2nd category, report result and constraints. What the paper has no column for
(aliases, status, relevance, the speaker's own words) is in further columns to the right, so that a written table reads
back as an equal record, and a table with only the four columns can be read as well.
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

_COLUMNS, _ROWS, _TRUTH = "record_table_columns", "record_table_rows", "record_table_truth"
"""Sections of the language files: titles of columns, of rows that are not entries, and of parts of the truth."""
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
    return {title.casefold(): name for language in Language for name, title in load_texts(language, section).items()}


def opens_a_table(head: str) -> bool:
    """Check whether the beginning of a CSV file could be such a table: its first column has a title that is known."""
    firsts = [line.partition(",")[0].strip(' "\0\ufeff') for line in head.splitlines()[:_LOOKED_AT]]
    return not any(firsts) or any(
        _HEAD.match(cell) or cell.casefold() in _named(_ROWS) or _from_label(Category, cell) for cell in firsts
    )


def to_rows(record: PatientRecord) -> Iterator[TableRow]:
    """The header and one row per fact, in the record's language."""
    language, data = record.language, record.model_dump(mode="json")
    yield TableRow(**load_texts(language, _COLUMNS))
    for field, title in load_texts(language, _ROWS).items():
        if field in {"diagnosis", "treatment"}:
            yield from _truth_rows(data[field] or {}, title, load_texts(language, _TRUTH))
        elif data.get(field) not in (None, []):
            cell = json.dumps(data[field], ensure_ascii=False) if field in _AS_JSON else _cell(data[field])
            yield TableRow(title, "", cell)
    part: Part | None = None
    for entry in record.entries:
        if entry.part is not part:
            part = entry.part
            yield TableRow(label(part, language))
        yield TableRow(
            label(entry.category, language),
            entry.name,
            entry.report,
            entry.when or "",
            _cell(entry.aliases),
            label(entry.status, language),
            label(entry.relevance, language),
            entry.said,
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
        aliases, refers = _cell(unsafe["aliases"]), unsafe["entry"] or ""
        yield TableRow(first, titles["unsafe"], unsafe["name"], unsafe["because"], aliases, refers=refers)


def _cell(value: object) -> str:
    return "\n".join(value) if isinstance(value, list | tuple) else str(value)


def from_rows(rows: Sequence[Sequence[str]], name: str, place: str = "") -> RecordDraft:
    """A draft of the patient in these rows; `name` becomes the id of a table that has none."""
    data: dict[str, Any] = {"id": name, "entries": []}
    part: Part | None = None
    for row in _tidy(rows):
        field = _named(_ROWS).get(row.first.casefold().replace("\u2019", "'"))
        if field in {"diagnosis", "treatment"}:
            _add_truth(data.setdefault(field, {}), row)
        elif field is not None:
            data[field] = _items(row.result) if field in _LISTS else row.result
            if field in _AS_JSON:
                data[field] = parse_json(row.result, name, place)
        elif (section := _section(row)) is not None:
            part = section
        else:
            data["entries"].append(_entry(row, part))
    data.setdefault("language", language_of(data.get("complaint", "")))
    mended = _swap_back(data)
    if rounds := re.search(r"\d+", data.get("expected_rounds", "")):
        data["expected_rounds"] = rounds[0]
    told = {field: data.get(field, "") for field in ("sex", "speaker", "persona")}
    values = (sex_from(told["sex"]), _from_label(Speaker, told["speaker"]), _from_label(Persona, told["persona"]))
    data |= {field: value for field, value in zip(told, values, strict=True) if value is not None}
    return RecordDraft(data, place, mended=mended)


def _tidy(rows: Sequence[Sequence[str]]) -> Iterator[TableRow]:
    """Rows without the header, each cell in its column whatever order the header gives the further ones."""
    order = list(range(len(TableRow._fields)))
    for number, cells in enumerate(rows):
        if number == 0 and cells and _HEAD.match(cells[0]):
            titles = [cell.strip().casefold() for cell in cells]
            there = {_named(_COLUMNS).get(title): at for at, title in reversed(list(enumerate(titles)))}
            order[_PAPER:] = [there.get(name, len(titles)) for name in TableRow._fields[_PAPER:]]
            continue
        picked = [cells[at].strip() if at < len(cells) else "" for at in order]
        if any(picked):
            yield TableRow(*picked)


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
    # The paper writes `Surgical History | None` and `General Condition | | text`: the category is the name then.
    if name.casefold() in DENIED and not report and not row.status:
        name, report = row.first, name
    status = _from_label(Status, row.status) or (status_of(report, category) if category else Status.PRESENT)
    return {
        "category": category or row.first,
        "name": name or row.first,
        "report": report,
        "status": status,
        "when": row.constraint or None,
        "aliases": _items(row.aliases),
        "relevance": _from_label(Relevance, row.relevance) or Relevance.KEY,
        "said": row.said,
        "source": row.source or None,
        **({"part": part} if part else {}),
    }


def _swap_back(data: dict[str, Any]) -> tuple[str, ...]:
    """Repair a table with the sex under Age and the age under Gender, as in the paper's own example."""
    age, sex = data.get("age", ""), data.get("sex", "")
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
    wanted = text.strip().casefold()
    for value in kind:
        if wanted in {value.value, *(label(value, language).casefold() for language in Language)}:
            return value
    return None


def _items(cell: str) -> list[str]:
    return [item.strip() for item in cell.split("\n") if item.strip()]
