"""Words that tell one fact from another, in one spelling, and whether a text says them."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.memory.tim.perturb import NEGATION
from osler.ranking import reaches
from osler.records.language import Language
from osler.words import content, plain

_EMPTY_EN = (
    "known know sign evidence histor history symptom report current previou medication antibiotic today tonight moment "
    "far anymor longer still mention told show reveal found find see seen think believ mean make made present absent "
    "exclud rul deni deny confirm suffer develop good glad sinc mg daily day"
)
_EMPTY_ZH = (
    "任何 药物 药 病史 史 既往 目前 今天 症状 明显 显示 提示 提到 说过 考虑 已经 并 既然 存在 诉 自述 确认 否认 "
    "伴 伴有 才 只 只有 因 不 无 未 为 位于"
)
_DROPPED = {Language.EN: frozenset(_EMPTY_EN.split()), Language.ZH: frozenset(_EMPTY_ZH.split())}
"""Words that do not tell one fact from another."""
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


@lru_cache(maxsize=8192)
def terms_of(text: str, language: Language) -> frozenset[str]:
    """The words that tell one fact from another."""
    bare = NEGATION[language].sub(" ", text)
    return frozenset(word for word in content(bare, language) if word not in _DROPPED[language])


@lru_cache(maxsize=16384)
def mentions(term: str, text: str, language: Language) -> bool:
    """Whether a text says a word, in one of its forms."""
    if not term.isascii():
        return re.search(".?".join(map(re.escape, term)), text) is not None
    return any(_related(term, word) for word in content(text, language))


def _related(one: str, other: str) -> bool:
    """`allergic` and `allergy`, `diabetes` and `diabetic`."""
    if one == other:
        return True
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return reaches(shared, max(4, 0.6 * max(len(one), len(other))))
