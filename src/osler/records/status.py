"""What a written result says: there, denied, normal or not done."""

import re

from osler.records.schema import Category, Status

DENIED = frozenset(
    {"none", "no", "negative", "absent", "nil", "denied", "denies", "无", "否认", "阴性", "没有", "未见"}
)
"""Whole cells that deny."""

_DONE_THINGS = frozenset({Category.SIGN, Category.TEST, Category.EXAMINATION, Category.PREOPERATIVE_TEST})
_NOT_DONE = re.compile(
    r"\bnot (?:yet )?(?:done|performed|tested|examined|measured|available|obtained)\b"
    r"|未(?:做|查|行|检测|测)|没(?:做|查)过?|尚未"
)
_NORMAL = re.compile(
    r"\bnormal\b|\bunremarkable\b|within (?:normal|the reference) (?:limits|range)|\bnegative\b|\bclear\b"
    r"|\bno (?:\w+ ){0,4}abnormalit|\bintact\b|\bnon-?tender\b|\bsoft\b|\bsymmetrical\b|\bpalpable\b"
    r"|\bsupple\b|\bregular\b"
    r"|正常|未见(?:明显)?异常|无(?:明显)?异常|阴性|清晰",
    re.IGNORECASE,
)
_ABNORMAL = re.compile(
    r"\babnormal|\belevated\b|\bincreased\b|\bdecreased\b|\breduced\b|\bpositive\b|\bhigh\b|\blow\b|\braised\b"
    r"|\bpresent\b|(?<!non-)\btender|\bswell|\bdiminished\b|\babsent\b|\bbut\b|\bexcept\b|\bmild|\bmoderate"
    r"|\bsevere|\bmass|\blesion|\bshows?\b|\bnot normal"
    r"|升高|增高|降低|减低|阳性|(?<!无)(?<!未见)(?<!明显)异常|压痛|肿|但|不正常",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*[,;.，；。]\s+|\s*[，；。]\s*|\s+and\s+(?=no\b)")
_DENIAL = re.compile(
    r"^(?:no\b|none\b|denie[sd]\b|without\b|absence of\b|negative for\b|never\b|not\b"
    r"|无|否认|没有|未见|未出现|不伴|未)",
    re.IGNORECASE,
)


def status_of(report: str, category: Category) -> Status:
    """The status a report's words imply, for sources that do not give one."""
    text = report.strip().rstrip(".。")
    if _NOT_DONE.search(text):
        return Status.NOT_DONE
    was_done = category in _DONE_THINGS
    if text.casefold() in DENIED:
        return Status.NORMAL if category in {Category.TEST, Category.PREOPERATIVE_TEST} else Status.ABSENT
    if was_done and all(_NORMAL.search(clause) or _DENIAL.match(clause) for clause in _CLAUSE.split(text)):
        looked_at = " ".join(clause for clause in _CLAUSE.split(text) if not _DENIAL.match(clause))
        if not _ABNORMAL.search(looked_at) and _NORMAL.search(text):
            return Status.NORMAL
    if _DENIAL.match(text) and not re.search(r"\bbut\b|但", text):
        return Status.ABSENT
    return Status.PRESENT
