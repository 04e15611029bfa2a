"""AgentClinic's OSCE cases as JSONL. They have no treatment, so they are never scored for one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from osler.errors import UserError
from osler.language import Language
from osler.locale import label
from osler.records.classify import kind_of_test, named_with_aliases, sex_in, speaker_for
from osler.records.fields import Age
from osler.records.objects import ImportedFields, importer
from osler.records.registry import Format, has_key
from osler.records.schema import Category, PatientRecord, Status
from osler.records.split import EntryList

# Leaves that only say "what was found" take the name of what was examined.
_BARE = re.compile(r"(?:finding|result|detail)s?|description|interpretation|impression|report|value", re.IGNORECASE)
_TEXTS = {
    "History": (Category.SYMPTOM,),
    "Review_of_Systems": (
        *(Category.SYMPTOM, Category.GENERAL_CONDITION),
        *(Category.CONCERN, Category.MENSTRUAL_HISTORY),
    ),
    "Past_Medical_History": (
        *(Category.MEDICAL_HISTORY, Category.SURGICAL_HISTORY),
        *(Category.BIRTH_HISTORY, Category.MARITAL_CHILDBEARING),
    ),
    "Social_History": (Category.SOCIAL_HISTORY,),
    "Family_History": (Category.FAMILY_HISTORY,),
    "Current_Medications": (Category.MEDICATION_HISTORY,),
    "Medications": (Category.MEDICATION_HISTORY,),
    "Drug_History": (Category.MEDICATION_HISTORY,),
    "Allergies": (Category.ALLERGY,),
}
"""Sections of texts: what is read from each is of the first category; what is written to it, of all of them."""
_READ_ONLY = {"History", "Medications", "Drug_History"}
"""Sections that are read but not written: the others already have their content."""
_KNOWN = {
    *(*_TEXTS, "Demographics", "Symptoms", "Objective_for_Doctor", "Patient_Actor", "Physical_Examination_Findings"),
    *("Test_Results", "Correct_Diagnosis"),
}
"""Keys of a case that are read, or that hold others."""
EN = Language.EN


def _fields(item: Any, number: str) -> ImportedFields:
    case = item["OSCE_Examination"]
    actor, entries = case["Patient_Actor"], _entries(case)
    who = str(actor.get("Demographics", ""))
    age = Age.find(who)
    symptoms = actor.get("Symptoms", {})
    complaint = str(symptoms.get("Primary_Symptom") or case.get("Objective_for_Doctor", ""))
    data = {
        "id": f"agentclinic-{int(number):03d}",
        "language": EN,
        "source": "AgentClinic (MIT)",
        "speaker": speaker_for(age),
        "age": age,
        "sex": sex_in(who),
        "complaint": complaint.strip().rstrip(".") + ".",
        "diagnosis": named_with_aliases(str(case.get("Correct_Diagnosis") or "")),
        "entries": entries.settled(complaint),
    }
    others = {key: text for key, text in {**actor, **case}.items() if key not in _KNOWN}
    return ImportedFields(data, [*entries.unread, *(f"{about}: {text}" for _, about, text in _leaves(others))])


def _entries(case: Mapping[str, Any]) -> EntryList:
    actor, entries = case["Patient_Actor"], EntryList(EN)
    symptoms = actor.get("Symptoms", {})
    for text in (symptoms.get("Primary_Symptom"), *(symptoms.get("Secondary_Symptoms") or ())):
        if text:
            entries.add(Category.SYMPTOM, str(text), f"{str(text).rstrip('.')}.")
    for key, (category, *_) in _TEXTS.items():
        for _, _, text in _leaves(actor.get(key)):
            entries.add_text(category, text, label=label(category, EN))
    for context, name, text in _leaves(case.get("Physical_Examination_Findings")):
        entries.add(Category.SIGN, name or "Physical examination", text, context=context)
    for context, name, text in _leaves(case.get("Test_Results")):
        entries.add(kind_of_test(f"{context} {name}"), name or "Test", text, context=context)
    return entries


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str]]:
    """Return every text of a nested examination: the part it belongs to, what it is about, and what it says."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key).replace("_", " ").strip()))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path)
    elif value is not None and str(value).strip():
        text = ("Present." if value else "Absent.") if isinstance(value, bool) else str(value)
        *outer, name = [step for step in path if not _BARE.fullmatch(step)] or path or ("",)
        yield outer[-1] if outer else "", name, text


def write(records: Iterable[PatientRecord], path: Path) -> None:
    """Write records as AgentClinic cases; treatment, order and languages other than English are not supported there."""
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            if record.language is not EN:
                raise UserError(f"AgentClinic's format is English and {record.id} is not", "add `--language en`")
            file.write(json.dumps({"OSCE_Examination": _case(record)}, ensure_ascii=False) + "\n")


def _case(record: PatientRecord) -> dict[str, Any]:
    words = {Status.PRESENT: "Present.", Status.ABSENT: "Denied.", Status.NORMAL: "Normal."}

    def texts(*categories: Category) -> dict[str, str]:
        chosen = (e for e in record.entries if e.category in categories and e.status is not Status.NOT_DONE)
        return {entry.name: entry.report or words[entry.status] for entry in chosen}

    present = [e.name for e in record.entries if e.category is Category.SYMPTOM and e.status is Status.PRESENT]
    return {
        "Objective_for_Doctor": "Find out what is wrong with the patient.",
        "Patient_Actor": {
            "Demographics": f"{record.age.value}-{record.age.unit[:-1]}-old {record.sex}",
            "History": record.complaint,
            "Symptoms": {"Primary_Symptom": (present or [record.complaint])[0], "Secondary_Symptoms": present[1:]},
            **{key: texts(*own) for key, own in _TEXTS.items() if key not in _READ_ONLY},
        },
        "Physical_Examination_Findings": texts(Category.SIGN),
        "Test_Results": texts(Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST),
        "Correct_Diagnosis": record.diagnosis.name,
    }


_ABOUT = "AgentClinic OSCE cases, English, without a treatment"
_FIELDS = ("OSCE_Examination", "Patient_Actor", "Physical_Examination_Findings", "Test_Results", "Correct_Diagnosis")
FORMAT = Format(
    "agentclinic", (".jsonl",), _ABOUT, importer(_fields), has_key("OSCE_Examination"), write, fields=_FIELDS
)
