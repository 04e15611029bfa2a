"""What an answer claims: yes, no, not known, or telling something; sure or not; in which language."""

from __future__ import annotations

import re
from enum import StrEnum

from osler.language import Language
from osler.language.words import numbers, plain

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


class Claim(StrEnum):
    """What an answer says, before it is looked at closely."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "not known"
    TELLS = "tells"


def claim(answer: str, language: Language) -> Claim:
    """Yes, no, not known, or telling something."""
    level = plain(answer).strip()
    if _YES[language].match(level):
        return Claim.YES
    if _UNKNOWN[language].search(level):
        return Claim.UNKNOWN
    return Claim.NO if _NO[language].match(level) else Claim.TELLS


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
