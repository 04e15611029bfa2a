"""Finds when something happened, or how long it has lasted: "for three days", "since Monday", "三天前"."""

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
    return re.compile(_english() if language is Language.EN else _chinese(), re.IGNORECASE)


def _english() -> str:
    en = Language.EN
    number, some, units = NUMBER[en], pattern("some_number", en), pattern("time_units", en)
    about, named = pattern("about", en), pattern("weekdays", en)
    many = rf"(?:{number}|{some})(?:\s*(?:to|or|-|–|and)\s*(?:{number}|a half))?"
    amount = rf"(?:{about}\s+){{0,3}}(?:{many}\s*-?\s*(?:good |long |more )?{units}|{some}\s+{units})(?:\s+and a half)?"
    behind = r"(?:\s+(?:or so|or more|or two))?(?:\s+(?:ago|now|back|earlier|in a row|straight|before|later|running))?"
    span = rf"(?:(?:for|over|in|during|within|since|from|after|until|lasting)\s+)?{amount}(?!\s+old){behind}"
    # "last Tuesday", "in March 2019", "on Monday morning", "the past week"
    date = (
        rf"(?:(?:since|from|in|on|by|until|around|about|over|for|during)\s+)*(?:the\s+)?(?:early |late |mid-?)?"
        rf"(?:(?:last|this|past|next|that)\s+(?:few\s+|couple of\s+)?(?:{named}|{units})"
        rf"|{named}(?:\s+(?:{_YEAR}|{units}))?|{_YEAR})"
        rf"(?:\s+(?:morning|evening|afternoon|night))?"
    )
    point = rf"(?:(?:since|from|until|starting)\s+)?(?:about\s+|around\s+)?{pattern('time_points', en)}"
    age = (
        rf"(?:at|since|from|around|before|after)\s+(?:the\s+)?ages?\s+(?:of\s+)?{number}|(?:when|since|while)\s+"
        rf"(?:i|he|she|we|they)\s+(?:was|were)\s+(?:about\s+|a\s+|in\s+|at\s+|only\s+|really\s+)*[\w-]+"
    )
    since = r"(?<!ever )since\s+(?!then\b)[\w'-]+(?:\s+[\w'-]+){0,6}"
    at_may = r"(?<!\w)may(?!\w)"
    return rf"(?!{at_may})\b(?:{age}|{span}|{point}|{date}|{since})"


def _chinese() -> str:
    zh = Language.ZH
    number, units, points = NUMBER[zh], pattern("time_units", zh), pattern("time_points", zh)
    about = f"(?:{pattern('about', zh)})"
    amount = rf"{about}{{0,3}}(?:{number}[到至\-~—、])?{number}[来多余]?{units}[多余半]?"
    behind = "(?:左右|上下)?(?:以前|之前|前|以来|来|了|之内|内|后|以后|的时候)?"
    day = rf"{_YEAR}年(?:底|初|\d+月(?:份|底|初|\d+[日号])?)?|\d+月(?:\d+[日号]|份|底|初)"
    age = rf"{number}岁(?:的时候|时|起|开始|左右|那年)"
    point = rf"(?:{age}|{day}|{points})"
    opened = rf"(?:自|从|打)?(?:{point}|{amount}{behind})(?:的?时候|以来|开始|起|前后|之后|以后)?"
    # "每天三次", "一天两包" are rates, not times.
    return rf"(?<![每\d.])(?!(?:每|一天|一日|一晚|一周)\S*{number}\s*{any_of(_rate_units(), zh)}){opened}"


def _rate_units() -> tuple[str, ...]:
    return tuple(unit for unit in cues("measure_units", Language.ZH) if not unit.isascii())
