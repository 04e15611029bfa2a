"""AI-Hospital style JSON, in English or Chinese: texts under headings, the truth in its fields."""

from __future__ import annotations

import re
from typing import Any

from osler.records.registry import Format, has_key, needs_model
from osler.records.text_case import TextCase, case_of

_DIAGNOSES = ("diagnostic_results", "诊断结果", "preliminary_diagnosis", "初步诊断")
"""Fields with the diagnosis, the final one first."""
_TREATMENTS = ("diagnosis_and_treatment_process", "诊治经过")
_DISCUSSIONS = (
    "diagnostic_basis",
    "differential_diagnosis",
    "analysis_and_summary",
    "诊断依据",
    "鉴别诊断",
    "分析总结",
)
"""Fields that only discuss the diagnosis."""
_HIDDEN = frozenset({*_DIAGNOSES, *_TREATMENTS, *_DISCUSSIONS})
_SEPARATOR = re.compile(r"[;；\n]")
"""Parts the diagnoses of a list, of which the first is the main one."""


def _text_case(item: Any, number: str) -> TextCase:
    record = item["medical_record"]
    diagnosis = _first_filled(record, _DIAGNOSES)
    main = _SEPARATOR.split(diagnosis)[0].strip().rstrip(".。")
    treatment = _first_filled(record, _TREATMENTS)
    fields: dict[str, Any] = {"source": "AI-Hospital"}
    if main:
        aliases = [diagnosis] if diagnosis != main else []
        fields["diagnosis"] = {"name": main, "aliases": aliases}
    if treatment:
        fields["treatment"] = {"name": treatment}
    cells = []
    left_out = []
    for name, text in record.items():
        if name in _HIDDEN:
            left_out.append(name)
        else:
            cells.append((name.replace("_", " "), text))
    return case_of(f"aihospital-{item.get('id', number)}", cells, fields, left_out)


def _first_filled(record: Any, names: tuple[str, ...]) -> str:
    texts = (str(record.get(name) or "").strip() for name in names)
    return next(filter(None, texts), "")


_FIELDS = (
    "medical_record",
    "general_info",
    "chief_complaint",
    "current_medical_history",
    "diagnostic_results",
)
FORMAT = Format(
    "aihospital",
    (".json",),
    "AI-Hospital style JSON, with diagnosis and treatment; needs a model",
    needs_model,
    has_key("medical_record"),
    fields=_FIELDS,
    text_case=_text_case,
)
