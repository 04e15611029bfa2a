"""What a text claims, by rules: yes or no, what it says of which words, its times, whether it is sure.

`No fever, but a cough` says (fever, denied) and (cough, affirmed). Two texts agree where they share such words; what
turns a denial round shares none of them. This is all that the probes know of language: it is apart from the rules of
the doctor and of the memories, which it measures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from osler.language import Language
from osler.language.words import content, numbers, plain

_UNKNOWN = {
    Language.EN: re.compile(
        r"\bnot (?:been )?(?:known|mentioned|stated|recorded|asked|told|given|provided|specified|discussed|available)\b"
        r"|\bunknown\b|\bno (?:information|record|mention|data|idea)\b|\b(?:wish i knew|not sure)\b"
        r"|\b(?:don't|do not|doesn't|does not|cannot|can't|couldn't) (?:know|tell|say|recall|remember)\b"
        r"|\bdid(?:n't| not) (?:say|mention|tell|ask)\b|\bwas(?:n't| not) asked\b"
    ),
    Language.ZH: re.compile(
        r"不知道|不太?清楚|不详|未知|未提|没有?提|未说明|未记录|没有?(?:记录|问|相关|信息)|无相关|无法(?:确定|得知|回答)|未问"
        r"|说不上来|[记想]不(?:得|起)"
    ),
}
_NOT_DONE = {
    Language.EN: re.compile(
        r"(?:n't| not|\bnever|\bnobody has)(?: yet| ever)?(?: been| had)?(?: (?:a|an|the|that|one))?[\w -]{0,30}?"
        r"\b(?:done|made|taken|tested|measured|checked|examined|given|had|scan|x-ray|test|ct|mri|ultrasound)\b"
    ),
    Language.ZH: re.compile(r"没有?\s*\S{0,4}?(?:查|做|测|量|拍|验|打|接种)|未(?:查|做|测|行|接种|进行)|没有?结果"),
}
_HEDGED = {
    Language.EN: re.compile(r"\b(?:maybe|perhaps|possibly|might|may have|unclear|not sure|probably|likely)\b"),
    Language.ZH: re.compile(r"可能|也许|大概|或许|不确定|似乎"),
}
_YES = {
    Language.EN: re.compile(r"^\W*(?:yes|yeah)\b"),
    Language.ZH: re.compile(r"^\W*(?:有(?!没有)|是的?|存在|承认|对)"),
}
_NO = {
    Language.EN: re.compile(r"^\W*(?:no|none|never)\b"),
    Language.ZH: re.compile(r"^\W*(?:没有?|无|否|不是|不存在|未)"),
}
_MARKS = ",.:，。：、"
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z]{2,}")


class AnswerKind(StrEnum):
    """What an answer says, before it is looked at closely."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "not known"
    TELLS = "tells"


def claim(answer: str, language: Language) -> AnswerKind:
    """Yes, no, not known, or telling something."""
    level = plain(answer).strip()
    if _YES[language].match(level):
        return AnswerKind.YES
    if _UNKNOWN[language].search(level):
        return AnswerKind.UNKNOWN
    return AnswerKind.NO if _NO[language].match(level) else AnswerKind.TELLS


def says_not_done(text: str, language: Language) -> bool:
    """Whether it says that a test was never made."""
    return _NOT_DONE[language].search(plain(text)) is not None


def hedges(answer: str, language: Language) -> bool:
    """Whether it commits itself to nothing."""
    return _HEDGED[language].search(plain(answer)) is not None


def without_opening(answer: str, language: Language) -> str:
    """An answer without its yes or no, which would deny the words after it."""
    for opening in (_YES[language], _NO[language]):
        found = opening.match(plain(answer))
        if found and answer[found.end() : found.end() + 1] in tuple(_MARKS):
            return answer[found.end() :].lstrip(f" {_MARKS}")
    return answer


def in_language(answer: str, language: Language) -> bool:
    """Whether an answer is in the language of the consultation; names and numbers may stand in any."""
    chinese = _CHINESE.search(answer) is not None
    if language is Language.ZH:
        return chinese
    return not chinese and bool(_LATIN.search(plain(answer)) or numbers(answer))


Signed = frozenset[tuple[str, bool]]
"""Words, each with whether it is affirmed."""

_CLAUSE = {
    Language.EN: re.compile(r"(?<!\d)[.,;:!?\n]|[.,;:!?\n](?!\d)|\bbut\b|\bexcept\b|\band (?=no\b|not\b)"),
    Language.ZH: re.compile(r"(?<!\d)[.:]|[，。；：！？,;!?\n]|但是?|不过|只是"),
}
_NEGATION = {
    Language.EN: re.compile(r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|denie[sd]|cannot)\b|n't\b"),
    Language.ZH: re.compile(r"没有?|无|未|否认|不(?!过|断|少|停|止)"),
}
_CARRIERS = {
    Language.EN: frozenset(
        content(
            "patient says shows showed reported told found denies denied nobody yes"
            " ago minutes hours days weeks months years times mg mm cm ml kg",
            Language.EN,
        )
    ),
    Language.ZH: frozenset(
        (
            *("患者", "病人", "是的", "说", "表示", "提到", "显示", "没有", "不", "无", "未", "没", "否认"),
            *("前", "年前", "天前", "个", "分钟", "小时", "天", "周", "星期", "月", "年", "次", "事"),
            *("毫克", "毫米", "毫升", "公斤"),
        )
    ),
}
"""Words that carry a statement and are no part of it, and units, which say nothing without their number."""
_UNITS = {
    "minute": "minute|分钟",
    "hour": "hour|个?小时",
    "day": "day|天|日",
    "week": "week|个?星期|周",
    "month": "month|个?月",
    "year": "year|年",
}
_TIME = re.compile(
    rf"(?P<number>\d+(?:\.\d+)?)[ -]*(?:{'|'.join(f'(?P<{name}>{unit})' for name, unit in _UNITS.items())})(?!龄)"
)


@lru_cache(maxsize=16384)
def signed(text: str, language: Language) -> Signed:
    """The words of weight of a text; what follows a negation in its clause is denied. Numbers are left out."""
    found: set[tuple[str, bool]] = set()
    for clause in _CLAUSE[language].split(plain(text)):
        negation = _NEGATION[language].search(clause)
        denied = negation.start() if negation else len(clause)
        found.update((word, True) for word in unsigned(clause[:denied], language))
        found.update((word, False) for word in unsigned(clause[denied:], language))
    return frozenset(found)


@lru_cache(maxsize=16384)
def unsigned(text: str, language: Language) -> frozenset[str]:
    """The words of weight alone."""
    said = (word for word in content(plain(text), language) if not word[0].isdigit() and not word.endswith("n't"))
    return frozenset(said) - _CARRIERS[language]


def with_sign(words: Iterable[str], affirmed: bool) -> Signed:
    """Words that are all affirmed or all denied."""
    return frozenset((word, affirmed) for word in words)


def share(wanted: Signed, there: Signed) -> float:
    """How much of what is wanted is there; 0 when nothing is wanted."""
    return len(wanted & there) / len(wanted) if wanted else 0.0


def opposed(wanted: Signed, there: Signed) -> float:
    """How much of what is wanted is there only turned round: denied instead of affirmed, or the other way."""
    turned = frozenset((word, not affirmed) for word, affirmed in there)
    return len((wanted - there) & turned) / len(wanted) if wanted else 0.0


def times(text: str) -> frozenset[tuple[str, str]]:
    """Spans and distances of time, as (number, unit): `40 hours` and `40个小时` are one."""
    return frozenset(
        (found["number"], next(name for name in _UNITS if found[name])) for found in _TIME.finditer(plain(text))
    )
