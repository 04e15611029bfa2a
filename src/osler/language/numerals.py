"""Numbers of a text by their value, in digits and in words, in either language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from osler.language.base import Language
from osler.language.words import plain

_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+[度点米]\d{1,2}(?!\d)|\d+(?:\.\d+)?")
"""1,200 and 38度6 are one number each."""
_PART = re.compile(r"\d+(?:\.\d+)?")
_POINT = re.compile(r"[度点米]")
_SMALL_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_ORDINAL_NUMBERS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {word: float(value) for value, word in enumerate(_ORDINAL_NUMBERS.split(), start=1)}
_ONES = {
    **{word: float(value) for value, word in enumerate(_SMALL_NUMBERS.split())},
    **{"once": 1.0, "twice": 2.0, "couple": 2.0, "dozen": 12.0, "half": 0.5},
    **_ORDINALS,
}
_TENS = {
    "twenty": 20.0,
    "thirty": 30.0,
    "forty": 40.0,
    "fifty": 50.0,
    "sixty": 60.0,
    "seventy": 70.0,
    "eighty": 80.0,
    "ninety": 90.0,
}
_SCALES = {"hundred": 100.0, "thousand": 1000.0}
_WORDS = frozenset({*_ONES, *_TENS, *_SCALES})
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?|[^\sa-z\d-]")
_CHINESE = re.compile(
    r"([零〇一二两三四五六七八九十百千万半]+)(?:[点度]([零〇一二三四五六七八九]{1,2})(?![十百千]))?"
)
_DIGITS_IN_A_ROW = re.compile("[零〇一二三四五六七八九]{2,4}")
_CHINESE_ONES = {
    **{digit: value for value, digit in enumerate("零一二三四五六七八九")},
    "两": 2,
    "〇": 0,
}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_NUMBER_WORD = "|".join(
    sorted((*(_ONES.keys() - _ORDINALS), *_TENS, *_SCALES), key=len, reverse=True)
)
_FIGURE = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,12}(?:[./]\d{1,6})?"
_DECIMALS = "点[零〇一二三四五六七八九]{1,2}(?![十百千])"
NUMBER = {
    Language.EN: rf"(?:{_FIGURE}|(?:{_NUMBER_WORD})(?:[ -](?:and )?(?:{_NUMBER_WORD})){{0,4}})",
    Language.ZH: rf"(?:{_FIGURE}|[零〇一二两三四五六七八九十百千万半几数]{{1,8}}(?:{_DECIMALS})?)",
}
"""Patterns for one number, in digits or in words."""


def written_values(text: str) -> Iterator[tuple[str, tuple[frozenset[float], ...]]]:
    """The numbers in digits, with the values each may have: 3点20 is 3.2, or 3 and 20."""
    for match in _DIGITS.finditer(plain(text)):
        written = match[0]
        parts = frozenset(map(float, _PART.findall(written)))
        yield written, (frozenset({_value(written)}), parts)


@lru_cache(maxsize=1024)
def values(text: str) -> frozenset[float]:
    """All values that a text has, in digits or in words."""
    level = plain(text)
    digits = [_value(match[0]) for match in _DIGITS.finditer(level)]
    return frozenset((*digits, *_english(level), *_chinese(level)))


def _value(digits: str) -> float:
    return float(_POINT.sub(".", digits.replace(",", "")))


def _english(level: str) -> Iterator[float]:
    """Values of number words, of compounds and their parts: twenty-five is 20, 5 and 25."""
    words = _WORD.findall(level)
    if _WORDS.isdisjoint(words):
        return
    total = 0.0
    begun = False
    for word in words:
        if word in _ONES or word in _TENS:
            value = _ONES[word] if word in _ONES else _TENS[word]
            yield value
            total = total + value if begun else value
            begun = True
            yield total
        elif word in _SCALES:
            total = max(total, 1.0) * _SCALES[word]  # by itself it is one hundred
            begun = True
            yield total
        elif word not in ("and", "a"):
            total = 0.0
            begun = False


def _chinese(level: str) -> Iterator[float]:
    for run, decimals in _CHINESE.findall(level):
        *parts, whole = _chinese_parts(run)
        if _DIGITS_IN_A_ROW.fullmatch(run):  # "一五年"
            whole = float(_digits(run))
        yield from (*parts, whole)
        if decimals:
            yield whole + float(f"0.{_digits(decimals)}")


def _digits(run: str) -> str:
    """Chinese digits as Arabic ones."""
    return "".join(str(_CHINESE_ONES[char]) for char in run)


@lru_cache(maxsize=1024)
def whole_values(text: str, language: Language) -> frozenset[float]:
    """The values of the numbers of a text without those of their parts: twenty-five is 25."""
    # The value of the whole is larger than those of its parts.
    all_values = [values(match[0]) for match in _number(language).finditer(plain(text))]
    return frozenset(max(of_number) for of_number in all_values if of_number)


@cache
def _number(language: Language) -> re.Pattern[str]:
    return re.compile(NUMBER[language])


def _chinese_parts(run: str) -> Iterator[float]:
    """Values of a run of numerals and of its parts: 二十五 is 2, 10, 5 and, at last, 25."""
    total = section = last = 0
    for char in run:
        if char in _CHINESE_ONES:
            last = _CHINESE_ONES[char]
            yield float(last)
        elif char == "半":
            yield 0.5
            yield total + section + last + 0.5
        elif char == "万":
            total = (total + section + last) * 10000 or 10000
            section = 0
            last = 0
            yield float(total)
        else:
            section = section + (last or 1) * _CHINESE_SCALES[char]
            last = 0
            yield float(_CHINESE_SCALES[char])
    yield float(total + section + last)
