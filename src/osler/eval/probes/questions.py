"""How a probe is put: three wordings for each kind of thing, in both languages.

The wording depends on what kind of thing is asked for and never on what is true of it, so that no question gives its
answer away.
"""

from __future__ import annotations

from enum import StrEnum

from osler.language import Language
from osler.language.words import content
from osler.prompts import phrases
from osler.records.schema import Category


class Asks(StrEnum):
    """What kind of answer a probe wants."""

    WHETHER = "whether"
    """Was it there?"""
    FINDING = "finding"
    """What was found at the bedside?"""
    RESULT = "result"
    """What did a test show?"""
    HISTORY = "history"
    """What is known about it?"""
    WHEN = "when"
    """Since when, or how long ago?"""


_WORDINGS = 3
_ASKS = {
    Category.SYMPTOM: Asks.WHETHER,
    Category.SIGN: Asks.FINDING,
    Category.TEST: Asks.RESULT,
    Category.EXAMINATION: Asks.RESULT,
    Category.PREOPERATIVE_TEST: Asks.RESULT,
}
_DETAILS = {
    Language.EN: "triggers onset course factors timing pattern character duration frequency severity",
    Language.ZH: "诱因 起病 病程 情况 特点 规律 性质 因素 时间 程度 频率",
}
"""Names of how a symptom is, and not of which it is."""


def asks_for(category: Category, name: str, language: Language) -> Asks:
    """What one asks of such a thing; nobody asks whether there was an onset."""
    asks, details = _ASKS.get(category, Asks.HISTORY), _DETAILS[language]
    if language is Language.EN:
        is_detail = bool(set(content(details, language)) & set(content(name, language)))
    else:
        is_detail = any(word in name for word in details.split())
    return Asks.HISTORY if asks is Asks.WHETHER and is_detail else asks


def wordings(asks: Asks, name: str, language: Language) -> tuple[str, ...]:
    """The same question in three wordings."""
    lines = phrases("probe_questions", language)
    thing = _within_sentence(name, language)
    return tuple(lines[f"{asks}_{number}"].format(thing=thing) for number in range(1, _WORDINGS + 1))


def _within_sentence(name: str, language: Language) -> str:
    """`Chest X-ray` becomes `chest X-ray`; `MRCP` and `Murphy's sign` stay."""
    first = name.split()[0]
    is_plain = language is Language.EN and first[1:].islower() and "'" not in first
    return name[0].lower() + name[1:] if is_plain else name
