"""A Chinese reply cut into sentences and clauses, so that no clause loses the denial or the name it stands under."""

from __future__ import annotations

import re
from typing import NamedTuple

from osler.language import Language
from osler.language.words import sentences
from osler.memory.tim.extract.chinese_words import PREDICATES, TIME, borders
from osler.memory.tim.extract.clauses import Titled

MARK = "，"
"""What stands between two parts of one sentence."""
_SPLIT = re.compile(
    r"[，；：;:]|,(?!\d)|(?<=[\d%a-zA-Z])、(?=[^\d])(?!(?:[IVX]+|aV[LRF]|V\d)(?![A-Za-z]))|(?<=[克片升])、"
)
YES = re.compile(r"^(?:(?:有过)+|有的?|是的?|对|会的?|嗯|没错|是啊|有啊|可以)(?:，|,|。|啊|呀|的|了)*$")
NO = re.compile(
    r"^(?:真没有?|最近没有|没有|没|不是|不|不会|没有没有|没有啊|没啊|从来没有|从来没|都没有|不能|不怕|不吃|不抽|不喝|不疼|不痛|不用|无|没有过)(?:啊|呀|的|了|吧)*$"
)
PLACE = re.compile(
    r"^(?:就是|是)?(?:[左右][边侧]$|[左右两双]?(?:边|侧|只)?(?:眼睛?|耳朵?|膝盖?|腿|小腿|大腿|脚|脚踝|手|手腕|肩膀?|肘|腰|胸口?|背|肚子|小肚子)$)"
)
"""A part of the body alone: all that follows is about it."""
DATED = re.compile(rf"^(?:就|都)?(?:是|那是)(?P<when>{TIME.pattern})(?:的事|做的|查的|拍的|的)?$")
NEGATION = re.compile(
    r"(?<![受吸看躺压睡吃止喘控说想记听走站动咽憋忍停退消得肿挪松差缓])"
    r"(?:从来没有|从来没|从没有|从没|没有|从未|"
    r"没(?!的$|了$|事|问题|啥事|劲|精神|几[分秒小天个]|多[久大少]|过多?久|一会|等|见好)|未见|未|无(?!力)|从来不|从不|不怎么|不太|不是(?=\S)|"
    r"不(?!足|舒服|堪|久|到\d|超过|少|停|好|错|适|断|得不|仅|但|同|管|行了|住|了$|起$|起来))"
)
ASKS = re.compile(
    r"(?:吗|是不是[^，]*|要不要紧|要紧不要紧|怎么[回办][^，]*|正常吧|对吧|呢)[啊呀]?[？?]$|^是不是.*[？?]$"
)
"""What the patient asks back."""
END = re.compile(r"[\s，。；：！？!?,.;:]+$")
_TITLE = re.compile(
    r"^(?P<name>(?:[^，。：；、！？:\s]{1,12}|[A-Za-z][\w-]{0,19}[^，。：；、！？:\s]{0,6})(?: [^，。：:]{1,8})?)"
    r"(?:：|(?<!\d):)\s*(?P<said>.+)$",
    re.DOTALL,
)
_TALKS = re.compile(r"说|写|告诉|问|讲|比如|就是|还有|我|您|你|他|她|是|单子|报告|上面|结果")
_ALL_DENIED = re.compile(
    r"^(?P<who>我|他|她|孩子)?(?:们)?(?:从来|一直)?(?:都|也|全|一概)(?P<not>(?:不|没有?)[吃用喝抽有做得碰])(?:过|的|了|啊)*$"
)


def cut(reply: str) -> list[str]:
    """The sentences. A lone yes, no or place belongs to the one after it, and a title to all parts of its statement."""
    joined: list[str] = []
    for part in sentences(reply, Language.ZH):
        before = END.sub("", joined[-1]) if joined else ""
        if (
            before
            and (YES.match(before) or NO.match(before) or PLACE.match(before))
            and not DATED.match(END.sub("", part))
        ):
            joined[-1] = f"{before}{MARK}{part}"
        elif joined and joined[-1].endswith(("；", ";")) and titled(joined[-1]) and not titled(part):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


class Entry(NamedTuple):
    """Sentences that were said of one time."""

    sentences: list[str]
    when: str = ""
    dated: str = ""
    """The words that say when."""


def entries(parts: list[str]) -> list[Entry]:
    """The sentences up to each that only says when: `……。是昨天的事。`."""
    found: list[Entry] = []
    open_: list[str] = []
    for part in parts:
        dated = DATED.match(END.sub("", part))
        if dated and open_:
            found.append(Entry(open_, dated["when"], part))
            open_ = []
        else:
            open_.append(part)
    return [*found, Entry(open_)] if open_ else found


def titled(sentence: str) -> Titled | None:
    """`触诊：皮肤温热。`: a title and its statement; what follows `大夫说：` is talk."""
    found = _TITLE.match(END.sub("", sentence))
    if not found or _TALKS.search(found["name"]) or NEGATION.search(found["name"]):
        return None
    return Titled(found["name"].strip(), found["said"].strip())


def pieces(sentence: str) -> list[str]:
    """The clauses of a sentence; `那些药，我都不吃` denies what stands before it."""
    cuts: list[str] = []
    for piece in filter(None, map(str.strip, _SPLIT.split(sentence))):
        denial = _ALL_DENIED.match(END.sub("", piece))
        if denial and cuts and not (NEGATION.search(cuts[-1]) or _says(cuts[-1])):
            cuts[-1] = f"{denial['who'] or ''}{denial['not']}{cuts[-1]}"
        else:
            cuts.append(piece)
    return cuts


def _says(piece: str) -> bool:
    """Whether it has a predicate; the one in `红酒` is part of a word."""
    starts = borders(piece)
    return any({found.start(), found.end()} <= starts for found in PREDICATES.finditer(piece))
