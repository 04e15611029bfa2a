"""Finds values: numbers with their units and rates, blood pressures, ranges, and results in a word."""

from __future__ import annotations

import re
from functools import cache

from osler.language.base import Language
from osler.language.cues import any_of, cues, pattern
from osler.language.numerals import NUMBER


@cache
def value_finder(language: Language) -> re.Pattern[str]:
    """Finds a number with its unit, or a rate."""
    return re.compile(_english() if language is Language.EN else _chinese(), re.IGNORECASE)


@cache
def number_finder(language: Language) -> re.Pattern[str]:
    """Finds a bare number or a range, which is a value where it is no time."""
    number = NUMBER[language]
    if language is Language.ZH:
        return re.compile(rf"(?:{pattern('about', language)}){{0,3}}\d+(?:\.\d+)?(?:\s*[到至\-~/]\s*\d+(?:\.\d+)?)?")
    span = rf"{number}(?:\s*(?:to|or|-|–|over|/)\s*{number})?"
    unclear = r"(?!(?:one|half|couple|dozen|once|twice)\b)"
    return re.compile(
        rf"(?<![\w.-])(?:{pattern('about', language)}\s+){{0,3}}{unclear}"
        rf"(?:between\s+{number}\s+and\s+{number}|{span})(?![\w-])",
        re.IGNORECASE,
    )


@cache
def quality_finder(language: Language) -> re.Pattern[str]:
    """Finds a result in a word at the end of a clause: "… was normal", "……正常"."""
    qualities = any_of(cues("qualities", language), language)
    if language is Language.EN:
        return re.compile(
            rf"(?:\b(?:is|was|are|were|came back|remains?|being|all)\s+)+({qualities})\s*$", re.IGNORECASE
        )
    return re.compile(rf"(?:是|为|都|均|呈|查出来|结果)*({qualities})(?:的|了)?$")


def _units(language: Language) -> str:
    """A unit right behind its number, but not the beginning of a longer word."""
    listed = sorted(cues("measure_units", language), key=lambda unit: -len(unit))
    return f"(?:{'|'.join(map(re.escape, listed))})(?![a-z])"


def _english() -> str:
    en = Language.EN
    number, units = NUMBER[en], _units(en)
    about, rate = f"(?:{pattern('about', en)}\\s+){{0,3}}", rf"(?:\s+{pattern('frequencies', en)})"
    some = pattern("some_number", en)
    span = rf"{number}(?:\s*(?:to|or|-|–|over|/)\s*{number})?"
    between = rf"between\s+{number}\s+and\s+{number}"
    counted = rf"(?:{between}|{span})\s*-?\s*{units}(?:\s+(?:or so))?{rate}?"
    vague = rf"{some}\s+{units}{rate}?"
    often = rf"{pattern('frequency_words', en)}{rate}?"
    bare = rf"(?:{between}|{span}){rate}"
    return rf"(?<![\w.]){about}(?:{counted}|{often}|{some}\s+(?:[a-z]+\s+)?{pattern('frequencies', en)}|{vague}|{bare})"


def _chinese() -> str:
    zh = Language.ZH
    number, units = NUMBER[zh], _units(zh)
    rate = f"(?:{pattern('frequencies', zh)})"
    about = f"(?:{pattern('about', zh)}){{0,3}}"
    span = rf"{number}(?:\s*[到至\-~—/、]\s*{number})?"
    behind = r"[多半]?(?:左右|上下)?(?![多来余半]*(?:月|星期|礼拜|小时|钟头|晚上))"
    whole = rf"{span}\s*(?:[来多几])?{units}(?:{number}(?![天周月年岁]))?{behind}"
    return rf"(?:{rate})?{about}{whole}(?:/?{rate}|每分|/分)?|{rate}(?=[吸抽喝吃])"
