"""SPBench style JSON: Chinese standardized-patient cases, one file each, with the diagnosis as the title."""

from __future__ import annotations

import re
from typing import Any

from osler.language import Language, Speaker
from osler.locale import label
from osler.records.classify import named_with_aliases, sex_from
from osler.records.objects import ImportedFields, importer
from osler.records.registry import Format, has_key
from osler.records.schema import Category
from osler.records.split import EntryList

_SECTIONS = {
    "present_illness_history": Category.SYMPTOM,
    "system_review": Category.SYMPTOM,
    "past_medical_history": Category.MEDICAL_HISTORY,
    "other_medical_history": Category.MEDICAL_HISTORY,
    "infection_history": Category.MEDICAL_HISTORY,
    "surgery_injury_history": Category.SURGICAL_HISTORY,
    "transfusion_history": Category.MEDICAL_HISTORY,
    "allergy_history": Category.ALLERGY,
    "personal_history": Category.SOCIAL_HISTORY,
    "social_background": Category.SOCIAL_HISTORY,
    "menstrual_history": Category.MENSTRUAL_HISTORY,
    "reproductive_history": Category.MARITAL_CHILDBEARING,
    "family_history": Category.FAMILY_HISTORY,
}
_LABELS = {"transfusion_history": "输血史", "infection_history": "传染病史", "social_background": "社会背景"}
_FACTS = (
    ("occupation", "职业", Category.SOCIAL_HISTORY),
    ("marital_status", "婚姻状况", Category.MARITAL_CHILDBEARING),
    ("address", "住址", Category.SOCIAL_HISTORY),
    ("idea", "患者的想法", Category.CONCERN),
    ("concern", "患者的担忧", Category.CONCERN),
)
_OF_WOMEN = {"menstrual_history", "reproductive_history"}
_KNOWN = {
    *(*_SECTIONS, *(key for key, _, _ in _FACTS), "age_value", "age_unit", "gender", "chief_complaint", "expectation"),
    *("name", "basic_info", "hospital_department_name"),
}
"""Fields that are read, and those that repeat others."""
_NOTHING = {"", "无", "不详", "×××", "xxx"}
_CHILD = 12
ZH = Language.ZH


def _fields(case: Any, stem: str) -> ImportedFields:
    profile = case["patientProfile"]

    def text(key: str) -> str:
        return str(profile.get(key) or "").strip()

    entries = EntryList(ZH)
    for key, name, category in _FACTS:
        if text(key) not in _NOTHING:
            entries.add(category, name, f"{text(key).rstrip('。')}。")
    for key, category in _SECTIONS.items():
        if key in _OF_WOMEN and text(key).strip("。") in _NOTHING:
            continue  # whom it does not concern
        entries.add_text(category, text(key), label=_LABELS.get(key, label(category, ZH)))
    in_years = text("age_unit") in {"岁", "周岁", ""}
    young = not in_years or int(profile.get("age_value") or 0) < _CHILD
    data = {
        "id": f"spbench-{case.get('caseId') or stem}",
        "language": ZH,
        "source": "SPBench (MIT)",
        "speaker": Speaker.MOTHER if young else Speaker.PATIENT,
        "age": f"{profile.get('age_value')}{text('age_unit')}",
        "sex": sex_from(text("gender")) or text("gender"),
        "complaint": text("chief_complaint") or None,
        "intent": text("expectation") or None,
        "diagnosis": _diagnosis(str(case.get("caseTitle") or "")),
        "entries": entries.settled(text("chief_complaint")),
    }
    others = [f"{key}: {text(key)}" for key in profile if key not in _KNOWN and text(key) not in _NOTHING]
    return ImportedFields(data, [*entries.unread, *others])


def _diagnosis(title: str) -> dict[str, Any] | None:
    """The title without its number and department."""
    title = re.sub(r"^案例\d+\s*[:：]\s*", "", title.strip())
    return named_with_aliases(re.sub(r"[（(](?:精神专科|针灸|[\u4e00-\u9fff]*科)[)）]$", "", title))


_ABOUT = "SPBench style JSON, Chinese, without a treatment"
_OWN = ("caseTitle", "patientProfile", "chief_complaint", "present_illness_history", "age_value")
FORMAT = Format("spbench", (".json",), _ABOUT, importer(_fields), has_key("patientProfile"), fields=_OWN)
