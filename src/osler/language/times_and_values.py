"""Patterns that find times and values: "for three days", "三天前", "38.5 degrees", "正常".

Values are numbers with units, rates, ranges, and results in a word.
"""

from __future__ import annotations

import re
from functools import cache

from osler.language.base import Language
from osler.language.cues import any_of, cues, pattern
from osler.language.numerals import NUMBER

_YEAR = r"(?:19|20)\d\d"


@cache
def time_finder(language: Language) -> re.Pattern[str]:
    """Finds a time expression, with the words that tie it to its sentence."""
    return re.compile(
        _english_times() if language is Language.EN else _chinese_times(), re.IGNORECASE
    )


def _english_times() -> str:
    en = Language.EN
    number = NUMBER[en]
    units = pattern("time_units", en)
    indefinite = pattern("some_number", en)  # "a few", "several"
    about = pattern("about", en)
    named = pattern("weekdays", en)
    # "three days", "about two or three good weeks", "a few months and a half"
    many = rf"(?:{number}|{indefinite})(?:\s*(?:to|or|-|–|and)\s*(?:{number}|a half))?"
    counted = rf"{many}\s*-?\s*(?:good |long |more )?{units}"
    amount = rf"(?:{about}\s+){{0,3}}(?:{counted}|{indefinite}\s+{units})(?:\s+and a half)?"
    directions = r"ago|now|back|earlier|in a row|straight|before|later|running"
    behind = rf"(?:\s+(?:or so|or more|or two))?(?:\s+(?:{directions}))?"
    before_span = r"(?:(?:for|over|in|during|within|since|from|after|until|lasting)\s+)?"
    # "years old" is an age, which says nothing of when something happened.
    span = rf"{before_span}{amount}(?!\s+old){behind}"
    # "last Tuesday", "in March 2019", "on Monday morning", "the past week"
    before_date = (
        r"(?:(?:since|from|in|on|by|until|around|about|over|for|during)\s+)*"
        r"(?:the\s+)?(?:early |late |mid-?)?"
    )
    relative_date = rf"(?:last|this|past|next|that)\s+(?:few\s+|couple of\s+)?(?:{named}|{units})"
    calendar_date = (
        rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?)?{named}"
        rf"(?:\s+(?:\d{{1,2}}(?:st|nd|rd|th)|{_YEAR}|{units}))?"
    )
    date = (
        rf"{before_date}(?:{relative_date}|{calendar_date}|{_YEAR})"
        r"(?:\s+(?:morning|evening|afternoon|night))?"
    )
    before_point = r"(?:(?:since|from|until|starting)\s+)?(?:about\s+|around\s+)?"
    point = rf"{before_point}{pattern('time_points', en)}"
    # "at the age of twelve", "when I was at school"
    at_age = rf"(?:at|since|from|around|before|after)\s+(?:the\s+)?ages?\s+(?:of\s+)?{number}"
    when_younger = (
        r"(?:when|since|while)\s+(?:i|he|she|we|they)\s+(?:was|were)\s+"
        r"(?:about\s+|a\s+|in\s+|at\s+|only\s+|really\s+)*[\w-]+"
    )
    age = rf"{at_age}|{when_younger}"
    since = r"(?<!ever )since\s+(?!then\b)[\w'-]+(?:\s+[\w'-]+){0,6}"
    at_may = r"(?<!\w)may(?!\w)"  # nearly always the verb, not the month
    return rf"(?!{at_may})\b(?:{age}|{span}|{point}|{date}|{since})"


def _chinese_times() -> str:
    zh = Language.ZH
    number = NUMBER[zh]
    units = pattern("time_units", zh)
    points = pattern("time_points", zh)
    about = f"(?:{pattern('about', zh)})"
    amount = rf"{about}{{0,3}}(?:{number}[到至\-~—、])?{number}[来多余]?{units}[多余半]?"
    behind = "(?:左右|上下)?(?:以前|之前|前|以来|来|了|之内|内|后|以后|的时候)?"
    day = rf"{_YEAR}年(?:底|初|\d+月(?:份|底|初|\d+[日号])?)?|\d+月(?:\d+[日号]|份|底|初)"
    age = rf"{number}岁(?:的时候|时|起|开始|左右|那年)"
    point = rf"(?:{age}|{day}|[上下这]?{points})"
    time = rf"(?:自|从|打)?(?:{point}|{amount}{behind})(?:的?时候|以来|开始|起|前后|之后|以后)?"
    counted_units = any_of((unit for unit in cues("measure_units", zh) if not unit.isascii()), zh)
    # "每天三次", "一天两包" are rates, not times.
    rate = rf"(?:每|一天|一日|一晚|一周)\S*{number}\s*{counted_units}"
    return rf"(?<![每\d.])(?!{rate}){time}"


@cache
def value_finder(language: Language) -> re.Pattern[str]:
    """Finds a number with its unit, or a rate."""
    return re.compile(
        _english_values() if language is Language.EN else _chinese_values(), re.IGNORECASE
    )


@cache
def number_finder(language: Language) -> re.Pattern[str]:
    """Finds a bare number or a range, which is a value if it is not a time."""
    about = pattern("about", language)
    if language is Language.ZH:
        in_words = "[零一二三四五六七八九十百]+点[零一二三四五六七八九]{1,2}(?![十百])"
        decimal = rf"(?:\d+(?:\.\d+)?|{in_words})"
        return re.compile(rf"(?:{about}){{0,3}}{decimal}(?:\s*[到至\-~/]\s*{decimal})?")
    number = NUMBER[language]
    span = rf"{number}(?:\s*(?:to|or|-|–|over|/)\s*{number})?"
    # "one", "half" and their like are more often no numbers.
    unclear = r"(?!(?:one|half|couple|dozen|once|twice)\b)"
    return re.compile(
        rf"(?<![\w.-])(?:{about}\s+){{0,3}}{unclear}"
        rf"(?:between\s+{number}\s+and\s+{number}|{span})(?![\w-])",
        re.IGNORECASE,
    )


@cache
def quality_finder(language: Language) -> re.Pattern[str]:
    """Finds a result in a word at the end of a clause: "… was normal", "……正常"."""
    qualities = any_of(cues("qualities", language), language)
    if language is Language.EN:
        return re.compile(
            rf"(?:\b(?:is|was|are|were|came back|remains?|being|all)\s+)+({qualities})\s*$",
            re.IGNORECASE,
        )
    return re.compile(rf"(?:是|为|都|均|呈|查出来|结果)*({qualities})(?:的|了)?$")


def _units(language: Language) -> str:
    """A unit right behind its number, but not the beginning of a longer word."""
    listed = sorted(cues("measure_units", language), key=lambda unit: -len(unit))
    return f"(?:{'|'.join(map(re.escape, listed))})(?![a-z])"


def _english_values() -> str:
    en = Language.EN
    number = NUMBER[en]
    units = _units(en)
    frequency = pattern("frequencies", en)
    about = rf"(?:{pattern('about', en)}\s+){{0,3}}"
    rate = rf"(?:\s+{frequency})"
    indefinite = pattern("some_number", en)
    span = rf"{number}(?:\s*(?:to|or|-|–|over|/)\s*{number})?"
    between = rf"between\s+{number}\s+and\s+{number}"
    counted = rf"(?:{between}|{span})\s*-?\s*{units}(?:\s+(?:or so))?{rate}?"
    vague = rf"{indefinite}\s+{units}{rate}?"
    often = rf"{pattern('frequency_words', en)}{rate}?"
    repeated = rf"{indefinite}\s+(?:[a-z]+\s+)?{frequency}"
    bare = rf"(?:{between}|{span}){rate}"
    return rf"(?<![\w.]){about}(?:{counted}|{often}|{repeated}|{vague}|{bare})"


def _chinese_values() -> str:
    zh = Language.ZH
    number = NUMBER[zh]
    units = _units(zh)
    rate = f"(?:{pattern('frequencies', zh)})"
    about = f"(?:{pattern('about', zh)}){{0,3}}"
    span = rf"{number}(?:\s*[到至\-~—/、]\s*{number})?"
    behind = r"[多半]?(?:左右|上下)?(?![多来余半]*(?:月|星期|礼拜|小时|钟头|晚上))"
    whole = rf"{span}\s*(?:[来多几])?{units}(?:{number}(?![天周月年岁]))?{behind}"
    return rf"(?:{rate})?{about}{whole}(?:/?{rate}|每分|/分)?|{rate}(?=[吸抽喝吃])"
