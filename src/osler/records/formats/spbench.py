"""SPBench: Chinese standardized patients, one file each, with the diagnosis as the title."""

from __future__ import annotations

import re
from typing import Any

from osler.language import Language
from osler.records.classify import named_with_aliases
from osler.records.registry import Format, has_key, needs_model
from osler.records.text_case import TextCase, case_of, who_from

_HEADINGS = {
    "chief_complaint": "主诉",
    "present_illness_history": "现病史",
    "system_review": "系统回顾",
    "past_medical_history": "既往史",
    "other_medical_history": "其他病史",
    "infection_history": "传染病史",
    "surgery_injury_history": "手术外伤史",
    "transfusion_history": "输血史",
    "allergy_history": "过敏史",
    "personal_history": "个人史",
    "social_background": "社会背景",
    "menstrual_history": "月经史",
    "reproductive_history": "婚育史",
    "family_history": "家族史",
    "occupation": "职业",
    "marital_status": "婚姻状况",
    "address": "住址",
    "idea": "患者的想法",
    "concern": "患者的担忧",
}
_NOT_TOLD = frozenset(
    {
        "name",
        "hospital_department_name",
        "basic_info",
        "age_value",
        "age_unit",
        "gender",
        "expectation",
    }
)
"""Fields that the record has elsewhere, and those that repeat others."""
_EMPTY = frozenset({"×××", "xxx", "不适用"})
_OF_WOMEN = frozenset({"menstrual_history", "reproductive_history"})
_NUMBER = re.compile(r"^案例\d+\s*[:：]\s*")
_DEPARTMENT = re.compile(r"[（(](?:精神专科|针灸|[\u4e00-\u9fff]*科)[)）]$")


def _text_case(case: Any, stem: str) -> TextCase:
    profile = case["patientProfile"]
    title = _DEPARTMENT.sub("", _NUMBER.sub("", str(case.get("caseTitle") or "").strip()))
    cells = []
    left_out = []
    for name, text in profile.items():
        if name in _NOT_TOLD:
            left_out.append(name)
        elif not _is_empty(name, str(text or "").strip()):
            cells.append((_HEADINGS.get(name, name.replace("_", " ")), text))
    fields = {
        **who_from(f"{profile['age_value']}{profile.get('age_unit') or ''}", profile.get("gender")),
        "language": Language.ZH,
        "source": "SPBench (MIT)",
        "complaint": profile.get("chief_complaint") or None,
        "intent": profile.get("expectation") or None,
        "diagnosis": named_with_aliases(title),
    }
    return case_of(f"spbench-{case.get('caseId') or stem}", cells, fields, left_out)


def _is_empty(name: str, text: str) -> bool:
    """Check whether a field tells nothing; the history of women says "none" of everybody else."""
    return text in _EMPTY or (name in _OF_WOMEN and text.strip("。") == "无")


_OWN = ("caseTitle", "patientProfile", "chief_complaint", "present_illness_history", "age_value")
FORMAT = Format(
    "spbench",
    (".json",),
    "SPBench style JSON, Chinese, without a treatment; needs a model",
    needs_model,
    has_key("patientProfile"),
    fields=_OWN,
    text_case=_text_case,
)
