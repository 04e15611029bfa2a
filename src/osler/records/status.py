"""What a written result says: there, denied, normal or not done."""

from __future__ import annotations

import re
from functools import cache

from osler.language import Language, Speaker
from osler.language.cues import any_of, finder, groups
from osler.language.reader import denies_a_list, read
from osler.records.labels import language_of
from osler.records.schema import Category, Status

DENIED = frozenset(
    {"none", "no", "negative", "absent", "nil", "denied", "denies", "无", "否认", "阴性", "没有", "未见"}
)
"""Whole cells that deny."""

_DONE_THINGS = frozenset({Category.SIGN, Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST})


def status_of(report: str, category: Category) -> Status:
    """The status a report's words imply, for sources that do not give one."""
    text = report.strip().rstrip(".。")
    language = language_of(text)
    if finder("not_done", language).search(text):
        return Status.NOT_DONE
    if text.casefold() in DENIED:
        return Status.NORMAL if category in {Category.TEST, Category.PREOPERATIVE_TEST} else Status.ABSENT
    if category in _DONE_THINGS and _is_normal(text, language):
        return Status.NORMAL
    mentions = read(text, language, Speaker.MOTHER).mentions
    opens = denies_a_list(text, language) or finder("negation", language).match(text) is not None
    if opens and all(mention.denied for mention in mentions) and not finder("contrast", language).search(text):
        return Status.ABSENT
    return Status.PRESENT


def _is_normal(text: str, language: Language) -> bool:
    """Whether a result says that something is normal, and nothing that is not."""
    clauses = read(text, language).clauses
    looked_at = [clause.text for clause in clauses if not all(mention.denied for mention in clause.mentions)]
    normal, abnormal, finding = (_words(group, language) for group in ("normal", "abnormal", "abnormality"))
    denied = [mention.what for clause in clauses for mention in clause.mentions if mention.denied]
    return (
        (normal.search(text) is not None or any(finding.search(what) for what in denied))
        and all(normal.search(clause) for clause in looked_at)
        and not any(abnormal.search(normal.sub("", clause)) for clause in looked_at)
    )


@cache
def _words(group: str, language: Language) -> re.Pattern[str]:
    return re.compile(any_of(groups("normal", language)[group], language), re.IGNORECASE)
