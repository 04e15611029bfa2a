"""The paper's four-column table: one patient as rows that a spreadsheet can show.

The four columns are 1st category, 2nd category, report result and constraints. What the paper has no column for
(aliases, status, relevance, the speaker's own words) stands in further columns to the right, so that a written
table reads back as an equal record, and a table with only the four columns reads as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from osler.records.age import Age
from osler.records.draft import Draft
from osler.records.labels import EN, ZH, from_label, label, language_of, sex_from
from osler.records.schema import Category, Part, PatientRecord, Persona, Relevance, Speaker, Status
from osler.records.status import DENIED, status_of

_COLUMNS = {
    EN: (
        "1st category",
        "2nd category",
        "Report result",
        "Constraints",
        "Aliases",
        "Status",
        "Relevance",
        "Own words",
        "Refers to",
    ),
    ZH: ("一级类别", "二级类别", "报告结果", "限定", "别名", "状态", "意义", "原话", "涉及"),
}
_HEAD = re.compile(r"^\s*(1\s*-?\s*st|first|一级|第一)", re.IGNORECASE)

# Rows that are not entries: field of the record → its first cell, per language.
_META: dict[str, tuple[str, str]] = {
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
    "treatment": ("Treatment", "治疗"),
    "exam_order": ("Correct Order", "正确顺序"),
}
_CORE, _ICD = ("Core Diagnosis", "核心诊断"), ("ICD-10", "ICD-10")
_PART, _ALTERNATIVE, _UNSAFE = ("Required Part", "必要组成"), ("Alternative", "可替代"), ("Unsafe", "不安全")


class Row(NamedTuple):
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


def to_rows(record: PatientRecord) -> Iterator[Row]:
    """The header and one row per fact, in the record's language."""
    side = 0 if record.language is EN else 1
    data = record.model_dump(mode="json")

    def meta(field: str) -> str:
        return _META[field][side]

    yield Row(*_COLUMNS[record.language])
    for field in (
        "id",
        "patient",
        "language",
        "specialty",
        "source",
        "speaker",
        "persona",
        "complaint",
        "intent",
        "expected_rounds",
        "age",
        "sex",
    ):
        if data[field] is not None:
            yield Row(meta(field), "", str(data[field]))
    if record.confused_with:
        yield Row(meta("confused_with"), "", _join(record.confused_with))
    yield Row(meta("diagnosis"), _CORE[side], record.diagnosis.name, "", _join(record.diagnosis.aliases))
    if record.diagnosis.icd10:
        yield Row(meta("diagnosis"), _ICD[side], record.diagnosis.icd10)
    if record.exam_order is not None:
        yield Row(meta("exam_order"), "", str(record.exam_order))
    yield from _treatment_rows(record, meta("treatment"), side)
    part_now: Part | None = None
    for entry in record.entries:
        if entry.part is not part_now:
            part_now = entry.part
            yield Row(label(part_now, record.language))
        words = (label(value, record.language) for value in (entry.category, entry.status, entry.relevance))
        category, status, relevance = words
        yield Row(
            category, entry.name, entry.report, entry.when or "", _join(entry.aliases), status, relevance, entry.said
        )


def _treatment_rows(record: PatientRecord, first: str, side: int) -> Iterator[Row]:
    plan = record.treatment
    if plan is None:
        return
    yield Row(first, "", plan.name, "", _join(plan.aliases))
    for part in plan.parts:
        yield Row(first, _PART[side], part.name, "", _join(part.aliases))
    for alternative in plan.alternatives:
        yield Row(first, _ALTERNATIVE[side], alternative)
    for unsafe in plan.unsafe:
        yield Row(first, _UNSAFE[side], unsafe.name, unsafe.because, _join(unsafe.aliases), refers=unsafe.entry or "")


def from_rows(rows: Sequence[Sequence[str]], name: str, place: str = "") -> Draft:
    """A draft of the patient in these rows; `name` becomes the id of a table that has none."""
    table = _Table(name)
    for row in _tidy(rows):
        table.take(row)
    return Draft(table.finish(), place, mended=tuple(table.mended))


def _join(items: Sequence[str]) -> str:
    return "\n".join(items)


def _split(cell: str) -> list[str]:
    return [item.strip() for item in cell.split("\n") if item.strip()]


def _tidy(rows: Sequence[Sequence[str]]) -> Iterator[Row]:
    """Rows without the header, each cell in its column whatever order the header gives the further ones."""
    order = list(range(len(Row._fields)))
    for place, cells in enumerate(rows):
        if place == 0 and cells and _HEAD.match(cells[0]):
            order = _columns(cells)
            continue
        picked = [cells[at].strip() if at is not None and at < len(cells) else "" for at in order]
        if any(picked):
            yield Row(*picked)


def _columns(header: Sequence[str]) -> list[Any]:
    known = [{names[column].casefold() for names in _COLUMNS.values()} for column in range(len(Row._fields))]
    found = {
        column: at
        for at, cell in enumerate(header)
        for column in range(4, len(known))
        if cell.strip().casefold() in known[column]
    }
    return [0, 1, 2, 3, *(found.get(column) for column in range(4, len(known)))]


class _Table:
    """Gathers rows into the schema's fields."""

    def __init__(self, name: str) -> None:
        self.data: dict[str, Any] = {}
        self.treatment: dict[str, Any] = {}
        self.entries: list[dict[str, Any]] = []
        self.mended: list[str] = []
        self.part: Part | None = None
        self.name = name

    def take(self, row: Row) -> None:
        field = _field_of(row.first)
        if field == "diagnosis":
            self._take_diagnosis(row)
        elif field == "treatment":
            self._take_treatment(row)
        elif field == "confused_with":
            self.data[field] = _split(row.result)
        elif field is not None:
            self.data[field] = row.result
        elif (part := _part_of(row)) is not None:
            self.part = part
        else:
            self._take_entry(row)

    def _take_diagnosis(self, row: Row) -> None:
        diagnosis = self.data.setdefault("diagnosis", {})
        if row.second in _ICD:
            diagnosis["icd10"] = row.result
        else:
            diagnosis.update(name=row.result, aliases=_split(row.aliases))

    def _take_treatment(self, row: Row) -> None:
        item = {"name": row.result, "aliases": _split(row.aliases)}
        if row.second in _PART:
            self.treatment.setdefault("parts", []).append(item)
        elif row.second in _ALTERNATIVE:
            self.treatment.setdefault("alternatives", []).append(row.result)
        elif row.second in _UNSAFE:
            self.treatment.setdefault("unsafe", []).append(
                {**item, "because": row.constraint, "entry": row.refers or None}
            )
        else:
            self.treatment.update(item)

    def _take_entry(self, row: Row) -> None:
        category = from_label(Category, row.first)
        name, report = row.second, row.result
        # The paper writes `Surgical History | None` and `General Condition | | text`: the category is the name then.
        if name.casefold() in DENIED and not report and not row.status:
            name, report = row.first, name
        status = from_label(Status, row.status) or (status_of(report, category) if category else Status.PRESENT)
        self.entries.append(
            {
                "category": category.value if category else row.first,
                "name": name or row.first,
                "report": report,
                "status": status,
                "when": row.constraint or None,
                "aliases": _split(row.aliases),
                "relevance": from_label(Relevance, row.relevance) or Relevance.KEY,
                "said": row.said,
                **({"part": self.part} if self.part else {}),
            }
        )

    def finish(self) -> dict[str, Any]:
        data = self.data
        if self.treatment:
            data["treatment"] = self.treatment
        data["entries"] = self.entries
        data.setdefault("id", self.name)
        data.setdefault("language", language_of(str(data.get("complaint", ""))))
        self._mend_swap()
        if (sex := sex_from(str(data.get("sex", "")))) is not None:
            data["sex"] = sex
        if rounds := re.search(r"\d+", str(data.get("expected_rounds", ""))):
            data["expected_rounds"] = rounds[0]
        for field, kind in (("speaker", Speaker), ("persona", Persona)):
            if (value := from_label(kind, str(data.get(field, "")))) is not None:
                data[field] = value
        return data

    def _mend_swap(self) -> None:
        """The paper's own example has the sex under Age and the age under Gender."""
        age, sex = str(self.data.get("age", "")), str(self.data.get("sex", ""))
        if sex_from(age) is None:
            return
        try:
            Age.parse(sex)
        except ValueError:
            return
        self.data.update(age=sex, sex=age)
        self.mended.append(f"Age was {age!r} and Gender was {sex!r}; they were swapped back")


def _field_of(cell: str) -> str | None:
    wanted = cell.strip().casefold().replace("\u2019", "'")
    return next((field for field, names in _META.items() if wanted in {name.casefold() for name in names}), None)


def _part_of(row: Row) -> Part | None:
    """A row whose only text is a section's title."""
    if row.second or row.result or row.constraint:
        return None
    if (exact := from_label(Part, row.first)) is not None:
        return exact
    title = row.first.casefold()
    if "key elem" in title or "要素" in title:
        return Part.TREATMENT if "treatment" in title or "治疗" in title else Part.DIAGNOSIS
    return None
