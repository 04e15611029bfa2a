"""AI-Hospital style JSON: a list of records with one paragraph per section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from osler.language import Language
from osler.records.category_rules import kind_of_test
from osler.records.file_limits import MAX_DOCUMENT, parse_json, read_text
from osler.records.labels import EN, label, language_of, sex_from
from osler.records.registry import Format, has_key
from osler.records.schema import Category
from osler.records.split import EntryList, statements
from osler.records.validation import Problem, RecordDraft, drafted

_SEX = re.compile(r"(?:gender|sex|性别)\s*[:：]\s*(\w+)", re.IGNORECASE)
_AGE = re.compile(r"(?:age|年龄)\s*[:：]\s*(\d+\s*(?:years?|months?|weeks?|days?|岁|个月|天)?)", re.IGNORECASE)
_OTHER = re.compile(r"^(?!(?:gender|sex|age|性别|年龄))[^:：]+[:：].+$", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"^[-*•]?\s*+([^:：]+)[:：]$")
_NAMED = re.compile(r"^[-*•]?\s*+([^:：]{2,60})[:：]\s*+(\S.*)$")
_SOURCE = "AI-Hospital"


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """All records of the file."""
    data = read_json(path, shown)
    if isinstance(data, Problem):
        yield data
        return
    for number, item in enumerate(data if isinstance(data, list) else [data], 1):
        place = f"case {number}"
        record = item.get("medical_record") if isinstance(item, Mapping) else None
        if isinstance(record, Mapping):
            name = str(item.get("id", number))
            yield drafted(partial(_fields, record, name), shown, place)
        else:
            yield Problem(shown, "has no `medical_record`; it is not an AI-Hospital record", place)


def read_json(path: Path, shown: str) -> Any:
    """A JSON document, or the problem with it."""
    text = read_text(path, MAX_DOCUMENT, shown)
    if isinstance(text, Problem):
        return text
    return parse_json(text, shown, "", "export it again")


def _fields(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    def section(key: str) -> str:
        return str(record.get(key) or "").strip()

    who, complaint = section("general_info"), section("chief_complaint")
    language = language_of(complaint)
    age, sex = _AGE.search(who), _SEX.search(who)
    entries = EntryList(language)
    for line in _OTHER.findall(who):
        entries.add_text(Category.SOCIAL_HISTORY, line)
    for key, category in (
        ("current_medical_history", Category.SYMPTOM),
        ("past_medical_history", Category.MEDICAL_HISTORY),
        ("physical_examination", Category.SIGN),
    ):
        entries.add_text(category, section(key), label=label(category, language))
    for test, heading, report in _tests(section("auxiliary_examinations"), language):
        entries.add(
            kind_of_test(f"{heading} {test}"), test, report, aliases=(heading,) if heading and heading != test else ()
        )
    diagnosis = section("diagnostic_results") or section("preliminary_diagnosis")
    core = re.split(r"[;；\n]", diagnosis)[0].strip().rstrip(".。")
    treatment = _treatment(section("diagnosis_and_treatment_process"))
    return {
        "id": f"aihospital-{name}",
        "language": language,
        "source": _SOURCE,
        "age": age[1] if age else None,
        "sex": sex_from(sex[1]) if sex else "unknown",
        "complaint": complaint or None,
        "diagnosis": {"name": core, "aliases": [diagnosis] if diagnosis != core else []} if core else None,
        "treatment": {"name": treatment} if treatment else None,
        "entries": entries.entries,
    }


def _tests(text: str, language: Language) -> list[tuple[str, str, str]]:
    """Name, heading and report of each test; findings that only stand under a heading are that test's report."""
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
    """What was done; how it went afterwards is not part of the plan."""
    sentences = [
        said.report
        for said in statements(text, language_of(text))
        if not re.match(r"after\b|经.*后", said.report, re.IGNORECASE)
    ]
    return (" " if language_of(text) is EN else "").join(sentences)[:2000]


FORMAT = Format(
    "aihospital",
    (".json",),
    "AI-Hospital style JSON, with diagnosis and treatment",
    read,
    has_key("medical_record"),
)
