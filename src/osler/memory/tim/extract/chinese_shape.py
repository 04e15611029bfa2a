"""Whether a text says a model's Chinese triple: its words in their order, in one clause, of one person."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_answer import is_aside
from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_words import KIN, PREDICATES
from osler.memory.tim.extract.wording import GENERIC, OTHERS
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import plain

_VERB = 6
"""Characters of a relation; a longer one is half a sentence."""
_LOOSE = 10
"""Characters of what the patient `has` where the text does not say so in these words."""
_GAP = re.compile(r"(?:[的是为有在量测写说显示结果约大概也都就是还一直:]|结果|报告){0,6}")
"""What may stand between a name and its value."""
_HAVING = frozenset({"有", "出现", "存在", "伴有", "感到", "感觉", "患", "得过"})
_NO_THING = re.compile(r"\d|^(?:每|第|头一|最|餐|平卧|进食|突然)|(?:缓解|加重|减轻|好转|时|后)$")
"""What nobody has: a value, a time, how it goes."""
_STAFF = re.compile(r"^(?:护士|医生|大夫)")
_LIGHT = frozenset("患者有没不是为说了过着的吃服用显示写报告无未也都还就又，、。；：（）() ")


def weight(text: str) -> frozenset[str]:
    """The characters of a text that tell it from others."""
    return frozenset(_level(text)) - _LIGHT


def is_worded(draft: Draft, text: str) -> bool:
    """Whether the text says the draft."""
    said, subject, relation, object_ = map(_level, (text, draft.subject, draft.relation, draft.object))
    if len(relation) > _VERB or re.search(r"[\d，。：:；]", relation) or object_ not in said or not weight(object_):
        return False
    if _STAFF.search(subject) or is_aside(draft.object):
        return False  # who read it out is not who it is about, and where the paper is no finding
    if OTHERS[Language.ZH].search(said) and not (OTHERS[Language.ZH].search(subject) or KIN.match(subject)):
        return False
    spoken = relation in said
    generic = relation in GENERIC[Language.ZH] or relation.startswith(("没", "不", "无", "未"))
    if not generic and not (spoken and PREDICATES.match(relation)):
        return False
    if subject == PATIENT:
        return _of_patient(relation, object_, said, generic)
    named = [found.end() for found in re.finditer(re.escape(subject), said)]
    return any(_follows(said[end:], relation, object_, generic) for end in named)


def _of_patient(relation: str, object_: str, said: str, generic: bool) -> bool:
    if f"{relation}{object_}" in said or f"{relation}了{object_}" in said:
        return True
    if (
        relation in {"结果", "显示", "报告", "为", "是", "位于", "持续", "程度", "部位", "时间", "开始", "开始于"}
        or not generic
    ):
        return False
    if relation not in GENERIC[Language.ZH]:
        return False
    return relation not in _HAVING or not (_NO_THING.search(object_) or len(object_) > _LOOSE)


def _follows(after: str, relation: str, object_: str, generic: bool) -> bool:
    """Whether the object comes next in what stands behind the subject, but for the relation and what joins them."""
    if not generic:
        start = after.find(relation)
        return (
            0 <= start <= 4
            and "，" not in after[:start]
            and after[start + len(relation) :].lstrip("了").startswith(object_)
        )
    rest = after.replace(relation, "", 1) if after.startswith(relation) else after
    joining = _GAP.match(rest)
    return any(rest[place:].startswith(object_) for place in range((joining.end() if joining else 0) + 1))


def _level(text: str) -> str:
    return re.sub(r"\s+", "", plain(text)).replace("疼", "痛").replace(",", "，").strip("。.，")
