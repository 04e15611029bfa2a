"""One spelling and one word for a thing that may be said in several ways."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language import Language
from osler.language.words import plain

_SAME = {
    Language.EN: (
        (re.compile(r"\b(?:high|raised) temperature\b|\bfebrile\b"), "fever"),
        (re.compile(r"\bhigh blood pressure\b"), "hypertension"),
        (re.compile(r"\b(?:radiat|travel|shoot)(e?s|ed|ing)\b"), r"spreads"),
        (re.compile(r"\b(?:loose|watery) stools?\b"), "diarrhoea"),
        (re.compile(r"\bthrow(?:ing|s)? up\b|\bthrew up\b|\bbeing sick\b"), "vomiting"),
        (re.compile(r"\bshort of breath\b"), "shortness of breath"),
    ),
    Language.ZH: (
        (re.compile(r"发烧|烧到|低烧|高烧"), "发热"),
        (re.compile(r"抽烟|吸烟|抽(?=$| )"), "烟"),
        (re.compile(r"喝酒"), "饮酒"),
        (re.compile(r"口服|吃(?=.{0,4}药)"), "服用"),
        (re.compile(r"拉肚子"), "腹泻"),
        (re.compile(r"肚子痛"), "腹痛"),
        (re.compile(r"呕吐|吐(?=$|了|过)"), "呕吐"),
        (re.compile(r"([左右])(?:侧|边|面)"), r"\1"),
        (re.compile(r"痛痛|疼痛"), "痛"),
    ),
}
_ANY_SAME = {
    language: re.compile("|".join(pattern.pattern for pattern, _ in listed)) for language, listed in _SAME.items()
}
"""Most texts have none of them."""
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIGITS = {word: number for row in (_COUNTED, "一二三四五六七八九十") for number, word in enumerate(row, 1)} | {"两": 2}
_NUMERAL = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b|[一二两三四五六七八九十](?=个?(?:天|周|星期|月|年|小时))"
)


@lru_cache(maxsize=8192)
def canonical(text: str, language: Language) -> str:
    """One spelling, one word for a thing, digits for small numbers."""
    level = plain(text)
    if language is Language.ZH:
        level = level.replace("疼", "痛")
    if _ANY_SAME[language].search(level):
        for pattern, instead in _SAME[language]:
            level = pattern.sub(instead, level)
    return _NUMERAL.sub(lambda found: str(_DIGITS[found[0]]), level)
