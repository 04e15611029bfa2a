"""Whether a reply says yes, no, or that it is not known: by how it begins."""

from __future__ import annotations

import re
from enum import Enum

from osler.language import Language
from osler.language.words import plain


class Polarity(Enum):
    """What a reply says to a yes-or-no question."""

    YES = 1
    NO = 0
    UNKNOWN = -1


UNKNOWN = {
    Language.EN: re.compile(
        r"\b(?:don't know|do(?:es)? not know|no idea|not sure|don't recall|wish i knew|couldn't tell"
        r"|can't (?:tell|remember|say)|hasn't been done|has not been done"
        r"|haven't had (?:that|one|any)(?= (?:test|done|yet)|[.,!]|$)"
        r"|never (?:had|been) (?:that|one|it|tested|measured|checked|done)"
        r"|not (?:been )?(?:done|tested|examined|measured|checked)"
        r"|(?:wasn't|haven't been) (?:done|tested|measured|checked)"
        r"|(?:has|have) not been (?:done|tested|measured|checked)"
        r"|nobody (?:has )?(?:ever )?(?:done|taken|tested|measured|checked|examined|asked))\b"
    ),
    Language.ZH: re.compile(
        r"不(?:太|大)?清楚|不知道|说不上来|记不得|想不起|不太确定|没有?\s*(?:查|做|测|量|拍|验|化验|检查)过|还?没(?:有)?\s*(?:查|做|测|拍)|未(?:查|做|测|行)"
    ),
}
SAYS_YES = {
    Language.EN: re.compile(
        r"^(?:well,? |oh,? |um,? )?(?:(?:yes|yeah|yep)\b|(?:i do|i have|i am|(?:he|she|it) (?:is|does|has))[.,!]*$)"
    ),
    Language.ZH: re.compile(r"^(?:嗯|哦|哎)?[，,]?(?:有|是|对|会)"),
}
# A denial stands at the beginning, or in the first few words (`I've had no fever`), or is the verb of the clause.
_DENIAL = {
    Language.EN: re.compile(
        r"^(?:[\w']+,?\s+){0,4}?(?:no|(?<!rather )(?<!can )not|never|none|nothing|nope|neither|without|"
        r"isn't|wasn't|doesn't|don't|didn't|hasn't|haven't)\b"
        r"|^[^,.;]*?\b(?:(?:is|are|was|were|has|have|had|does|do|did) not|can not (?!have|take|stand|bear|tolerate))\b"
    ),
    Language.ZH: re.compile(r"^(?:[^，。；！？,]{0,6}?|\S{1,30} )(?:没|无|未|不(?!过(?!敏)|少|断|停|止)|否认)"),
}
_FINE = {
    Language.EN: re.compile(r"\b(?:was|were|is|are|came back|all) (?:\w+ )?(?:negative|normal|fine|clear)\b"),
    Language.ZH: re.compile(r"阴性|正常|没问题|没事"),
}


def polarity(reply: str, language: Language) -> Polarity:
    """Yes, no or not known, by how the reply begins."""
    level = plain(reply).strip()
    if UNKNOWN[language].search(level):
        return Polarity.UNKNOWN
    if SAYS_YES[language].match(level):
        return Polarity.YES
    if _FINE[language].search(level):
        return Polarity.NO
    return Polarity.NO if _DENIAL[language].match(level) else Polarity.YES
