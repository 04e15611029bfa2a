"""The paper's four-column table: one patient as rows that a spreadsheet can show.

The four columns are 1st category, 2nd category, report result and constraints. What the paper has no column for
(aliases, status, relevance, the speaker's own words) stands in further columns to the right, so that a written
table reads back as an equal record, and a table with only the four columns reads as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from osler.records.labels import EN, ZH, label
from osler.records.schema import Part, PatientRecord

COLUMNS = {
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

META: dict[str, tuple[str, str]] = {
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
"""Rows that are not entries: field of the record → its first cell, per language."""
_CORE = ("Core Diagnosis", "核心诊断")
ICD = ("ICD-10", "ICD-10")
PART, ALTERNATIVE, UNSAFE = ("Required Part", "必要组成"), ("Alternative", "可替代"), ("Unsafe", "不安全")


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


def to_rows(record: PatientRecord) -> Iterator[TableRow]:
    """The header and one row per fact, in the record's language."""
    side = 0 if record.language is EN else 1
    data = record.model_dump(mode="json")

    def meta(field: str) -> str:
        return META[field][side]

    yield TableRow(*COLUMNS[record.language])
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
            yield TableRow(meta(field), "", str(data[field]))
    if record.confused_with:
        yield TableRow(meta("confused_with"), "", _join(record.confused_with))
    yield TableRow(meta("diagnosis"), _CORE[side], record.diagnosis.name, "", _join(record.diagnosis.aliases))
    if record.diagnosis.icd10:
        yield TableRow(meta("diagnosis"), ICD[side], record.diagnosis.icd10)
    if record.exam_order is not None:
        yield TableRow(meta("exam_order"), "", str(record.exam_order))
    yield from _treatment_rows(record, meta("treatment"), side)
    part_now: Part | None = None
    for entry in record.entries:
        if entry.part is not part_now:
            part_now = entry.part
            yield TableRow(label(part_now, record.language))
        words = (label(value, record.language) for value in (entry.category, entry.status, entry.relevance))
        category, status, relevance = words
        yield TableRow(
            category, entry.name, entry.report, entry.when or "", _join(entry.aliases), status, relevance, entry.said
        )


def _treatment_rows(record: PatientRecord, first: str, side: int) -> Iterator[TableRow]:
    plan = record.treatment
    if plan is None:
        return
    yield TableRow(first, "", plan.name, "", _join(plan.aliases))
    for part in plan.parts:
        yield TableRow(first, PART[side], part.name, "", _join(part.aliases))
    for alternative in plan.alternatives:
        yield TableRow(first, ALTERNATIVE[side], alternative)
    for unsafe in plan.unsafe:
        yield TableRow(
            first, UNSAFE[side], unsafe.name, unsafe.because, _join(unsafe.aliases), refers=unsafe.entry or ""
        )


def _join(items: Sequence[str]) -> str:
    return "\n".join(items)
