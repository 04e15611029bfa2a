"""What kind of answer a question wants, and which texts hold one.

Who asks how long something takes is told so many hours: no word of the question is in that, and a search by words
passes it by. The kind of answer is looked for as if it were one more word of the question.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from osler.language import Language

_SOME = (
    r"(?:\d+(?:\.\d+)?|(?:half )?an?|a few|a couple of|several|one|two|three|four|five|six|seven|eight|nine|ten|twelve"
    r"|fifteen|twenty|thirty|forty|fifty|sixty)"
)
_SPAN = rf"\b{_SOME}[- ](?:second|minute|min|hour|hr|day|week|month|year)s?\b"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_ZH_SOME = r"(?:\d+(?:\.\d+)?|[一二两三四五六七八九十百半几数]+)多?"


class _Kind(NamedTuple):
    """How a kind of answer is asked for, and what one looks like."""

    asks: re.Pattern[str]
    tells: re.Pattern[str]


def _kind(asks: str, tells: str) -> _Kind:
    return _Kind(re.compile(asks, re.IGNORECASE), re.compile(tells, re.IGNORECASE))


_KINDS = {
    Language.EN: (
        _kind(r"\bhow long\b|\bhow many (?:minutes|hours|days|weeks|months|years)\b|\bduration\b", _SPAN),
        _kind(
            r"\bwhat time\b|\b(?:opening|visiting|office) (?:hours|times)\b",
            r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]\.?m\b|\bo'?clock\b|\bnoon\b|\bmidnight\b|\ball day\b",
        ),
        _kind(
            r"(?:^|[,.;:] )(?:since )?when (?:did|do|does|was|were|is|are|will)\b"
            r"|\b(?:what|which) (?:date|day|year|month)\b|\bdate of\b",
            rf"{_SPAN} (?:ago|before|earlier)|\b{_MONTH}\.? \d|\d(?:st|nd|rd|th)?(?: of)? {_MONTH}\b"
            r"|\b(?:19|20)\d\d\b|\byesterday\b|\b(?:last|this) (?:week|month|year|night|spring|summer|autumn|winter)\b"
            r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
        ),
        _kind(
            r"\bhow much (?:money|does|do|did|is|was)\b.*\b(?:cost|pay|spend|charge|earn)|\bprices?\b|\bfees?\b",
            r"[$€£¥]\s?\d|\b\d[\d,.]* ?(?:dollars?|euros?|pounds?|yuan|usd|rmb)\b|\bfree of charge\b|\bfor free\b",
        ),
        _kind(r"\baddress\b", r"\b(?:street|road|avenue|square|district|boulevard|lane)\b"),
        _kind(r"\b(?:tele)?phone number\b", r"\d[\d -]{6,}"),
        _kind(r"\bhow (?:tall|heavy|old|big|high|far|large|wide|deep)\b|\b(?:height|weight|age) of\b", r"\d"),
    ),
    Language.ZH: (
        _kind(
            "多久|多长时间|几个?(?:分钟|小时|天|周|星期|月|年)|用时|时长|片长|(?:游玩|所需|需要|持续)的?时间",
            rf"{_ZH_SOME}个?半?(?:秒|分钟|刻钟|小时|钟头|天|周|星期|礼拜|月|年)",
        ),
        _kind("几点|(?:开放|营业|门诊|上班)时间", r"\d+(?:[:：]\d\d|点)|[一二两三四五六七八九十]+点|全天|24小时"),
        _kind(
            "什么时候|何时|几号|哪天|哪一?年|日期|(?:上映|发行|成立|出生|出版|发布|播出|建成|开始|发病|手术)的?时间",
            r"\d+(?:年|月|日|号)|[一二三四五六七八九十]+(?:月|日|号)|昨|前天|上(?:周|个?月|星期)|去年|今年",
        ),
        _kind(
            "多少钱|价格|票价|门票|费用|花费|人均|消费",
            r"[¥￥]\s?\d|\d+多?(?:元|块|万)|[一二两三四五六七八九十百千]+多?(?:元|块)|免费|不要钱",
        ),
        _kind("地址|位于哪|在哪条", r"[路街区县镇市省村巷](?!别|上)|\d+号"),
        _kind("电话|手机号", r"\d[\d-]{6,}"),
        _kind("身高|体重|多高|多重|多大|多远|年龄|几岁", r"\d|[一二三四五六七八九十]+(?:岁|米|公斤|斤|厘米|公里)"),
    ),
}


@lru_cache(maxsize=1024)
def wanted(question: str, language: Language) -> re.Pattern[str] | None:
    """What an answer looks like; None where it may look like anything."""
    return next((kind.tells for kind in _KINDS[language] if kind.asks.search(question)), None)
