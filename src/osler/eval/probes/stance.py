"""How an answer stands to its question: yes, no, not known, or telling something; sure or not; in which language."""

from __future__ import annotations

import re
from enum import StrEnum

from osler.language import Language
from osler.language.words import numbers, plain

_UNKNOWN = {
    Language.EN: re.compile(
        r"\bnot (?:been )?(?:known|mentioned|stated|recorded|asked|told|given|provided|specified|discussed|available)\b"
        r"|\bunknown\b|\bno (?:information|record|mention|data)\b"
        r"|\b(?:don't|do not|doesn't|does not|cannot) (?:know|tell|say)\b"
        r"|\bdid(?:n't| not) (?:say|mention|tell|ask)\b|\bwas(?:n't| not) asked\b"
    ),
    Language.ZH: re.compile(
        r"不知道|不清楚|不详|未知|未提|没有?提|未说明|未记录|没有记录|没有?(?:相关)?信息|无相关|无法(?:确定|得知|回答)|没有?问|未问"
    ),
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
_NORMAL = {
    Language.EN: re.compile(r"\b(?<!ab)normal\b|\bnegative\b|\bfine\b"),
    Language.ZH: re.compile(r"(?<!不)正常|阴性"),
}
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[a-z]{2,}")


class Stance(StrEnum):
    """What an answer claims, before it is looked at closely."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "not known"
    TELLS = "tells"


def stance(answer: str, language: Language) -> Stance:
    """Yes, no, not known, or telling something."""
    level = plain(answer).strip()
    if _YES[language].match(level):
        return Stance.YES
    if _UNKNOWN[language].search(level):
        return Stance.UNKNOWN
    return Stance.NO if _NO[language].match(level) else Stance.TELLS


def hedges(answer: str, language: Language) -> bool:
    """Whether it commits itself to nothing."""
    return _HEDGED[language].search(plain(answer)) is not None


def calls_normal(answer: str, language: Language) -> bool:
    """Whether it says that a finding was normal."""
    return _NORMAL[language].search(plain(answer)) is not None


def without_lead(answer: str, language: Language) -> str:
    """An answer without its yes or no, which would deny the words after it."""
    for lead in (_YES, _NO):
        if found := lead[language].match(plain(answer)):
            rest = answer[found.end() :].lstrip(" ,.:，。：、")
            if found.end() < len(answer) and answer[found.end()] in ",.:，。：、":
                return rest
    return answer


def in_language(answer: str, language: Language) -> bool:
    """Whether an answer is in the language of the consultation; names and numbers may stand in any."""
    chinese = _CHINESE.search(answer) is not None
    return (
        chinese
        if language is Language.ZH
        else not chinese and bool(_LATIN_WORD.search(plain(answer)) or numbers(answer))
    )
