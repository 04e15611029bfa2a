"""The paper's four-column table, written and read: one patient as rows that a spreadsheet can show.

The four columns are 1st category, 2nd category, report result and constraints. What the paper has no column for
(aliases, status, relevance, the speaker's own words) is in further columns to the right, so that a written table reads
back as an equal record, and a table with only the four columns can be read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from osler.language import Language, Speaker
from osler.locale import label
from osler.records.classify import DENIED, language_of, sex_from, status_of
from osler.records.fields import Age
from osler.records.schema import Category, Part, PatientRecord, Persona, Relevance, Status
from osler.records.validation import RecordDraft, parse_json

T = TypeVar("T", bound=StrEnum)

_PAPER = (
    ("1st category", "2nd category", "Report result", "Constraints"),
    ("一级类别", "二级类别", "报告结果", "限定"),
)
_FURTHER = (
    ("Aliases", "Status", "Relevance", "Own words", "Refers to", "Source text"),
    ("别名", "状态", "意义", "原话", "涉及", "原文"),
)
"""In English and in Chinese, like all pairs below."""
_ROWS: dict[str, tuple[str, str]] = {
    "id": ("Record ID", "病历编号"),
    "patient": ("Patient", "患者编号"),
    "language": ("Language", "语言"),
    "specialty": ("Specialty", "专科"),
    "source": ("Source", "来源"),
    "speaker": ("Speaker", "叙述者"),
    "persona": ("Persona", "性格"),
    "complaint": ("Initial Query", "主诉"),
    "intent": ("Patient's Intent", "患者意愿"),
    "expected_rounds": ("Expected Rounds", "预期轮数"),
    "age": ("Age", "年龄"),
    "sex": ("Gender", "性别"),
    "confused_with": ("Confused With", "易混淆"),
    "diagnosis": ("Diagnosis", "诊断"),
    "exam_order": ("Correct Order", "正确顺序"),
    "treatment": ("Treatment", "治疗"),
    "date": ("Date", "日期"),
    "earlier": ("Told Earlier", "以前说过"),
    "visits": ("Earlier Visits", "既往就诊"),
    "key_facts": ("Key Facts", "关键事实"),
}
"""Rows that are not entries: field of the record → its first cell."""
_LISTS = frozenset({"confused_with", "earlier"})
_AS_JSON = frozenset({"visits", "key_facts"})
"""Fields whose cell holds JSON: no row can show a whole visit."""
_FIELDS = {title.casefold(): field for field, titles in _ROWS.items() for title in titles}
_CORE, _ICD = ("Core Diagnosis", "核心诊断"), ("ICD-10", "ICD-10")
_PART, _ALTERNATIVE, _UNSAFE = ("Required Part", "必要组成"), ("Alternative", "可替代"), ("Unsafe", "不安全")
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


def opens_a_table(head: str) -> bool:
    """Check whether the beginning of a CSV file could be such a table: its first column has a title that is known."""
    firsts = [line.partition(",")[0].strip(' "\0\ufeff') for line in head.splitlines()[:_LOOKED_AT]]
    return not any(firsts) or any(
        _HEAD.match(cell) or cell.casefold() in _FIELDS or _from_label(Category, cell) for cell in firsts
    )


def to_rows(record: PatientRecord) -> Iterator[TableRow]:
    """The header and one row per fact, in the record's language."""
    language, data = record.language, record.model_dump(mode="json")
    side = list(Language).index(language)
    yield TableRow(*_PAPER[side], *_FURTHER[side])
    for field, titles in _ROWS.items():
        if field in {"diagnosis", "treatment"}:
            yield from _truth_rows(data[field] or {}, titles[side], side)
        elif data.get(field) not in (None, []):
            cell = json.dumps(data[field], ensure_ascii=False) if field in _AS_JSON else _cell(data[field])
            yield TableRow(titles[side], "", cell)
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


def _truth_rows(truth: dict[str, Any], first: str, side: int) -> Iterator[TableRow]:
    """Rows of a diagnosis or a treatment; none if there is no treatment."""
    if truth:
        second = _CORE[side] if "icd10" in truth else ""
        yield TableRow(first, second, truth["name"], "", _cell(truth["aliases"]))
    if truth.get("icd10"):
        yield TableRow(first, _ICD[side], truth["icd10"])
    for part in truth.get("parts", ()):
        yield TableRow(first, _PART[side], part["name"], "", _cell(part["aliases"]))
    for alternative in truth.get("alternatives", ()):
        yield TableRow(first, _ALTERNATIVE[side], alternative)
    for unsafe in truth.get("unsafe", ()):
        aliases, refers = _cell(unsafe["aliases"]), unsafe["entry"] or ""
        yield TableRow(first, _UNSAFE[side], unsafe["name"], unsafe["because"], aliases, refers=refers)


def _cell(value: object) -> str:
    return "\n".join(value) if isinstance(value, list | tuple) else str(value)


def from_rows(rows: Sequence[Sequence[str]], name: str, place: str = "") -> RecordDraft:
    """A draft of the patient in these rows; `name` becomes the id of a table that has none."""
    data: dict[str, Any] = {"id": name, "entries": []}
    part: Part | None = None
    for row in _tidy(rows):
        field = _FIELDS.get(row.first.casefold().replace("\u2019", "'"))
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
            for column, names in enumerate(zip(*_FURTHER, strict=True), len(_PAPER[0])):
                known = {name.casefold() for name in names}
                order[column] = next((at for at, title in enumerate(titles) if title in known), len(titles))
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
    if row.second in _ICD:
        truth["icd10"] = row.result
    elif row.second in _PART:
        truth.setdefault("parts", []).append(item)
    elif row.second in _ALTERNATIVE:
        truth.setdefault("alternatives", []).append(row.result)
    elif row.second in _UNSAFE:
        item |= {"because": row.constraint, "entry": row.refers or None}
        truth.setdefault("unsafe", []).append(item)
    else:
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
