"""AI-Hospital style JSON: a list of records with one paragraph per section."""

from __future__ import annotations

import re
from typing import Any

from osler.language import Language
from osler.locale import label
from osler.records.classify import kind_of_test, language_of, sex_from
from osler.records.objects import ImportedFields, importer
from osler.records.registry import Format, has_key
from osler.records.schema import Category
from osler.records.split import EntryList, statements

_SEX = re.compile(r"(?:gender|sex|性别)\s*[:：]\s*(\w+)", re.IGNORECASE)
_AGE = re.compile(r"(?:age|年龄)\s*[:：]\s*(\d+\s*(?:years?|months?|weeks?|days?|岁|个月|天)?)", re.IGNORECASE)
_OTHER = re.compile(r"^(?!(?:gender|sex|age|性别|年龄))[^:：]+[:：].+$", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"^[-*•]?\s*+([^:：]+)[:：]$")
_NAMED = re.compile(r"^[-*•]?\s*+([^:：]{2,60})[:：]\s*+(\S.*)$")
_STORIES = {
    "current_medical_history": Category.SYMPTOM,
    "past_medical_history": Category.MEDICAL_HISTORY,
    "physical_examination": Category.SIGN,
}
_KNOWN = {
    *(*_STORIES, "general_info", "chief_complaint", "auxiliary_examinations", "diagnosis_and_treatment_process"),
    *("diagnostic_results", "preliminary_diagnosis", "diagnostic_basis", "differential_diagnosis"),
    "analysis_and_summary",
}
"""Sections that are read, and those that only discuss the diagnosis."""
_AFTERWARDS = re.compile(r"after\b|经.*后", re.IGNORECASE)


def _fields(item: Any, number: str) -> ImportedFields:
    record = item["medical_record"]

    def section(key: str) -> str:
        return str(record.get(key) or "").strip()

    who, complaint = section("general_info"), section("chief_complaint")
    language = language_of(complaint)
    age, sex = _AGE.search(who), _SEX.search(who)
    entries = EntryList(language)
    for line in _OTHER.findall(who):
        entries.add_text(Category.SOCIAL_HISTORY, line)
    for key, category in _STORIES.items():
        entries.add_text(category, section(key), label=label(category, language))
    for test, heading, report in _tests(section("auxiliary_examinations"), language):
        aliases = (heading,) if heading and heading != test else ()
        entries.add(kind_of_test(f"{heading} {test}"), test, report, aliases=aliases)
    diagnosis = section("diagnostic_results") or section("preliminary_diagnosis")
    core = re.split(r"[;；\n]", diagnosis)[0].strip().rstrip(".。")
    treatment = _treatment(section("diagnosis_and_treatment_process"))
    data = {
        "id": f"aihospital-{item.get('id', number)}",
        "language": language,
        "source": "AI-Hospital",
        "age": age[1] if age else None,
        "sex": sex_from(sex[1]) if sex else "unknown",
        "complaint": complaint or None,
        "diagnosis": {"name": core, "aliases": [diagnosis] if diagnosis != core else []} if core else None,
        "treatment": {"name": treatment} if treatment else None,
        "entries": entries.settled(complaint),
    }
    others = [f"{key}: {section(key)}" for key in record if key not in _KNOWN and section(key)]
    return ImportedFields(data, [*entries.unread, *others])


def _tests(text: str, language: Language) -> list[tuple[str, str, str]]:
    """Name, heading and report of each test; findings that are only under a heading are that test's report."""
    heading, tests = "", []
    loose: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        if found := _HEADING.match(line):
            heading = found[1].strip()
        elif named := _NAMED.match(line):
            tests.append((named[1].strip(), heading, named[2].strip()))
        else:
            loose.setdefault(heading, []).extend(said.report for said in statements(line, language))
    tests.extend((about or label(Category.TEST, language), "", " ".join(reports)) for about, reports in loose.items())
    return tests


def _treatment(text: str) -> str:
    """Return what was done; how it went afterwards is not part of the plan."""
    language = language_of(text)
    said = (one.report for one in statements(text, language) if not _AFTERWARDS.match(one.report))
    return (" " if language is Language.EN else "").join(said)[:2000]


_ABOUT = "AI-Hospital style JSON, with diagnosis and treatment"
_FIELDS = ("medical_record", "general_info", "chief_complaint", "current_medical_history", "diagnostic_results")
FORMAT = Format("aihospital", (".json",), _ABOUT, importer(_fields), has_key("medical_record"), fields=_FIELDS)
