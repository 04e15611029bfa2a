"""How a probe is put: three wordings for each kind of thing, in both languages.

The wording depends on what kind of thing is asked for and never on what is true of it, so that no question gives its
answer away.
"""

from __future__ import annotations

import re
from enum import StrEnum

from osler.language import Language
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


_EN, _ZH = Language.EN, Language.ZH
_WORDINGS: dict[Asks, dict[Language, tuple[str, str, str]]] = {
    Asks.WHETHER: {
        _EN: (
            "Did the patient have {thing}?",
            "Was there any {thing}?",
            "Is {thing} something this patient has told you of or denied?",
        ),
        _ZH: ("患者有没有{thing}？", "患者存在{thing}吗？", "患者是承认还是否认{thing}？"),
    },
    Asks.FINDING: {
        _EN: (
            "What was the finding for {thing}?",
            "How was the patient's {thing}?",
            "What did looking at {thing} bring to light?",
        ),
        _ZH: ("{thing}检查所见是什么？", "患者的{thing}怎么样？", "查体时{thing}情况如何？"),
    },
    Asks.RESULT: {
        _EN: (
            "What did the {thing} show?",
            "What was the result of the {thing}?",
            "Do we have the {thing}, and what came of it?",
        ),
        _ZH: ("{thing}显示了什么？", "{thing}的结果是什么？", "做过{thing}没有，结果如何？"),
    },
    Asks.HISTORY: {
        _EN: (
            "What is known about {thing}?",
            "What did the patient say about {thing}?",
            "Remind me what we learned on this point: {thing}.",
        ),
        _ZH: ("关于{thing}，已知哪些情况？", "患者对{thing}是怎么说的？", "请回忆一下患者的{thing}。"),
    },
    Asks.WHEN: {
        _EN: (
            "Since when, or how long ago: {thing}?",
            "When did it begin or happen: {thing}?",
            "How long is it now since the beginning of this: {thing}?",
        ),
        _ZH: ("{thing}是什么时候的事？", "{thing}距今多久了？", "{thing}从什么时候开始，或发生在多久以前？"),
    },
}
_QUALITY = re.compile(
    r"\b(?:triggers?|onset|course|factors?|timing|pattern|character|duration|frequency|severity)\b"
    r"|诱因|起病|病程|情况|特点|规律|性质|因素|时间|程度|频率",
    re.IGNORECASE,
)
"""Names of how a symptom is, and not of which it is."""
_ASKS = {
    Category.SYMPTOM: Asks.WHETHER,
    Category.SIGN: Asks.FINDING,
    Category.TEST: Asks.RESULT,
    Category.EXAMINATION: Asks.RESULT,
    Category.PREOPERATIVE_TEST: Asks.RESULT,
}


def asks_for(category: Category, name: str) -> Asks:
    """What one asks of such a thing; nobody asks whether there was an onset."""
    asks = _ASKS.get(category, Asks.HISTORY)
    return Asks.HISTORY if asks is Asks.WHETHER and _QUALITY.search(name) else asks


def paraphrases(asks: Asks, name: str, language: Language) -> tuple[str, ...]:
    """The same question in three wordings."""
    return tuple(wording.format(thing=_within(name, language)) for wording in _WORDINGS[asks][language])


def _within(name: str, language: Language) -> str:
    """A name as it stands inside a sentence: `Chest X-ray` becomes `chest X-ray`, `MRCP` and `Murphy's sign` stay."""
    first = name.split()[0]
    if language is _EN and first[1:].islower() and "'" not in first:
        return name[0].lower() + name[1:]
    return name
