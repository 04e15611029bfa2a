"""Whether a sentence says only that something is not known or was not done."""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.words import plain

_NOT_TOLD = {
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


def tells_nothing(sentence: str, language: Language) -> bool:
    """Whether the sentence has such words."""
    return _NOT_TOLD[language].search(plain(sentence)) is not None
