"""AgentClinic's OSCE cases as JSONL. They have no treatment, so they are never scored for one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from osler.errors import UserError
from osler.language import Language
from osler.locale import label
from osler.records.classify import kind_of_test, named_with_aliases, sex_in, speaker_for
from osler.records.fields import Age
from osler.records.objects import ImportedFields, importer
from osler.records.registry import Format, has_key
from osler.records.schema import Category, PatientRecord, Status
from osler.records.split import EntryList
from osler.records.text_case import TextCase, case_of

# Leaves that only say "what was found" take the name of what was examined.
_BARE = re.compile(
    r"(?:finding|result|detail)s?|description|interpretation|impression|report|value", re.IGNORECASE
)
_TEXTS = {
    "History": (Category.SYMPTOM,),
    "Review_of_Systems": (
        Category.SYMPTOM,
        Category.GENERAL_CONDITION,
        Category.CONCERN,
        Category.MENSTRUAL_HISTORY,
    ),
    "Past_Medical_History": (
        Category.MEDICAL_HISTORY,
        Category.SURGICAL_HISTORY,
        Category.BIRTH_HISTORY,
        Category.MARITAL_CHILDBEARING,
    ),
    "Social_History": (Category.SOCIAL_HISTORY,),
    "Family_History": (Category.FAMILY_HISTORY,),
    "Current_Medications": (Category.MEDICATION_HISTORY,),
    "Medications": (Category.MEDICATION_HISTORY,),
    "Drug_History": (Category.MEDICATION_HISTORY,),
    "Allergies": (Category.ALLERGY,),
}
"""Sections of texts: each is read as its first category, and written from all of them."""
_READ_ONLY = {"History", "Medications", "Drug_History"}
"""Sections that are read but not written: the others already have their content."""
_READ = {
    *_TEXTS,
    "Demographics",
    "Symptoms",
    "Objective_for_Doctor",
    "Patient_Actor",
    "Physical_Examination_Findings",
    "Test_Results",
    "Correct_Diagnosis",
}
"""Keys of a case that are read, or that hold others."""
_NOT_TOLD = ("Objective_for_Doctor", "Correct_Diagnosis")
EN = Language.EN


def _fields(item: Any, number: str) -> ImportedFields:
    case = item["OSCE_Examination"]
    entries = _entries(case)
    stated = _stated_fields(case)
    data = {
        **stated,
        "id": _id(number),
        "complaint": stated["complaint"].strip().rstrip(".") + ".",
        "entries": entries.settled(stated["complaint"]),
    }
    others = {**case["Patient_Actor"], **case}
    for key in _READ:
        others.pop(key, None)
    unread = list(entries.unread)
    unread += [f"{leaf.name}: {leaf.text}" for leaf in _leaves(others)]
    return ImportedFields(data, unread)


def _id(number: str) -> str:
    return f"agentclinic-{int(number):03d}"


def _stated_fields(case: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the record that a case gives as such."""
    actor = case["Patient_Actor"]
    demographics = str(actor.get("Demographics", ""))
    age = Age.find(demographics)
    symptom = actor.get("Symptoms", {}).get("Primary_Symptom")
    return {
        "language": EN,
        "source": "AgentClinic (MIT)",
        "speaker": speaker_for(age),
        "age": age,
        "sex": sex_in(demographics),
        "complaint": str(symptom or case.get("Objective_for_Doctor", "")),
        "diagnosis": named_with_aliases(str(case.get("Correct_Diagnosis") or "")),
    }


def _text_case(item: Any, number: str) -> TextCase:
    """The case as text: its sentences stay whole."""
    case = item["OSCE_Examination"]
    parts = {**case["Patient_Actor"], **case}
    for key in ("Patient_Actor", *_NOT_TOLD):
        parts.pop(key, None)
    paragraphs = []
    for leaf in _leaves(parts):
        heading = ", ".join(filter(None, (leaf.context, leaf.name)))
        paragraphs.append((heading, leaf.text))
    left_out = [key for key in case if key in _NOT_TOLD]
    return case_of(_id(number), paragraphs, _stated_fields(case), left_out)


def _entries(case: Mapping[str, Any]) -> EntryList:
    actor = case["Patient_Actor"]
    entries = EntryList()
    symptoms = actor.get("Symptoms", {})
    for symptom in (symptoms.get("Primary_Symptom"), *(symptoms.get("Secondary_Symptoms") or ())):
        if symptom:
            text = str(symptom)
            entries.add(Category.SYMPTOM, text, f"{text.rstrip('.')}.")
    for key, (category, *_) in _TEXTS.items():
        for leaf in _leaves(actor.get(key)):
            entries.add_text(category, leaf.text, label=label(category, EN))
    for leaf in _leaves(case.get("Physical_Examination_Findings")):
        name = leaf.name or "Physical examination"
        entries.add(Category.SIGN, name, leaf.text, context=leaf.context)
    for leaf in _leaves(case.get("Test_Results")):
        kind = kind_of_test(f"{leaf.context} {leaf.name}")
        entries.add(kind, leaf.name or "Test", leaf.text, context=leaf.context)
    return entries


class _Leaf(NamedTuple):
    """A text of a nested examination."""

    context: str
    """The part it belongs to."""
    name: str
    """What it is about."""
    text: str


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[_Leaf]:
    """Every text of a nested examination; the path has the keys that lead to it."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key).replace("_", " ").strip()))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path)
    elif value is not None and str(value).strip():
        names = [key for key in path if not _BARE.fullmatch(key)]
        *outer, name = names or path or ("",)
        yield _Leaf(outer[-1] if outer else "", name, _text(value))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "Present." if value else "Absent."
    return str(value)


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write English records as AgentClinic cases, which have no treatment and no order."""
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            if record.language is not EN:
                raise UserError(
                    f"AgentClinic's format is English and {record.id} is not", "add `--language en`"
                )
            file.write(json.dumps({"OSCE_Examination": _case(record)}, ensure_ascii=False) + "\n")


def _case(record: PatientRecord) -> dict[str, Any]:
    symptoms = []
    for entry in record.entries:
        if entry.category is Category.SYMPTOM and entry.status is Status.PRESENT:
            symptoms.append(entry.name)
    actor: dict[str, Any] = {
        "Demographics": f"{record.age.value}-{record.age.unit[:-1]}-old {record.sex}",
        "History": record.complaint,
        "Symptoms": {
            "Primary_Symptom": symptoms[0] if symptoms else record.complaint,
            "Secondary_Symptoms": symptoms[1:],
        },
    }
    for key, categories in _TEXTS.items():
        if key not in _READ_ONLY:
            actor[key] = _reports(record, *categories)
    tests = _reports(record, Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST)
    return {
        "Objective_for_Doctor": "Find out what is wrong with the patient.",
        "Patient_Actor": actor,
        "Physical_Examination_Findings": _reports(record, Category.SIGN),
        "Test_Results": tests,
        "Correct_Diagnosis": record.diagnosis.name,
    }


_STATUS_WORDS = {Status.PRESENT: "Present.", Status.ABSENT: "Denied.", Status.NORMAL: "Normal."}


def _reports(record: PatientRecord, *categories: Category) -> dict[str, str]:
    """The reports of entries of these categories; what was not done has no place in the format."""
    reports = {}
    for entry in record.entries:
        if entry.category in categories and entry.status is not Status.NOT_DONE:
            reports[entry.name] = entry.report or _STATUS_WORDS[entry.status]
    return reports


_ABOUT = "AgentClinic OSCE cases, English, without a treatment"
_FIELDS = (
    "OSCE_Examination",
    "Patient_Actor",
    "Physical_Examination_Findings",
    "Test_Results",
    "Correct_Diagnosis",
)
FORMAT = Format(
    "agentclinic",
    (".jsonl",),
    _ABOUT,
    importer(_fields),
    has_key("OSCE_Examination"),
    write,
    fields=_FIELDS,
    text_case=_text_case,
)
