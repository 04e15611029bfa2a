"""What a text says, in a form that can be compared: its words, each affirmed or denied, its numbers and its times.

`No fever, but a cough` says (fever, denied) and (cough, affirmed). Two texts agree where they share such words; what
turns a denial round shares none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from osler.language import Language
from osler.language.words import content, plain

Signed = frozenset[tuple[str, bool]]
"""Words, each with whether it is affirmed."""

_CLAUSE = {
    Language.EN: re.compile(r"(?<!\d)[.,;:!?\n]|[.,;:!?\n](?!\d)|\bbut\b|\bexcept\b|\balthough\b|\band (?=no\b|not\b)"),
    Language.ZH: re.compile(r"(?<!\d)[.:]|[，。；：！？,;!?\n]|但是?|不过|就是|只是"),
}
_NEGATOR = {
    Language.EN: re.compile(
        r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|denie[sd]|deny|cannot)\b|n't\b"
    ),
    Language.ZH: re.compile(r"没|无|未|否认|不(?!过|断|少|停|止)"),
}
_NEGATING = {Language.EN: re.compile(r"n't$|^nobody$|^den[iy]"), Language.ZH: re.compile(r"^(?:没有?|无|未|不|否认)$")}
_LISTED = re.compile(r"^\s*[\w'-]+(?:\s+[\w'-]+){0,4}\s*$")
_VERB = re.compile(r"\b(?:is|are|was|were|am|has|have|had|do|does|did|i|i'm|i've|it|it's|he|she|they|my|his|her)\b")
_CARRIER = {
    Language.EN: frozenset(
        content(
            "patient says showed reported mentioned told found finding yes"
            " ago minutes hours days weeks months years times mg mm cm ml kg",
            Language.EN,
        )
    ),
    Language.ZH: frozenset(
        (
            *("患者", "病人", "是的", "说", "表示", "提到", "显示", "没有", "不", "无", "未", "没"),
            *("前", "年前", "天前", "个", "分钟", "小时", "天", "周", "星期", "月", "年", "次", "事"),
            *("毫克", "毫米", "毫升", "公斤"),
        )
    ),
}
"""Words that carry a statement and are no part of it, and units, which say nothing without their number."""
_NUMBER = r"\d+(?:\.\d+)?"
_UNITS = {
    "minute": "minute|分钟",
    "hour": "hour|个?小时",
    "day": "day|天|日",
    "week": "week|个?星期|周",
    "month": "month|个?月",
    "year": "year|年",
}
_TIME = re.compile(
    rf"(?P<number>{_NUMBER})[ -]*(?:{'|'.join(f'(?P<{name}>{unit})' for name, unit in _UNITS.items())})(?!龄)"
)


@lru_cache(maxsize=16384)
def signed(text: str, language: Language) -> Signed:
    """The words of weight of a text; what follows a negation in its clause is denied. Numbers are left out."""
    found: set[tuple[str, bool]] = set()
    carried = False
    for clause in _CLAUSE[language].split(plain(text)):
        negation = _NEGATOR[language].search(clause)
        # `no cough, fever or chills`: what is only listed after a denial is denied with it.
        listed = language is Language.EN and _LISTED.match(clause) is not None and not _VERB.search(clause)
        carried = negation is not None or (carried and listed)
        begins = negation.start() if negation else 0 if carried else len(clause)
        found.update((word, True) for word in _words(clause[:begins], language))
        found.update((word, False) for word in _words(clause[begins:], language))
    return frozenset(found)


def unsigned(text: str, language: Language) -> frozenset[str]:
    """The words of weight alone."""
    return frozenset(_words(plain(text), language))


def _words(text: str, language: Language) -> Iterable[str]:
    return (
        word
        for word in content(text, language)
        if word not in _CARRIER[language] and not word[0].isdigit() and not _NEGATING[language].search(word)
    )


def flipped(said: Signed) -> Signed:
    """The opposite of it all."""
    return frozenset((word, not affirmed) for word, affirmed in said)


def share(wanted: Signed, there: Signed) -> float:
    """How much of what is wanted is there; 0 when nothing is wanted."""
    return len(wanted & there) / len(wanted) if wanted else 0.0


def opposed(wanted: Signed, there: Signed) -> float:
    """How much of what is wanted is there only turned round: denied instead of affirmed, or the other way."""
    return len((wanted - there) & flipped(there)) / len(wanted) if wanted else 0.0


def times(text: str) -> frozenset[tuple[str, str]]:
    """Spans and distances of time, as (number, unit): `40 hours` and `40个小时` are one."""
    return frozenset(
        (found["number"], next(name for name in _UNITS if found[name])) for found in _TIME.finditer(plain(text))
    )
