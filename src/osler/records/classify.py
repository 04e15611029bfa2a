"""Values of a record in the words of a source: language, sex, kind of test, status of a result."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from osler.language import Language, Speaker
from osler.language.cues import any_of, finder, groups
from osler.language.reader import Clause, denies_a_list, read
from osler.records.fields import Age
from osler.records.schema import RESULTS, Category, Sex, Status

_CHILD = 12
"""Years from which patients speak for themselves."""
_SEX_WORDS = {
    **dict.fromkeys(("female", "f", "woman", "girl", "女", "女性"), Sex.FEMALE),
    **dict.fromkeys(("male", "m", "man", "boy", "男", "男性"), Sex.MALE),
    **dict.fromkeys(("unknown", "不详", "未知"), Sex.UNKNOWN),
}


def sex_from(text: str) -> Sex | None:
    """The sex a word names."""
    return _SEX_WORDS.get(text.strip().casefold())


def sex_in(text: str) -> Sex:
    """The first sex that a text names."""
    return next(filter(None, map(sex_from, re.findall(r"\w+", text))), Sex.UNKNOWN)


def speaker_for(age: Age | None) -> Speaker:
    """Return who speaks for a patient of that age."""
    return Speaker.MOTHER if age is not None and age.years < _CHILD else Speaker.PATIENT


def named_with_aliases(text: str) -> dict[str, Any] | None:
    """A diagnosis as a source writes it: the name, and other names in brackets after it."""
    if not text:
        return None
    name = re.sub(r"\s*[（(][^）)]*[)）]", "", text).strip()
    if not name:  # all of it stands in brackets
        return {"name": text, "aliases": []}
    aliases = [alias.strip() for alias in re.findall(r"[（(]([^）)]+)[)）]", text)]
    return {"name": name, "aliases": aliases}


def language_of(text: str) -> Language:
    """Chinese when a third of the letters are Chinese: clinical Chinese has many abbreviations."""
    letters = [char for char in text if char.isalpha()]
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in letters)
    return Language.ZH if letters and chinese * 3 >= len(letters) else Language.EN


_EXAMINATION = re.compile(
    r"\b(?:ct|cta|mri|mra|x-?ray|radiograph\w*|ultraso\w+|doppler|echo\w*|ecg|ekg|electro\w+"
    r"|emg|eeg|imaging|scans?|angio\w+|endoscop\w+|colonoscop\w+|bronchoscop\w+|gastroscop\w+"
    r"|cystoscop\w+|laparoscop\w+|biops\w+|patholog\w*|histolog\w*|mammogra\w+|fundoscop\w+"
    r"|spirometr\w+|pulmonary function|tomograph\w*|scintigra\w+|manometr\w+|audiometr\w+"
    r"|stress test|barium|swallow|slit.?lamp)\b",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"\b(?:blood (?:tests?|count|work|glucose|sugar)|urinalysis|urine"
    r" (?:test|culture)|cultures?|ha?emoglobin"
    r"|white cell count|wbc|hgb|crp|esr|tsh|hcg|(?:nt-?pro-?)?bnp"
    r"|creatinine|troponin|d-dimer|serolog\w+|laborator\w+)\b",
    re.IGNORECASE,
)
# A sentence tells several things; it is a result if it begins with the test.
_RESULT = re.compile(
    r"^(?:(?!patient|he |she |they |mother|father)\w+ ){0,4}[\w-]+ "
    r"(?:show(?:s|ed)|reveal(?:s|ed)|demonstrat(?:es|ed)|found|was|were|is|are)\b|[：:]",
    re.IGNORECASE,
)
_PRESSURE = re.compile(r"^(?:\w+ )?blood pressure\D{0,20}\d{2,3}/\d{2,3}", re.IGNORECASE)
_DOSE = r"\d(?:\.\d+)?\s*(?:mg|mcg|µg|g|ml|units?)"
_TAKES = re.compile(
    r"^(?:(?:the )?(?:patient|he|she) )?(?:(?:is|has|been|was|also|currently|regularly|now) )*"
    r"(?:tak(?:es|ing|en)|on|started on|treated with|prescribed|us(?:es|ing)) "
    r"(?!on\b|place\b|part\b|no (?:illicit|drugs))"
    rf".*(?:{_DOSE}|daily|medicat|tablet|inhaler|insulin)",
    re.IGNORECASE,
)


def kind_of_test(name: str) -> Category:
    """`examination` for imaging, tracings, endoscopy and tissue; `test` for the rest."""
    return Category.EXAMINATION if _EXAMINATION.search(name) else Category.TEST


def kind_in_story(statement: str) -> Category | None:
    """The category of an English test result, blood pressure or medicine; None for others."""
    if _TAKES.search(statement):
        return Category.MEDICATION_HISTORY
    if _PRESSURE.search(statement):
        return Category.SIGN
    if not _RESULT.search(statement):
        return None
    if _EXAMINATION.search(statement):
        return Category.EXAMINATION
    return Category.TEST if _TEST.search(statement) else None


DENIED = frozenset(
    {
        "none",
        "no",
        "negative",
        "absent",
        "nil",
        "denied",
        "denies",
        "无",
        "否认",
        "阴性",
        "没有",
        "未见",
    }
)
"""Whole cells that deny."""


_PART = re.compile(r"[,，;；。]\s*|\.\s+")


def status_of(report: str, category: Category) -> Status:
    """The status a report's words imply, for sources that do not give one."""
    text = " ".join(report.split()).rstrip(".。")
    language = language_of(text)
    not_done = finder("not_done", language)
    if all(not_done.search(part) for part in _PART.split(text)):  # "发热，体温未测" tells more
        return Status.NOT_DONE
    if text.casefold() in DENIED:
        return (
            Status.NORMAL
            if category in {Category.TEST, Category.PREOPERATIVE_TEST}
            else Status.ABSENT
        )
    if category in RESULTS and _is_normal(text, language):
        return Status.NORMAL
    mentions = read(text, language, Speaker.MOTHER).mentions
    opens = denies_a_list(text, language) or finder("negation", language).match(text) is not None
    if (
        opens
        and all(mention.denied for mention in mentions)
        and not finder("contrast", language).search(text)
    ):
        return Status.ABSENT
    return Status.PRESENT


def _is_normal(text: str, language: Language) -> bool:
    """Check whether a result says that something is normal, and nothing that is not."""
    clauses = read(text, language).clauses
    looked_at = [
        clause.text for clause in clauses if not all(mention.denied for mention in clause.mentions)
    ]
    normal = result_words("normal", language)
    if not normal.search(text) and not _denies_an_abnormality(clauses, language):
        return False
    if not all(normal.search(clause) for clause in looked_at):
        return False
    abnormal = result_words("abnormal", language)
    # A phrase for normal may have a word for abnormal in it ("no mass"): it is taken out first.
    return not any(abnormal.search(normal.sub("", clause)) for clause in looked_at)


def _denies_an_abnormality(clauses: Iterable[Clause], language: Language) -> bool:
    abnormality = result_words("abnormality", language)
    for clause in clauses:
        for mention in clause.mentions:
            if mention.denied and abnormality.search(mention.what):
                return True
    return False


@cache
def result_words(group: str, language: Language) -> re.Pattern[str]:
    """Finds the words by which a result is called normal, abnormal, or an abnormality."""
    return re.compile(any_of(groups("normal", language)[group], language), re.IGNORECASE)
