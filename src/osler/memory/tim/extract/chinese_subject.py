"""Whom or what a Chinese clause is about, where it says so, and where it leaves it out."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_words import ADVERBS, KIN, SELF
from osler.memory.tim.extract.clauses import Reading

_OPENING = re.compile(r"^(?:自己|突然|慢慢)")
_CLOSING = re.compile(r"(?:也|都|就|还|倒是|倒|一直|从来|又|整个|几乎|只|才|的|更|特别|很|挺|最|突然|慢慢|有点)+$")
_MANNER = re.compile(r"(?:(.)\1|一(.)一\2)地$")
POINTERS = frozenset({"", "它", "这", "这个", "那个", "这些", "情况", "病情"})
"""Words that name nothing themselves."""
_OF_PEOPLE = frozenset("吃喝用服做打抽住摔睡得查磕昏怀发烧咳")
"""What only a person does."""


def who_or_what(text: str) -> str:
    """The person or thing named before the predicate; empty when none is."""
    text = ADVERBS.sub("", text)
    kin = KIN.match(text)
    if kin:
        return kin[1] + text[kin.end() :]
    rest = SELF.sub("", text)
    rest = _OPENING.sub("", ADVERBS.sub("", rest))
    if not rest:
        return PATIENT if SELF.match(text) else ""
    rest = _MANNER.sub("", rest)
    return _CLOSING.sub("", rest)


def carried(reading: Reading, doing: str) -> str:
    """Whom a clause without a subject is about: the one before it in the sentence, the question, or the patient."""
    last = reading.last
    if doing[:1] in _OF_PEOPLE:
        return PATIENT
    if last and not last.answer and not last.result and last.relation[:1] not in _OF_PEOPLE:
        return last.subject
    return reading.question.subject
