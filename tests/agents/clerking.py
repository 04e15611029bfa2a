"""The ordinary questions of a clerking, and the entries of each record that they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import yaml

from osler.language import Speaker
from osler.records import Category, Entry, Language, PatientRecord, Sex, Status
from tests.agents.questions import FOLDER

Wordings = dict[Language, dict[str, dict[str, list[str]]]]
"""For each language and topic the wordings put to the patient, and those put to a relative."""


class Wording(StrEnum):
    """The file that wordings stand in."""

    ORDINARY = "clerking"
    HELD_OUT = "clerking_held_out"


CATEGORIES: dict[str, frozenset[Category]] = {
    "medicines": frozenset({Category.MEDICATION_HISTORY}),
    "over_the_counter": frozenset({Category.MEDICATION_HISTORY}),
    "herbal": frozenset({Category.MEDICATION_HISTORY}),
    "allergies": frozenset({Category.ALLERGY}),
    "illnesses": frozenset({Category.MEDICAL_HISTORY}),
    "operations": frozenset({Category.SURGICAL_HISTORY}),
    "family": frozenset({Category.FAMILY_HISTORY}),
    "periods": frozenset({Category.MENSTRUAL_HISTORY}),
    "pregnancies": frozenset({Category.MARITAL_CHILDBEARING}),
    "childhood": frozenset({Category.BIRTH_HISTORY}),
    "tests_done": frozenset({Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST}),
    "blood_tests": frozenset({Category.TEST}),
    "scans": frozenset({Category.EXAMINATION}),
    "examination": frozenset({Category.SIGN}),
    "sleep_appetite_weight": frozenset({Category.GENERAL_CONDITION}),
    "worries": frozenset({Category.CONCERN}),
}
"""The topics that are whole categories of the record."""
_HABITS = re.compile("smok|cigarette|alcohol|beer|烟|酒", re.IGNORECASE)
_TRAVEL = re.compile("travel|旅行", re.IGNORECASE)
_WORK_OR_HOME = frozenset(
    {
        "appendicitis",
        "deep-vein-thrombosis",
        "diabetic-ketoacidosis",
        "ectopic-pregnancy",
        "foreign-body-aspiration",
        "hyperosmolar-state",
        "irritable-bowel-syndrome",
        "osteoarthritis",
        "peptic-ulcer",
        "pulmonary-embolism",
        "pyelonephritis",
        "renal-colic",
        "rheumatoid-arthritis",
        "tuberculosis",
        "vestibular-neuritis",
    }
)
"""The patients whose social history tells what they do, or where they live."""
_ASKED_ABOUT_HABITS = 12
"""Years from which a patient is asked about smoking and alcohol."""


@dataclass(frozen=True)
class Clerked:
    """A question put to a record, and the present entries that it asks for."""

    topic: str
    record: PatientRecord
    question: str
    entries: frozenset[str]


def clerked(wording: Wording, records: Sequence[PatientRecord]) -> Iterator[Clerked]:
    """Put every question of every topic to every record in its language that can answer it."""
    text = (FOLDER / f"{wording}.yaml").read_text(encoding="utf-8")
    listed: Wordings = yaml.safe_load(text)
    for record in records:
        who = "patient" if record.speaker is Speaker.PATIENT else "relative"
        for topic, questions in listed[record.language].items():
            entries = frozenset(entry.name for entry in _asked_for(topic, record))
            for question in questions[who] if entries else ():
                yield Clerked(topic, record, _about(question, record), entries)


def _about(question: str, record: PatientRecord) -> str:
    """Return a wording with the patient's own pronoun."""
    if record.sex is not Sex.FEMALE or record.speaker is Speaker.PATIENT:
        return question
    if record.language is Language.ZH:
        return re.sub("(?<!其)他", "她", question)
    for male, female in (("he", "she"), ("him", "her"), ("his", "her")):
        question = re.sub(rf"\b{male}\b", female, question)
    return question


def _asked_for(topic: str, record: PatientRecord) -> list[Entry]:
    present = [entry for entry in record.entries if entry.status is Status.PRESENT]
    if topic in CATEGORIES:
        return [entry for entry in present if entry.category in CATEGORIES[topic]]
    symptoms = [entry for entry in present if entry.category is Category.SYMPTOM]
    if topic in ("opening", "duration"):
        return symptoms[:1]
    if topic == "other_symptoms":
        return symptoms[1:]
    social = [entry for entry in present if entry.category is Category.SOCIAL_HISTORY]
    if topic == "work_home":
        return social if record.patient in _WORK_OR_HOME else []
    if topic == "travel":
        return [entry for entry in social if _TRAVEL.search(entry.report)]
    assert topic == "smoking_alcohol"
    if record.age.years < _ASKED_ABOUT_HABITS:
        return []
    return [entry for entry in social if _HABITS.search(entry.report)]
