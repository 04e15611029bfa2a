"""Whom or what a Chinese clause is about, where it says so, and where it leaves it out."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_words import ADVERBS, KIN, SELF
from osler.memory.tim.extract.clauses import Reading

_OPENING = re.compile(r"^(?:自己|突然|慢慢)")
_CLOSING = re.compile(
    r"(?:也|老|总|都|就|还|倒是|倒|一直|从来|又|整个|几乎|只|才|的|更|特别|很|挺|最|突然|慢慢|有点|通常|往往|则|会)+$"
)
_MANNER = re.compile(r"(?:(.)\1|一(.)一\2)地$")
POINTERS = frozenset({"", "它", "这", "这个", "那个", "这些", "情况", "病情"})
"""Words that name nothing themselves."""
_OF_PEOPLE = frozenset("中喘吐拉恶吸抽饮吃喝用服做打抽住摔睡得查磕昏怀发烧咳")
"""What only a person does."""
_STATES = frozenset({"正常", "有点", "有点儿", "有些", "挺好", "很好", "清楚", "偏高", "偏低", "好转", "加重", "减轻"})
"""What a thing is, when it was asked how it is."""


_NO_NAME = re.compile(
    r"有(?!效)|[了着过得说吃喝犯换敲弯因我他她站走坐躺跑吸咽搬]|^(?:类似|差不多|几乎|偶|\d+个?(?:分钟|小时|天|周|月|年)|夜[里间]|白天|晚上|早[上晨]|下午|希望|认为|打算|任何.*均|上[^腹肢唇眼臂颌颚纵下]|没|起来|是|从|其|内$|外$|周围|边上|里头|里面|多$|别|时$|晨$|越|[一每第头]|这|那|什么|好几|比如|担心|尤其|"
    r"再次|效果|反应|结果|直径|大小|感到|觉得|昨|今|明|前|以后|之后|后来|同时|另|各|哪|怎|为|由|因|和|或|及|更|全|整|就|在|能|不)|"
    r"(?:完|硬|时|后|前|天|次|年|月|的|地|性|因|中|、|看|听)$|期$"
)
"""What stands before a predicate and names neither a person nor a part: a manner, a time, half of a clause."""


def is_name(subject: str) -> bool:
    """Whether a thought can be about it, so that it can be understood alone."""
    return KIN.match(subject) is not None or _NO_NAME.search(subject) is None


def who_or_what(text: str) -> str:
    """The person or thing named before the predicate; empty when none is."""
    text = ADVERBS.sub("", text)
    kin = KIN.match(text)
    if kin:
        return kin[1] + _CLOSING.sub("", text[kin.end() :])
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
    if reading.question.value == "为" and doing in _STATES:
        return reading.question.holder
    asked = reading.question.subject
    if KIN.match(asked) and any(told.subject == PATIENT and not told.answer for told in reading.sketches):
        return PATIENT  # asked about the family, the patient went on to speak of nobody else
    return asked
