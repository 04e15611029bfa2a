"""How the parts of a record are called in each language, on pages and in tables."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from osler.language import Language, Speaker
from osler.records.schema import Category, Part, Persona, Relevance, Sex, Status

EN, ZH = Language.EN, Language.ZH

T = TypeVar("T", bound=StrEnum)

_LABELS: dict[Language, dict[StrEnum, str]] = {
    EN: {
        Category.SYMPTOM: "Symptom",
        Category.SIGN: "Physical Sign",
        Category.TEST: "Test",
        Category.EXAMINATION: "Examination",
        Category.SURGICAL_HISTORY: "Surgical History",
        Category.MEDICATION_HISTORY: "Medication History",
        Category.ALLERGY: "Allergy",
        Category.GENERAL_CONDITION: "General Condition",
        Category.MEDICAL_HISTORY: "Medical History",
        Category.FAMILY_HISTORY: "Family History",
        Category.SOCIAL_HISTORY: "Social History",
        Category.MARITAL_CHILDBEARING: "Marital & Childbearing",
        Category.MENSTRUAL_HISTORY: "Menstrual History",
        Category.BIRTH_HISTORY: "Birth & Vaccination",
        Category.CONCERN: "Concern",
        Category.PREOPERATIVE_TEST: "Preoperative Test",
        Part.DIAGNOSIS: "Key Elements for Confirming the Diagnosis",
        Part.TREATMENT: "Key Elements of the Treatment Plan",
        Status.PRESENT: "present",
        Status.ABSENT: "absent",
        Status.NORMAL: "normal",
        Status.NOT_DONE: "not done",
        Relevance.DECIDING: "deciding",
        Relevance.KEY: "key",
        Relevance.INCIDENTAL: "incidental",
        Sex.FEMALE: "female",
        Sex.MALE: "male",
        Sex.UNKNOWN: "unknown",
        Speaker.PATIENT: "patient",
        Speaker.MOTHER: "mother",
        Speaker.FATHER: "father",
        Speaker.WIFE: "wife",
        Speaker.HUSBAND: "husband",
        Speaker.DAUGHTER: "daughter",
        Speaker.SON: "son",
        Speaker.SIBLING: "sibling",
        Speaker.CAREGIVER: "caregiver",
        Persona.PLAIN: "plain",
        Persona.ANXIOUS: "anxious",
        Persona.TERSE: "terse",
        Persona.TALKATIVE: "talkative",
        Persona.FORGETFUL: "forgetful",
    },
    ZH: {
        Category.SYMPTOM: "症状",
        Category.SIGN: "体征",
        Category.TEST: "化验",
        Category.EXAMINATION: "检查",
        Category.SURGICAL_HISTORY: "手术史",
        Category.MEDICATION_HISTORY: "用药史",
        Category.ALLERGY: "过敏史",
        Category.GENERAL_CONDITION: "一般情况",
        Category.MEDICAL_HISTORY: "既往史",
        Category.FAMILY_HISTORY: "家族史",
        Category.SOCIAL_HISTORY: "个人史",
        Category.MARITAL_CHILDBEARING: "婚育史",
        Category.MENSTRUAL_HISTORY: "月经史",
        Category.BIRTH_HISTORY: "出生与接种史",
        Category.CONCERN: "患者顾虑",
        Category.PREOPERATIVE_TEST: "术前检查",
        Part.DIAGNOSIS: "明确诊断的关键要素",
        Part.TREATMENT: "制定治疗方案的关键要素",
        Status.PRESENT: "有",
        Status.ABSENT: "无",
        Status.NORMAL: "正常",
        Status.NOT_DONE: "未做",
        Relevance.DECIDING: "决定性",
        Relevance.KEY: "关键",
        Relevance.INCIDENTAL: "无关",
        Sex.FEMALE: "女",
        Sex.MALE: "男",
        Sex.UNKNOWN: "不详",
        Speaker.PATIENT: "患者本人",
        Speaker.MOTHER: "母亲",
        Speaker.FATHER: "父亲",
        Speaker.WIFE: "妻子",
        Speaker.HUSBAND: "丈夫",
        Speaker.DAUGHTER: "女儿",
        Speaker.SON: "儿子",
        Speaker.SIBLING: "兄弟姐妹",
        Speaker.CAREGIVER: "照护者",
        Persona.PLAIN: "平实",
        Persona.ANXIOUS: "焦虑",
        Persona.TERSE: "寡言",
        Persona.TALKATIVE: "健谈",
        Persona.FORGETFUL: "健忘",
    },
}

_SEX_WORDS = {
    Sex.FEMALE: {"female", "f", "woman", "girl", "女", "女性"},
    Sex.MALE: {"male", "m", "man", "boy", "男", "男性"},
    Sex.UNKNOWN: {"unknown", "不详", "未知"},
}


def label(value: StrEnum, language: Language) -> str:
    """The word for a category, status, sex, … in a language."""
    return _LABELS[language][value]


def from_label(kind: type[T], text: str) -> T | None:
    """The value a word stands for, in either language, by label or by its plain value."""
    wanted = text.strip().casefold()
    for value in kind:
        if wanted in {value.value, *(words[value].casefold() for words in _LABELS.values())}:
            return value
    return None


def sex_from(text: str) -> Sex | None:
    """The sex a cell or a phrase's word names."""
    wanted = text.strip().casefold()
    return next((sex for sex, words in _SEX_WORDS.items() if wanted in words), None)


def language_of(text: str) -> Language:
    """Chinese when a third of the letters are Chinese characters; clinical Chinese is full of Latin abbreviations."""
    letters = [char for char in text if char.isalpha()]
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in letters)
    return ZH if letters and chinese * 3 >= len(letters) else EN
