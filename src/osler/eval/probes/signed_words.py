"""What a text says, in a form that can be compared: its words, each affirmed or denied, and its times.

`No fever, but a cough` says (fever, denied) and (cough, affirmed). Two texts agree where they share such words; what
turns a denial round shares none of them. This is all that the probes know of language: it is apart from the rules of
the doctor and of the memories, which it measures.
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
