"""What a Chinese patient says around a finding: who read it out, where the paper is, that it was just measured.

A thought keeps the finding; the sentence it rests on keeps the rest.
"""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_answer import is_aside
from osler.memory.tim.extract.chinese_sentence import ASKS, END

_READ_OUT = re.compile(
    r"^(?:(?:那张|这张|[^，]{1,3}的)?(?:单子|化验单|报告|片子|上面(?=写)|上头(?=写))(?:上面?|上头|里)?(?:是?写(?:的是?|着|了)?|说是?|显示)?(?:[我他她]的?)?(?=[^，呢在我])|"
    r"(?:大夫|医生|护士|人家|他们)(?:跟我|给[我他她]|告诉我|听了|看了|摸了|查了)*(?:说是?|写(?=[我他她]))(?:[我他她]的?)?(?=.{2})|"
    r"写(?:的是?|着)(?=.{2})|您看[我他她]?(?=.{2})|还?有(?:一?个|一?项)(?=[A-Za-z\u4e00-\u9fff-]{2,10}$)|"
    r"说是?(?![话不过来实])(?:[我他她]的?)?(?=.{2}))"
)
"""`单子上写`, `大夫说`: the name of the test says as much."""
_BY_HAND = re.compile(
    r"^监护仪上(?:显示|是|写着)*(?=\d)|^(?:这[次回]|刚才|刚|今天|护士|大夫|医生|在家|也|给|[我他她])*(?:量|测|数|夹)(?:出来|过|了|的|着)*是?(?=(?:最高|一分钟)?\d)"
    r"(?!\d+[次回遍]，)"
)
_DONE = re.compile(
    r"^(?:这[次回]|刚才|刚|护士|大夫|医生|也|都|已经|给|[我他她])*(?:量|测|数|查|看|听|摸|按)(?:了[量测数查看听摸按]|过了?|了|的)$|^(?:护士|大夫|医生)(?:跟|和)[我他她]说(?:了|过)$"
)
"""`护士量的`, alone: what was found comes next."""
_MEASURED = re.compile(
    r"(?<=[压温率跳搏吸糖重高氧])(?:也|都)?(?:量|测|数|查)(?:了|过了?)[，,]?是?(?=\d)|(?<=[A-Za-z\u4e00-\u9fff])写的(?=\d)"
)
_TOOK = re.compile(r"(?:给[我他她])?(?:量|测|数)了(?:一下|个)?(体温|血压|心率|脉搏|心跳)[，,]?是?(?=\d)")
_THOUGH = re.compile(r"倒是(?=.)|(?<=[\u4e00-\u9fff])倒(?=[不没还挺])|^倒(?=[不没还挺])")
_INDEED = re.compile(r"^是(?=有点|挺|很|齐的|正常的|\d)")
_CLOSING = re.compile(r"(?:呢|啊|呀|嘛|哦|啦|吧)+$")
_PARTS = re.compile(r"([，；;]|,(?!\d))")


def unframed(clause: str) -> str:
    """A clause without what only says how the finding came to be told; as it is where nothing else would be left."""
    return _BY_HAND.sub("", _READ_OUT.sub("", unframed_talk(END.sub("", clause)))) or clause


def unframed_talk(clause: str) -> str:
    """The same of a clause that is no report: who says it may matter there."""
    return _INDEED.sub("", _THOUGH.sub("", _CLOSING.sub("", clause))) or clause


def unframed_report(said: str) -> str:
    """What was found, clause by clause, without clauses that are nothing but a frame."""
    parts = _PARTS.split(_TOOK.sub(r"\1", _MEASURED.sub("", said)))
    kept: list[str] = []
    for place in range(0, len(parts), 2):
        clause = parts[place].strip()
        if clause and not _frames(clause):
            kept += [parts[place - 1] if kept else "", unframed(clause)]
    return "".join(kept) or said


def _frames(clause: str) -> bool:
    bare = END.sub("", clause)
    return _DONE.match(bare) is not None or is_aside(bare) or ASKS.search(clause) is not None
