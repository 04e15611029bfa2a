"""Whether a reply gets a measurement wrong by its own numbers: "0.31, above the limit of 0.50".

All the numbers are in the record, and only how they compare is not: a doctor who hears that a marker is below the
reference stops thinking of the illness.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from osler.records.language import Language
from osler.records.schema import Entry
from osler.words import content, numbers, plain

_NUMBER = r"(?<![\d.])(\d+(?:\.\d+)?)"
_ABOVE = {
    Language.EN: r"above|higher than|greater than|exceed(?:s|ed|ing)?",
    Language.ZH: "高于|大于|超过|超出",
}
_BELOW = {Language.EN: r"below|lower than|less than|under", Language.ZH: "低于|小于|没超过|未超过|不超过"}
_TO_A_NUMBER = {
    Language.EN: re.compile(
        rf"{_NUMBER}[^\d.;]{{0,40}}?\b(?:({_ABOVE[Language.EN]})|{_BELOW[Language.EN]})\b[^\d.,;]{{0,30}}?{_NUMBER}"
    ),
    Language.ZH: re.compile(
        rf"{_NUMBER}[^\d。；]{{0,24}}?(?:({_ABOVE[Language.ZH]})|{_BELOW[Language.ZH]})[^\d，。；,;]{{0,10}}?{_NUMBER}"
    ),
}
"""Two numbers and how they are said to compare. The first is the one that was measured."""
_NORM = re.compile(
    r"\b(?:should|must|ought|supposed|says?|want|normally)\b|\b(?:normal|reference)(?: is|:)? (?:below|above|under)\b"
    r"|应|要|写|(?:正常|参考)\S{0,3}?[低高小大不]"
)
"""Who says how it should be does not say how it is: "7.6, and it should be below 0.50"."""
_TO_THE_NORM = {
    Language.EN: re.compile(
        rf"\b(?:({_ABOVE[Language.EN]})|({_BELOW[Language.EN]}))\b[^\d]{{0,16}}?\b(?:reference|normal|limit|range)\b"
        r"|\bnormal\b(?! (?:range|values?|limit|is))|\bwithin\b[^\d]{0,16}\b(?:reference|range|limits?)\b"
    ),
    Language.ZH: re.compile(
        rf"(?:({_ABOVE[Language.ZH]})|({_BELOW[Language.ZH]}))[^\d]{{0,4}}?(?:参考|正常|上限|标准)|(?<!不)正常(?![值范是为应要低高])"
        r"|在[^\d]{0,6}范围"
    ),
}
_NOT = {
    Language.EN: re.compile(r"\b(?:not|no|never|nor|neither|without)\b|n't\b|\babnormal"),
    Language.ZH: re.compile(r"不(?!超过)|没(?!超过)|未(?!超过)|异常"),
}
_CLAUSE = {
    Language.EN: re.compile(r"[,;:](?!\d)\s*|[.!?](?:\s+|$)|\b(?:but|and|while|which)\b"),
    Language.ZH: re.compile(r"[，。；！？,;!?]"),
}
_REFERENCE = {
    Language.EN: re.compile(
        rf"{_NUMBER}[^\d()]{{0,20}}\((?:reference|normal)(?: range| values?)?:? *"
        rf"(?:(below|under|up to|less than)|(above|over|at least|more than))? *{_NUMBER}(?: *[-–~] *(\d+(?:\.\d+)?))?"
    ),
    Language.ZH: re.compile(
        rf"{_NUMBER}[^\d()（）]{{0,20}}[（(](?:参考|正常)[值范围]*[:：]?"
        rf"(?:(低于|小于|不超过|上限)|(高于|大于|不低于|下限))?{_NUMBER}(?:[-–~至](\d+(?:\.\d+)?))?"
    ),
}


class Measured(NamedTuple):
    """A value, and between which bounds it would be as it should."""

    value: float
    low: float | None
    high: float | None

    def is_above(self) -> bool:
        """Whether it is more than it should be."""
        bound = self.low if self.high is None else self.high
        return bound is not None and self.value > bound

    def is_below(self) -> bool:
        """Whether it is less."""
        bound = self.high if self.low is None else self.low
        return bound is not None and self.value < bound

    def is_normal(self) -> bool:
        """Whether it is neither."""
        return (self.low is None or self.value >= self.low) and (self.high is None or self.value <= self.high)


def miscompared(reply: str, entries: Iterable[Entry], language: Language) -> tuple[str, ...]:
    """The comparisons in a reply that its numbers, or those of the report, make false."""
    level = plain(reply)
    found = [said[0] for said in _TO_A_NUMBER[language].finditer(level) if not _holds(said)]
    measured = [(entry.name, one) for entry in entries if (one := measurement(entry.report, language)) is not None]
    if measured:
        found += [name for clause in _CLAUSE[language].split(level) for name in _against(clause, measured, language)]
    return tuple(dict.fromkeys(found))


def _holds(said: re.Match[str]) -> bool:
    first, second = float(said[1]), float(said[3])
    return _NORM.search(said[0]) is not None or (first >= second if said[2] else first <= second)


def _against(clause: str, measured: list[tuple[str, Measured]], language: Language) -> Iterator[str]:
    """Whose value a clause puts on the wrong side."""
    said = _TO_THE_NORM[language].search(clause)
    if said is None or _NOT[language].search(clause):
        return
    words, spoken = frozenset(content(clause, language)), {float(number) for number in numbers(clause)}
    for name, one in measured:
        if one.value in spoken or frozenset(content(name, language)) <= words:
            right = one.is_above() if said[1] else one.is_below() if said[2] else one.is_normal()
            if not right:
                yield name


@lru_cache(maxsize=2048)
def measurement(report: str, language: Language) -> Measured | None:
    """What a report measured, with its reference; None where it has none, or several."""
    found = _REFERENCE[language].findall(plain(report))
    if len(found) != 1:
        return None
    value, upper, lower, first, second = found[0]
    if second:
        return Measured(float(value), float(first), float(second))
    if not (upper or lower):
        return None
    return Measured(float(value), None if upper else float(first), float(first) if upper else None)
