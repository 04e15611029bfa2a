"""Whether a thought says that a thing is as it should be: in words, or by a value that lies where it is in health.

The limits are those of a grown-up, from any handbook, and only of what is measured in nearly everybody. A value that
they do not know is taken for a finding: to tell of it costs a few words, to leave it out may cost the diagnosis.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from osler.language.words import plain
from osler.memory.tim.thought import Thought


class _Usual(NamedTuple):
    """Where the values of a thing lie in health, in each unit in use; no unit has values like those of another."""

    name: re.Pattern[str]
    limits: tuple[tuple[float, float], ...]


def _usual(name: str, *limits: tuple[float, float]) -> _Usual:
    return _Usual(re.compile(name), limits)


_USUAL = (
    _usual(r"\btemperature\b|体温", (35.8, 37.3), (96.5, 99.1)),
    _usual(r"\bpulse\b|\bheart rate\b|\bheart ?beat\b|脉搏|心率|心跳", (60, 100)),
    _usual(r"\b(?:breathing|respiratory) rate\b|\brespirations?\b|呼吸(?:频率|次数)?$", (12, 20)),
    _usual(r"\bsaturation\b|\boxygen\b|\bspo2\b|血氧|氧饱和", (95, 100)),
    _usual(r"\b(?:white (?:blood )?cells?|wbc|leu[ck]ocytes?)\b|白细胞", (4, 10.5)),
    _usual(r"\bneutrophils?\b|中性粒", (1.8, 7.5), (40, 75)),
    _usual(r"\b(?:ha?emoglobin|hb)\b(?! a1c)|血红蛋白", (118, 175), (11.8, 17.5)),
    _usual(r"\bplatelets?\b|血小板", (125, 400)),
    _usual(r"\bsodium\b|血?钠", (135, 145)),
    _usual(r"\bpotassium\b|血?钾", (3.5, 5.3)),
    _usual(r"\bcalcium\b|血?钙(?!卫)", (2.1, 2.6), (8.5, 10.5)),
    _usual(r"\bcreatinine\b|肌酐", (40, 110), (0.5, 1.3)),
    _usual(r"\b(?:urea|bun)\b|尿素", (2.5, 7.8)),
    _usual(r"\b(?:glucose|blood sugar|sugar)\b|血糖|葡萄糖", (3.9, 7.8), (70, 140)),
    _usual(r"\b(?:crp|c-reactive protein)\b|c反应蛋白", (0, 8)),
    _usual(r"\b(?:esr|sedimentation rate)\b|血沉", (0, 20)),
    _usual(r"\b(?:alt|ast)\b|谷丙|谷草|转氨酶", (0, 40)),
    _usual(r"\bbilirubin\b|胆红素", (1.5, 21)),
    _usual(r"\balbumin\b|白蛋白", (35, 52)),
    _usual(r"\binr\b", (0.8, 1.2)),
    _usual(r"\bprothrombin time\b|凝血酶原时间", (10, 14)),
    _usual(r"\baptt\b|活化部分凝血", (24, 38)),
    _usual(r"\btsh\b|促甲状腺激素$", (0.4, 4.5)),
    _usual(r"\blactate\b|乳酸(?!脱)", (0.4, 2.0)),
)
_PRESSURE = re.compile(r"\bblood pressure\b|血压")
_SYSTOLIC, _DIASTOLIC = (95.0, 139.0), (55.0, 89.0)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LIMITS = re.compile(
    r"\b(?:should be|ought to be|reference|normal(?:ly)? (?:is|range|value|up to|below|under|above|over))\b\D{0,20}\d.*"
    r"|(?:正常(?:值|范围|是|应|在|为)|参考|应该?(?:是|在|低于|高于|小于|大于))\D{0,8}\d.*"
)
"""`it should be below 0.50`: what was said of a value with it."""
_AT_LEAST = re.compile(r"above|over|at least|more than|>|高于|大于|(?<!不)超过|以上")
_WELL = re.compile(
    r"^(?:(?:is|are|was|were|came back|all|both|quite|completely|entirely|perfectly|still|looks?|the|it|they|that)\s+)"
    r"{0,4}(?:normal|fine|clear|all right|ok|okay|good|unremarkable|negative|healthy|regular)\b"
    r"|\b(?:nothing (?:wrong|abnormal|unusual)|no abnormalit\w+)\b"
    r"|^(?:\S{0,6}?(?:都|均|全|也|是|挺|很|还))?(?:正常|阴性|没事|没问题|挺好|还好|好的)|(?:未见|没有?|无)(?:明显)?异常"
)
_IN_RANGE = re.compile(
    r"(?:within (?:the )?normal(?: range| limits)?|normothermic|normotensive|afebrile|normal)(?: for \S+(?: age)?)?\W*"
    r"|[都均全也是仍]*在?正常(?:范围(?:之?内|以内)?)?"
)
"""All that is said of a thing that is in order."""
_BUT = re.compile(
    r"\b(?:but|except|although|however|high|low|raised|rais\w+|elevated|increased|decreased|reduced|fell|dropped|rising|falling|"
    r"positive|not|abnormal|enlarged|swollen|thick\w*|fluid|mass|stones?|than)\b|但|不过|除了|偏|升高|降低|增高|减少|阳性|不正常|增大|肿|厚|积液|结石"
)
"""Words with which something else is said beside it."""
_TALK, _LETTERS = 8, 5
"""Words, and letters to a word, beyond which a value is told with more than itself."""


def is_normal(thought: Thought) -> bool:
    """Whether nothing is told but that a thing is in order."""
    return (
        not thought.negated
        and bool(thought.object or thought.relation)
        and _is_normal(
            plain(thought.subject), plain(f"{thought.relation} {thought.object}".strip()), plain(thought.object)
        )
    )


def is_in_range(value: str) -> bool:
    """Whether a value says nothing but that it is as it should be."""
    return _IN_RANGE.fullmatch(plain(value)) is not None


@lru_cache(maxsize=8192)
def _is_normal(subject: str, told: str, value: str) -> bool:
    if limits := _LIMITS.search(value):
        return _lies_within(value[: limits.start()], limits[0])
    if _BUT.search(told):
        return False
    if _WELL.search(value) or _WELL.search(told) or _IN_RANGE.fullmatch(value):
        return True
    return _is_short(value) and _is_usual(subject, _figures(value))


def _lies_within(value: str, limits: str) -> bool:
    """Whether a value lies within the limits that were told with it."""
    figures, bounds = _figures(value), _figures(limits)
    if len(figures) != 1:
        return False
    if len(bounds) > 1:
        return _inside(figures[0], (bounds[0], bounds[1]))
    return figures[0] >= bounds[0] if _AT_LEAST.search(limits) else figures[0] <= bounds[0]


def _is_usual(name: str, figures: list[float]) -> bool:
    """Whether a value lies where it does in health; never of a thing whose limits are not known."""
    if _PRESSURE.search(name):
        return len(figures) == 2 and _inside(figures[0], _SYSTOLIC) and _inside(figures[1], _DIASTOLIC)
    found = [usual for usual in _USUAL if usual.name.search(name)]
    if len(found) != 1 or not figures:
        return False
    return all(any(_inside(figure, limits) for limits in found[0].limits) for figure in figures)


def _is_short(value: str) -> bool:
    """Whether a value is told with hardly more than itself."""
    return len(value.split()) <= _TALK and len(value) <= _LETTERS * _TALK


def _figures(text: str) -> list[float]:
    return [float(found) for found in _NUMBER.findall(text)]


def _inside(figure: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= figure <= limits[1]
