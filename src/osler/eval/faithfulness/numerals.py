"""The numbers of a text, in digits and in words of both languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from osler.language import Language
from osler.language.words import plain

_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DEGREES = re.compile(r"(?<=[\d零一二三四五六七八九十])度(?=[\d一二三四五六七八九])")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_EN = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "dozen": 12}
_WORD = "|".join((*_EN, *_SCALES))
_RUN_EN = re.compile(rf"\b(?:{_WORD})(?:(?:[ -]| and )(?:{_WORD}))*(?: point (?:{_WORD})(?: (?:{_WORD}))*)?\b")
_ZH = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SCALES_ZH = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_RUN_ZH = re.compile(r"[零〇一二两三四五六七八九十百千万]+(?:点[零〇一二三四五六七八九]+)?")
_PER = {Language.EN: (7, 10, 12, 24, 30, 60, 100, 1000), Language.ZH: (2, 7, 10, 12, 24, 30, 60, 100, 1000)}
"""What a person may have multiplied or divided a number by: weeks and days, hours and minutes, m and cm; kg and 斤."""


class Numeral(NamedTuple):
    """A number as it stands in a text."""

    value: float
    quote: str
    in_digits: bool


def numerals(text: str, language: Language) -> Iterator[Numeral]:
    """Every number, in digits or in words."""
    level = _DEGREES.sub("点", plain(text)) if language is Language.ZH else _THOUSANDS.sub("", plain(text))
    level = re.sub(r"(?<=\d)点(?=\d)", ".", level)
    for found in _DIGITS.finditer(level):
        yield Numeral(float(found[0]), found[0], in_digits=True)
    if language is Language.ZH:
        for found in _RUN_ZH.finditer(level):
            yield from (Numeral(value, found[0], in_digits=False) for value in _chinese(found[0]))
    else:
        for found in _RUN_EN.finditer(level):
            yield from (Numeral(value, found[0], in_digits=False) for value in _english(found[0]))


def values(texts: Iterable[str], language: Language) -> frozenset[float]:
    """The numbers that texts hold."""
    return frozenset(one.value for text in texts for one in numerals(text, language))


def follows(one: Numeral, known: frozenset[float], language: Language) -> bool:
    """Whether a number is one of those known: in another unit, by another clock, or read out in two pieces."""
    value = one.value
    if value in known or any(value * per in known or value / per in known for per in _PER[language]):
        return True
    if value <= 12 and value + 12 in known:
        return True
    return not one.in_digits and value in _pieces(known)


def _pieces(known: frozenset[float]) -> Iterator[float]:
    """What is said one after the other (`thirty-eight seven`), and what lies between two (six kilos of 61 to 55)."""
    for number in known:
        whole, _, part = str(number).partition(".")
        yield from (float(whole), float(part), number % 100)
    yield from (abs(one - other) for one in known for other in known if one != other)


def _english(run: str) -> Iterator[float]:
    whole, _, part = run.partition(" point ")
    total = 0
    for word in (word for word in re.split(r"[ -]", whole) if word != "and"):
        if word in _SCALES:
            total = max(total, 1) * _SCALES[word]
            continue
        value = _EN[word]
        if total and not (total % 100 == 0 or (total % 10 == 0 and value < 10 < total)):
            yield float(total)  # "five six": two numbers beside each other
            total = 0
        total += value
    digits = "".join(str(_EN[word]) for word in part.split() if word in _EN)
    yield float(f"{total}.{digits}") if digits else float(total)


def _chinese(run: str) -> Iterator[float]:
    """`十七八` and `两三` are two numbers; `零点一` has a point."""
    whole, _, part = run.partition("点")
    if part:
        yield float(f"{int(_chinese_whole(whole))}.{''.join(str(_ZH[char]) for char in part)}")
        return
    if len(whole) > 2 and not set(whole) & set(_SCALES_ZH):
        yield float("".join(str(_ZH[char]) for char in whole))  # read out digit by digit
        return
    pair = re.fullmatch(r"(.*?)([一二两三四五六七八九])([二三四五六七八九])([十百千万]?)", whole)
    if pair:
        for digit in (pair[2], pair[3]):
            yield _chinese_whole(pair[1] + digit + pair[4])
        return
    yield _chinese_whole(whole)


def _chinese_whole(run: str) -> float:
    total = current = 0
    for char in run:
        if char in _SCALES_ZH:
            scale = _SCALES_ZH[char]
            if scale == 10000:
                total, current = (total + current or 1) * scale, 0
            else:
                total, current = total + (current or 1) * scale, 0
        else:
            current = _ZH[char]
    return float(total + current)
